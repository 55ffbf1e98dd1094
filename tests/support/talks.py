"""Playing a talk in a test: a clock that stands still, brains written as functions, and tools that remember."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from greenroom.brains.scripted import ScriptedBrain
from greenroom.engine import Plan, Ports, never, play_test
from greenroom.model.agent import Agent, Knowledge
from greenroom.model.case import Test
from greenroom.model.events import Event
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.run import AgentLine, CallerLine, Run, ToolLine
from greenroom.model.talk import Brain, BrainReply, BrainRequest, ToolCall, ToolOffer, Usage
from greenroom.play.ports import Passage, RealCall, RemoteAgents, RemoteReply, RemoteRequest, StopSignal, ToolAnswer


class StillClock:
    """A clock that moves only when somebody sleeps or a test moves it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 9, 0, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def elapsed(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        await asyncio.sleep(0)


class FunctionBrain:
    """A brain written as a function of the request; keeps every request that it got."""

    def __init__(self, answer: Callable[[BrainRequest], str | BrainReply]) -> None:
        self._answer = answer
        self.requests: list[BrainRequest] = []

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, BrainReply):
            return answer
        return BrainReply(text=answer, usage=Usage(input_tokens=10, output_tokens=5))

    def of(self, role: str) -> list[BrainRequest]:
        return [request for request in self.requests if request.role == role]


@dataclass
class RememberingTools:
    """Tools that note each real call and answer as they were told."""

    answers: dict[str, ToolAnswer] = field(default_factory=dict)
    offered: tuple[ToolOffer, ...] = ()
    calls: list[RealCall] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    async def offers(self, run_id: str, agent: Agent) -> tuple[ToolOffer, ...]:
        return self.offered

    async def call(self, call: RealCall) -> ToolAnswer:
        self.calls.append(call)
        return self.answers.get(call.tool, ToolAnswer({"ok": True}))

    async def close(self, run_id: str) -> None:
        self.closed.append(run_id)


class NoRemotes:
    """No agents elsewhere: reaching one is a bug."""

    async def reply(self, request: RemoteRequest, *, seconds_left: float) -> RemoteReply:
        raise AssertionError("a remote agent was asked")

    async def close(self, run_id: str) -> None:
        return None


class FunctionRemote:
    """A remote agent written as a function of the request; keeps every request that it got."""

    def __init__(self, answer: Callable[[RemoteRequest], str | RemoteReply]) -> None:
        self._answer = answer
        self.requests: list[RemoteRequest] = []

    async def reply(self, request: RemoteRequest, *, seconds_left: float) -> RemoteReply:
        self.requests.append(request)
        answer = self._answer(request)
        return RemoteReply(answer) if isinstance(answer, str) else answer

    async def close(self, run_id: str) -> None:
        return None


class PlainSearch:
    """Finds the documents that hold a word of the query."""

    async def search(self, knowledge: Knowledge, query: str, limit: int) -> tuple[Passage, ...]:
        wanted = query.lower().split()
        found = [d for d in knowledge.documents if any(word in d.text.lower() for word in wanted)]
        return tuple(Passage(document.name, document.text, 1.0) for document in found[:limit])


SCRIPT_NOBODY: list[dict[str, Any]] = [{"say": "Yes."}]


def make_agent(script: list[dict[str, Any]] | None = None, **fields: Any) -> Agent:
    """An agent with a scripted brain."""
    fields.setdefault("name", "Front desk")
    fields.setdefault("prompt", "You answer the phone.")
    fields.setdefault("greeting", "Front desk, hello.")
    fields.setdefault("llm", {"model": "scripted:test", "script": script or SCRIPT_NOBODY})
    return Agent.model_validate(fields)


def make_test(*messages: str, **fields: Any) -> Test:
    """A test with these fixed messages, or with the caller given."""
    fields.setdefault("name", "A talk")
    fields.setdefault("caller", {"messages": list(messages)} if messages else {"persona": "Ravi, a regular."})
    return Test.model_validate(fields)


@dataclass
class Played:
    """A run that was played, with what happened on the way."""

    run: Run
    events: list[Event]
    clock: StillClock
    tools: RememberingTools

    @property
    def said(self) -> list[tuple[str, str]]:
        """Role and text of all spoken lines."""
        return [(line.role, line.text) for line in self.run.transcript if not isinstance(line, ToolLine)]

    @property
    def agent_lines(self) -> list[AgentLine]:
        return [line for line in self.run.transcript if isinstance(line, AgentLine)]

    @property
    def caller_lines(self) -> list[CallerLine]:
        return [line for line in self.run.transcript if isinstance(line, CallerLine)]

    @property
    def tool_lines(self) -> list[ToolLine]:
        return [line for line in self.run.transcript if isinstance(line, ToolLine)]


async def play(
    agent: Agent,
    test: Test,
    *,
    brain: Brain | None = None,
    others: Mapping[str, Agent] | None = None,
    tools: RememberingTools | None = None,
    remote: RemoteAgents | None = None,
    stop: StopSignal = never,
    limits: Limits | None = None,
    clock: StillClock | None = None,
    seed: int = 0,
    force_primary_failure: bool = False,
) -> Played:
    """Play one run with everything in memory."""
    events: list[Event] = []
    used_clock, used_tools = clock or StillClock(), tools or RememberingTools()

    async def listen(event: Event) -> None:
        events.append(event)

    plan = Plan(
        run_id="run_1",
        test=test,
        agent=agent,
        others=others or {},
        seed=seed,
        limits=limits or Limits(),
        force_primary_failure=force_primary_failure,
    )
    ports = Ports(
        brain=brain or ScriptedBrain(),
        tools=used_tools,
        knowledge=PlainSearch(),
        remote=remote or NoRemotes(),
        clock=used_clock,
    )
    run = await play_test(plan, ports, listen, stop)
    return Played(run, events, used_clock, used_tools)


def tool_call(name: str, arguments: str = "{}", id: str = "c1") -> ToolCall:
    return ToolCall(id=id, name=name, arguments=arguments)


def real_llm(name: str = "any") -> Llm:
    return Llm(model=f"openai:{name}")
