"""Who writes the agent's replies: a brain (or its backup) for an agent hosted here, the other side of a connector for a
remote one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from greenroom.model.agent import Agent
from greenroom.model.errors import BrainFailed, RunError
from greenroom.model.llm import Llm
from greenroom.model.talk import BrainReply, UserSaid
from greenroom.play.meter import Meter
from greenroom.play.plan import Plan
from greenroom.play.ports import RemoteCall, RemoteRequest
from greenroom.play.recorder import Recorder
from greenroom.play.seat import Seat


@dataclass(frozen=True, slots=True)
class VoiceReply:
    """A reply and who wrote it. `done` are tools that a remote agent ran by itself; `ended`: it hung up."""

    reply: BrainReply
    model: str
    fallback: bool = False
    done: tuple[RemoteCall, ...] = ()
    ended: bool = False

    @property
    def says_nothing(self) -> bool:
        refused = self.reply.finish == "refused"
        return not (self.reply.text.strip() or self.reply.calls or refused or self.ended)


class Voice(Protocol):
    """Writes the replies of the agent in a seat."""

    @property
    def name(self) -> str:
        """What to call it in a sentence for the user."""
        ...

    @property
    def may_be_asked_again(self) -> bool:
        """Whether asking the same once more changes nothing for the other side."""
        ...

    async def reply(self, seat: Seat, *, heard: str, heard_tool: str | None, may_call: bool) -> VoiceReply: ...


class HostedVoice:
    """The brain of an agent hosted here, and its backup brain."""

    may_be_asked_again = True

    def __init__(self, llm: Llm, plan: Plan, meter: Meter, recorder: Recorder) -> None:
        self._llm = llm
        self._plan = plan
        self._meter = meter
        self._recorder = recorder

    @property
    def name(self) -> str:
        return self._llm.model

    async def reply(self, seat: Seat, *, heard: str, heard_tool: str | None, may_call: bool) -> VoiceReply:
        """The next reply of the main brain, or of the backup brain where the main one fails or is to be rehearsed.

        Raises:
            BrainFailed: the brain failed and there is no backup brain.
            RunError: both failed, or there is no backup brain to rehearse.
        """
        backup = seat.agent.llm_fallback
        if backup is None:
            self._check_rehearsal(seat.agent)
            request = seat.request(self._llm, heard=heard, heard_tool=heard_tool, may_call=may_call)
            return VoiceReply(await self._meter.ask(request), self._llm.model)
        failure: BrainFailed | None = None
        if not self._plan.force_primary_failure:
            request = seat.request(self._llm, heard=heard, heard_tool=heard_tool, may_call=may_call)
            try:
                return VoiceReply(await self._meter.ask(request), self._llm.model)
            except BrainFailed as failed:
                failure = failed
                await self._recorder.warn(f"The main brain failed and the backup brain answered: {failed}")
        try:
            request = seat.request(backup, heard=heard, heard_tool=heard_tool, may_call=may_call)
            return VoiceReply(await self._meter.ask(request), backup.model, fallback=True)
        except BrainFailed as failed:
            both = f"{failure} The backup brain failed too: {failed}"
            raise RunError(both if failure else f"The backup brain failed: {failed}") from None

    def _check_rehearsal(self, agent: Agent) -> None:
        if self._plan.force_primary_failure and agent is self._plan.agent:
            raise RunError(
                f"The agent {agent.name} has no backup brain to rehearse: set `llm_fallback`, or run without forcing "
                "the main brain to fail."
            )


class RemoteVoice:
    """An agent that lives elsewhere."""

    def __init__(self, agent: Agent, plan: Plan, meter: Meter) -> None:
        self._agent = agent
        self._plan = plan
        self._meter = meter

    @property
    def name(self) -> str:
        return "the remote agent"

    @property
    def may_be_asked_again(self) -> bool:
        # A second asking would put the caller's words into a stateful agent's talk twice.
        return self._agent.remote is not None and not self._agent.remote.stateful

    async def reply(self, seat: Seat, *, heard: str, heard_tool: str | None, may_call: bool) -> VoiceReply:  # noqa: ARG002
        """The remote agent's answer to what was said last.

        Raises:
            RunError: it failed; one sentence.
        """
        if self._plan.force_primary_failure:
            raise RunError(
                f"The agent {self._agent.name} lives elsewhere: its backup brain cannot be rehearsed from here."
            )
        last = seat.messages[-1] if seat.messages else None
        answer = await self._meter.ask_remote(
            RemoteRequest(
                run_id=self._plan.run_id,
                session_id=self._plan.run_id,
                agent=self._agent,
                prompt=seat.system,
                variables=seat.variables,
                messages=seat.in_window,
                new_message=last.text if isinstance(last, UserSaid) else "",
                tools=seat.offers if may_call else (),
                test_header=self._plan.test_header,
                scope=self._plan.scope,
            )
        )
        finish = "cut" if answer.was_cut else "stop"
        reply = BrainReply(text=answer.text, calls=answer.calls, latency_ms=answer.latency_ms, finish=finish)
        return VoiceReply(reply, answer.model or "remote", done=answer.done, ended=answer.ended)
