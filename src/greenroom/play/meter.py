"""The one way to a model: every request passes here, so that stop, time and cost hold for all alike."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from greenroom.model.errors import OutOfTime, Stopped
from greenroom.model.llm import Llm, Role
from greenroom.model.talk import BrainReply, BrainRequest
from greenroom.play.plan import Ports
from greenroom.play.ports import RemoteReply, RemoteRequest, StopSignal
from greenroom.play.recorder import Recorder

Answer = TypeVar("Answer")
Fired: TypeAlias = dict[tuple[str, int], tuple[int, ...]]


class Meter:
    """Puts requests to models: stops before one where asked to, holds the time limit, counts usage."""

    def __init__(self, ports: Ports, recorder: Recorder, stop: StopSignal, scope: str) -> None:
        self._brain = ports.brain
        self._remote = ports.remote
        self._clock = ports.clock
        self._wait = ports.wait
        self._recorder = recorder
        self._scope = scope
        self._stop = stop
        self._deadline = ports.clock.elapsed()
        self._fired: Fired = {}

    def allow(self, seconds: float) -> None:
        """From now on, `seconds` are left."""
        self._deadline = self._clock.elapsed() + seconds

    def mark(self) -> Fired:
        """Which rules of scripted brains have fired so far, to go back to."""
        return dict(self._fired)

    def go_back(self, mark: Fired) -> None:
        """Forget the rules that fired after the mark."""
        self._fired = dict(mark)

    @property
    def seconds_left(self) -> float:
        return self._deadline - self._clock.elapsed()

    async def ask(self, request: BrainRequest) -> BrainReply:
        """Put one request.

        Raises:
            Stopped: the run was asked to stop; nothing was sent.
            OutOfTime: the time limit passed, before or while the model answered.
            BrainFailed: the model could not answer.
        """
        await self._enter(request.role)
        script = _script_of(request.llm)
        request = replace(request, fired=self._fired.get(script, ()), scope=self._scope)
        left = self.seconds_left
        reply = await self.in_time(self._brain.reply(request, seconds_left=left))
        if reply.fired:
            self._fired[script] = (*self._fired.get(script, ()), *reply.fired)
        await self._recorder.count(request.role, request.llm, reply.usage)
        for warning in reply.warnings:
            await self._recorder.warn(warning)
        return reply

    async def ask_remote(self, request: RemoteRequest) -> RemoteReply:
        """Put one request to a remote agent. Its usage counts where it tells it.

        Raises:
            Stopped: the run was asked to stop; nothing was sent.
            OutOfTime: the time limit passed.
            RunError: the agent failed.
        """
        await self._enter("agent")
        reply = await self.in_time(self._remote.reply(request, seconds_left=self.seconds_left))
        if reply.usage is not None:
            await self._recorder.count("agent", Llm(model=f"remote:{reply.model or request.agent.name}"), reply.usage)
        return reply

    async def _enter(self, role: Role) -> None:
        if await self._stop():
            raise Stopped("The run was asked to stop.")
        if self.seconds_left <= 0:
            raise OutOfTime("The time limit passed.")
        await self._recorder.ask(role)

    async def in_time(self, work: Awaitable[Answer]) -> Answer:
        """Wait for `work`, but not past the time limit.

        Raises:
            OutOfTime: the limit passed first.
        """
        return await self._wait(work, self.seconds_left)


def _script_of(llm: Llm) -> tuple[str, int]:
    # A run holds on to its agents, so an object's identity is good for as long as the run lasts.
    return llm.model, id(llm.script)
