"""A talk whose caller sits outside: each line comes from there, and the agent's side answers it as in any run.

talk = Conversation(plan, ports, listen, stop)
await talk.open()                       # the agent's first words
end = await talk.say("I need to move my booking.")
talk.undo()                             # the last turn was never said
run = await talk.finish()
await talk.close()
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from greenroom.model.agent import Agent
from greenroom.model.case import Caller, ScriptMessage, Test
from greenroom.model.errors import OutOfTime, RunError
from greenroom.model.run import Line, Run
from greenroom.model.talk import Message
from greenroom.play.agent_side import AgentSide
from greenroom.play.caller_side import CallerWords, speak
from greenroom.play.desk import Desk, DeskMark
from greenroom.play.ends import End
from greenroom.play.meter import Fired, Meter
from greenroom.play.offers import OfferedTool
from greenroom.play.plan import Plan, Ports
from greenroom.play.ports import Listener, StopSignal
from greenroom.play.recorder import Recorder
from greenroom.play.seat import Seat
from greenroom.play.stage import Spoken, Stage
from greenroom.play.talk import refuse_realtime

_SAID_LIVE = "(said by a person)"


def with_live_caller(test: Test) -> Test:
    """The test with its caller outside: its variables, prepared answers and way with tools stay, its checks go."""
    caller = Caller(messages=[ScriptMessage(text=_SAID_LIVE)])
    changes: dict[str, object] = {"caller": caller, "kind": None, "checks": [], "variations": [], "repeat": 1}
    return test.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class _SeatMark:
    messages: tuple[Message, ...]
    heard_upto: int
    searched: tuple[str, ...]
    call_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Mark:
    """The talk as it stood before a turn."""

    turn: int
    speaking: str
    spoken: tuple[Spoken, ...]
    seats: Mapping[str, _SeatMark]
    lines: int
    warnings: int
    desk: DeskMark
    fired: Fired


class Conversation:
    """One talk with the agent of a plan. The plan's own caller and checks play no part.

    `end` says how the talk ended, once it has. After `say` or `open` was cancelled or failed, `is_broken_off` holds:
    take the turn back with `undo`, or `finish`.
    """

    def __init__(self, plan: Plan, ports: Ports, listen: Listener, stop: StopSignal) -> None:
        self._ports = ports
        self._recorder = Recorder(plan, ports.clock, listen)
        self._meter = Meter(ports, self._recorder, stop, plan.scope)
        self._stage = Stage(plan, ports, self._meter, self._recorder, Desk(plan, ports, self._meter))
        self._side = AgentSide(self._stage, plan.agent)
        self._marks: list[_Mark] = []
        self._opening: _Mark | None = None
        self.end: End | None = None
        self.is_broken_off = False

    @property
    def run(self) -> Run:
        """The run as it stands."""
        return self._recorder.run

    @property
    def plan(self) -> Plan:
        return self._stage.plan

    @property
    def agent(self) -> Agent:
        """Who is at the telephone now."""
        return self._side.agent

    @property
    def turns(self) -> int:
        """How many turns could be taken back."""
        return len(self._marks)

    @property
    def is_kept_elsewhere(self) -> bool:
        """Whether a remote agent keeps the talk itself: what it has heard cannot be taken back."""
        return any(seat.agent.remote is not None and seat.agent.remote.stateful for seat in self._stage.seats.values())

    async def open(self) -> None:
        """Turn 0: the agent's first words, where it speaks first.

        Raises:
            RunError: the agent could not answer; it may be asked again.
            Stopped: it was asked to stop.
        """
        refuse_realtime(self.plan.agent)
        if self._opening is None:
            await self._recorder.start()
            self._opening = self._mark()
        elif self.is_broken_off:
            self._go_back(self._opening)
        await self._play(self._greet)

    async def say(self, text: str) -> End | None:
        """One turn: the caller's words, and all that the agent does until it has answered them. How the talk ended,
        if it did.

        Raises:
            RunError: the agent could not answer.
            Stopped: it was asked to stop.
            ValueError: the talk is over, or broken off.
        """
        if self.end is not None or self.is_broken_off:
            raise ValueError("the talk is over or broken off: take the last turn back first")
        self._marks.append(self._mark())
        self._stage.turn += 1
        await self._play(lambda: self._turn(text))
        return self.end

    def undo(self) -> list[Line]:
        """Take back the last turn, also one that was broken off, and give its lines; none where there is no turn to
        take back. What it cost stays counted; tools that ran for real stay run.

        Raises:
            RunError: a remote agent keeps the talk itself, and has heard the turn.
        """
        if not self._marks:
            if self._opening is not None and self.is_broken_off:
                return self._go_back(self._opening)
            return []
        if self.is_kept_elsewhere and not self.is_broken_off:
            raise RunError(
                f"The agent {self.agent.name} lives elsewhere and keeps the talk itself: what it has heard cannot be "
                "taken back."
            )
        return self._go_back(self._marks.pop())

    async def tools(self) -> tuple[OfferedTool, ...]:
        """The tools of the agent at the telephone.

        Raises:
            RunError: an MCP server could not be asked which it has.
        """
        self._meter.allow(self.plan.limits.chat_seconds)
        seat = await self._stage.seat(self.agent)
        return tuple(seat.tools.values())

    async def follow(self, plan: Plan) -> None:
        """Go on by another plan: what was said stays, and the agents answer from here on as the new plan has them.

        Raises:
            RunError: an agent of the talk is not in the new plan, or cannot take part.
        """
        stage, side = self._stage, self._side
        refuse_realtime(plan.agent)
        before, seats = stage.plan, stage.seats
        plan = replace(plan, agent=_with_script_of(before.agent, plan.agent))
        self._meter.allow(plan.limits.chat_seconds)
        stage.plan, stage.seats = plan, {}
        try:
            speaking = _named(plan, side.agent.name)
            for name, seat in seats.items():
                if name != speaking.name and not any(other.name == name for other in _agents(plan)):
                    continue  # it has left the telephone, and its file
                _lay_down(await stage.seat(_named(plan, name)), _marked(seat))
        except BaseException:
            stage.plan, stage.seats = before, seats
            raise
        stage.desk.follow(plan)
        side.put_on(speaking)

    async def finish(self, error: str | None = None, *, stopped: bool = False) -> Run:
        """Close the run: `error` where the talk could not go on, `stopped` where somebody ended it from outside."""
        if error is not None:
            return await self._recorder.finish("error", "error", error)
        if stopped:
            return await self._recorder.finish("cancelled", "stopped")
        end = self.end or End("caller_hung_up")
        self.run.end_detail = end.detail
        return await self._recorder.finish("passed", end.by)

    async def close(self) -> None:
        """Let go of what was opened for the talk."""
        await self._ports.tools.close(self.plan.run_id)
        await self._ports.remote.close(self.plan.run_id)

    # One turn

    async def _play(self, turn: _Turn) -> None:
        # Nobody counts how long a person thinks: each turn has the time of a whole talk.
        seconds = self.plan.limits.chat_seconds
        self._meter.allow(seconds)
        self.is_broken_off = True
        await self._recorder.start_turn(self._stage.turn)
        try:
            end = await turn()
        except OutOfTime:
            raise RunError(f"The agent had not answered after {seconds:g} seconds.") from None
        self.is_broken_off = False
        # A reply that stops at the tools it picks (a dry run) ends a test; a person may go on from there.
        self.end = None if end is not None and end.by == "replied" else end

    async def _greet(self) -> End | None:
        return await self._side.greet()

    async def _turn(self, text: str) -> End | None:
        await speak(self._stage, CallerWords(text))
        return await self._side.answer()

    # Going back

    def _mark(self) -> _Mark:
        stage = self._stage
        return _Mark(
            turn=stage.turn,
            speaking=self._side.agent.name,
            spoken=tuple(stage.spoken),
            seats={name: _marked(seat) for name, seat in stage.seats.items()},
            lines=len(self.run.transcript),
            warnings=len(self.run.warnings),
            desk=stage.desk.mark(),
            fired=self._meter.mark(),
        )

    def _go_back(self, mark: _Mark) -> list[Line]:
        stage = self._stage
        stage.turn = mark.turn
        stage.spoken[:] = mark.spoken
        for name, seat in list(stage.seats.items()):
            if name in mark.seats:
                _lay_down(seat, mark.seats[name])
            else:
                del stage.seats[name]
        stage.desk.go_back(mark.desk)
        self._meter.go_back(mark.fired)
        # A plan that came since may lack the agent that spoke then: the tested one is always there.
        speaking = next((agent for agent in _agents(self.plan) if agent.name == mark.speaking), self.plan.agent)
        self._side.put_on(speaking)
        self.end, self.is_broken_off = None, False
        return self._recorder.take_back(mark.lines, mark.warnings)


_Turn: TypeAlias = Callable[[], Awaitable[End | None]]


def _marked(seat: Seat) -> _SeatMark:
    return _SeatMark(tuple(seat.messages), seat.heard_upto, tuple(seat.searched), frozenset(seat.call_ids))


def _lay_down(seat: Seat, mark: _SeatMark) -> None:
    """Let a seat know of the talk what it knew at the mark, and no more."""
    seat.messages[:] = mark.messages
    seat.heard_upto = mark.heard_upto
    seat.searched[:] = mark.searched
    seat.call_ids = set(mark.call_ids)


def _agents(plan: Plan) -> tuple[Agent, ...]:
    return (plan.agent, *plan.others.values())


def _named(plan: Plan, name: str) -> Agent:
    for agent in _agents(plan):
        if agent.name == name:
            return agent
    raise RunError(f"The agent {name}, who is at the telephone, is not there any more: begin a new talk.")


def _with_script_of(before: Agent, after: Agent) -> Agent:
    # Which rules of a script have fired is known by the very script: an equal one counts on.
    if before.llm is not None and before.llm == after.llm:
        return after.model_copy(update={"llm": before.llm})
    return after
