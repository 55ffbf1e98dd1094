"""What a talk needs of the outside, beside a model: tools, knowledge, time, somebody to tell, and a way to stop.

Every answer is plain data, so that whoever calls the engine may make each call a remembered step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from greenroom.model.agent import Agent, Knowledge
from greenroom.model.base import Json
from greenroom.model.errors import OutOfTime
from greenroom.model.events import Event
from greenroom.model.run import Reason
from greenroom.model.talk import Message, ToolCall, ToolOffer, Usage

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class RealCall:
    """A tool call that is to reach the outside. `arguments` fit the tool's schema. `tool` is the name that the agent
    sees (`server__tool` for an MCP tool); `scope` says which playing of which test calls."""

    run_id: str
    call_id: str
    agent: Agent
    tool: str
    kind: Literal["webhook", "http", "mcp"]
    arguments: dict[str, Json]
    variables: Mapping[str, str]
    test_header: str = "X-Greenroom-Test"
    seconds: float = 10.0
    max_bytes: int = 65_536
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What came back. Where `ok` is false, `reason` is a stable code and `result` is what the model is told. `status`
    is the HTTP status of an answer that came over HTTP."""

    result: Json
    ok: bool = True
    reason: Reason | None = None
    latency_ms: int = 0
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document that was found for a query. The higher the `score` (at least 0), the better."""

    document: str
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class RemoteRequest:
    """What a remote agent is asked. `messages` is the talk so far, ending with what it is to answer: the caller's
    words, or results of the calls it asked for; empty where the agent is to open the talk. `new_message` is the
    caller's words where they come last. `prompt` is the agent's own, rendered, and may be empty."""

    run_id: str
    session_id: str
    agent: Agent
    prompt: str
    variables: Mapping[str, str]
    messages: tuple[Message, ...]
    new_message: str
    tools: tuple[ToolOffer, ...] = ()
    test_header: str = "X-Greenroom-Test"
    scope: str = ""


@dataclass(frozen=True, slots=True)
class RemoteCall:
    """A tool that a remote agent ran by itself, as far as its protocol shows it."""

    name: str
    arguments: Json = None
    result: Json = None


@dataclass(frozen=True, slots=True)
class RemoteReply:
    """A remote agent's answer. `calls` are to be answered by us before it goes on; `done` are tools that it ran by
    itself; `ended`: it hung up; `was_cut`: its own length limit stopped it. `usage` and `model` are given where the
    protocol shows them."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    done: tuple[RemoteCall, ...] = ()
    ended: bool = False
    was_cut: bool = False
    usage: Usage | None = None
    model: str | None = None
    latency_ms: int = 0


class RemoteAgents(Protocol):
    """The agents that live elsewhere."""

    async def reply(self, request: RemoteRequest, *, seconds_left: float) -> RemoteReply:
        """Ask a remote agent.

        Raises:
            RunError: it failed; one sentence for the user, without secrets. A failure is never an empty reply.
        """
        ...

    async def close(self, run_id: str) -> None:
        """Let go of a run's session."""
        ...


class RealTools(Protocol):
    """The tools that reach the outside."""

    async def offers(self, run_id: str, agent: Agent) -> tuple[ToolOffer, ...]:
        """The tools of the agent's MCP servers, under the names that the agent sees (`server__tool`).

        Raises:
            RunError: a server could not be asked; one sentence.
        """
        ...

    async def call(self, call: RealCall) -> ToolAnswer:
        """Call a tool for real. A failure of the other side is an answer with `ok=False`, never an exception."""
        ...

    async def close(self, run_id: str) -> None:
        """Let go of what was opened for a run."""
        ...


class KnowledgeSearch(Protocol):
    """Search in an agent's knowledge; read-only."""

    async def search(self, knowledge: Knowledge, query: str, limit: int) -> tuple[Passage, ...]:
        """The best passages for `query`, best first, at most `limit`; none where nothing fits."""
        ...


class Clock(Protocol):
    """Time, so that tests can stand still and a durable caller can remember it."""

    def now(self) -> datetime:
        """The time of day, with a time zone."""
        ...

    def elapsed(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Patience(Protocol):
    """How a run waits for what may take too long. A durable caller, whose ports keep the limit themselves and remember
    that it passed, only waits."""

    async def __call__(self, work: Awaitable[Answer], seconds: float, /) -> Answer:
        """Wait for `work`, but no longer than `seconds`.

        Raises:
            OutOfTime: the time passed first.
        """
        ...


async def wait_in_real_time(work: Awaitable[Answer], seconds: float, /) -> Answer:
    """Wait for `work`, but no longer than `seconds` by the event loop's clock.

    Raises:
        OutOfTime: the time passed first.
    """
    limit = asyncio.timeout(max(seconds, 0))
    try:
        async with limit:
            return await work
    except TimeoutError:
        if limit.expired():
            raise OutOfTime("The time limit passed.") from None
        raise


class Listener(Protocol):
    """Told of each event, in order, before the run goes on."""

    async def __call__(self, event: Event, /) -> None: ...


class StopSignal(Protocol):
    """Asked before each model request."""

    async def __call__(self) -> bool: ...
