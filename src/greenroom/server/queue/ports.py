"""The engine's ports with a memory: each request to the outside is one step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol, TypeVar

from pydantic import TypeAdapter

from greenroom.cassettes.wrap import describe, describe_remote
from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.errors import OutOfTime, RunError, Stopped
from greenroom.model.talk import Brain, BrainReply, BrainRequest, ToolOffer
from greenroom.play.plan import Ports
from greenroom.play.ports import RealCall, RealTools, RemoteAgents, RemoteReply, RemoteRequest, ToolAnswer
from greenroom.server.queue.clock import RunClock
from greenroom.server.queue.outcomes import Codec, failure, moment
from greenroom.server.queue.steps import Remembered, Steps
from greenroom.server.queue.turnstile import Turnstile

Answer = TypeVar("Answer")

_REPLY = Codec(TypeAdapter(BrainReply))
_TOOL_ANSWER = Codec(TypeAdapter(ToolAnswer))
_OFFERS = Codec(TypeAdapter(tuple[ToolOffer, ...]))
_REMOTE_REPLY = Codec(TypeAdapter(RemoteReply))


class Gate(Protocol):
    """Passed before each request to the outside that is made for the first time, and told of each answer."""

    async def pass_tool(self) -> None:
        """Bring the store up to date, before a tool is called."""
        ...

    async def pass_model(self, request: BrainRequest | None) -> BrainRequest | None:
        """Bring the store up to date, before a model or (`None`) a remote agent is asked; the request as it may go out.

        Raises:
            Stopped: the run was asked to stop.
            RunError: it may not go on, for example since it cannot be paid.
        """
        ...

    def answered(self, request: BrainRequest, reply: BrainReply | None) -> None:
        """A model answered, now or in an earlier playing; `None` where it did not."""
        ...


def durable(ports: Ports, steps: Steps, clock: RunClock, gate: Gate, turnstile: Turnstile) -> Ports:
    """The same ports, each request a remembered step. Answers come through the turnstile."""
    memory = _Memory(steps, clock, gate, turnstile)
    return replace(
        ports,
        brain=DurableBrain(ports.brain, memory),
        tools=DurableTools(ports.tools, memory),
        remote=DurableRemote(ports.remote, memory),
        clock=clock,
        wait=clock.wait,
    )


class _Memory:
    def __init__(self, steps: Steps, clock: RunClock, gate: Gate, turnstile: Turnstile) -> None:
        self.gate = gate
        self._turnstile = turnstile
        self._steps = steps
        self._clock = clock

    async def recall(
        self,
        kind: str,
        asks: Json,
        codec: Codec[Answer],
        seconds: float | None,
        do: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """The answer of `do`, from memory where it was given before. It may take `seconds`, all told."""
        until = None if seconds is None else self._clock.elapsed() + seconds

        def now() -> float:
            return self._clock.live() if until is None else min(self._clock.live(), until)

        async def first_time() -> Remembered:
            try:
                left = None if until is None else max(until - self._clock.live(), 0)
                limit = asyncio.timeout(left)
                try:
                    async with limit:
                        answer = await do()
                except TimeoutError:
                    if not limit.expired():
                        raise
                    raise OutOfTime("The time limit passed.") from None
            except (RunError, OutOfTime, Stopped) as error:
                return failure(error, now())
            return codec.answer(answer, now())

        outcome = await self._steps.take(kind, asks, first_time)
        await self._turnstile.wait()
        self._clock.reach(moment(outcome))
        return codec.read(outcome)


class DurableBrain:
    """A brain that is asked each thing once."""

    def __init__(self, brain: Brain, memory: _Memory) -> None:
        self._brain = brain
        self._memory = memory

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer one request; see `Brain.reply`.

        Raises:
            BrainFailed: the model could not answer.
            OutOfTime: the time limit passed.
            Stopped: the run was asked to stop.
        """

        async def ask() -> BrainReply:
            allowed = await self._memory.gate.pass_model(request)
            return await self._brain.reply(allowed or request, seconds_left=seconds_left)

        try:
            reply = await self._memory.recall(f"model.{request.role}", describe(request), _REPLY, seconds_left, ask)
        except BaseException:
            self._memory.gate.answered(request, None)
            raise
        self._memory.gate.answered(request, reply)
        return reply


class DurableTools:
    """Real tools that are called once."""

    def __init__(self, tools: RealTools, memory: _Memory) -> None:
        self._tools = tools
        self._memory = memory

    async def offers(self, run_id: str, agent: Agent) -> tuple[ToolOffer, ...]:
        """The tools of the agent's MCP servers; see `RealTools.offers`."""

        async def ask() -> tuple[ToolOffer, ...]:
            await self._memory.gate.pass_tool()
            return await self._tools.offers(run_id, agent)

        return await self._memory.recall("tools", agent.name, _OFFERS, None, ask)

    async def call(self, call: RealCall) -> ToolAnswer:
        """Call a tool; see `RealTools.call`."""

        async def ask() -> ToolAnswer:
            await self._memory.gate.pass_tool()
            return await self._tools.call(call)

        asks: Json = {"agent": call.agent.name, "tool": call.tool, "id": call.call_id, "arguments": call.arguments}
        return await self._memory.recall(f"tool.{call.kind}", asks, _TOOL_ANSWER, None, ask)

    async def close(self, run_id: str) -> None:
        await self._tools.close(run_id)


class DurableRemote:
    """Remote agents that hear each thing once."""

    def __init__(self, remote: RemoteAgents, memory: _Memory) -> None:
        self._remote = remote
        self._memory = memory

    async def reply(self, request: RemoteRequest, *, seconds_left: float) -> RemoteReply:
        """Ask a remote agent; see `RemoteAgents.reply`."""

        async def ask() -> RemoteReply:
            await self._memory.gate.pass_model(None)
            return await self._remote.reply(request, seconds_left=seconds_left)

        return await self._memory.recall("remote", describe_remote(request), _REMOTE_REPLY, seconds_left, ask)

    async def close(self, run_id: str) -> None:
        await self._remote.close(run_id)
