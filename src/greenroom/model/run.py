"""The run: one playing of a test, its transcript and its verdict."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from greenroom.model.agent import Component
from greenroom.model.base import Json, Recorded
from greenroom.model.case import Kind
from greenroom.model.checks import Check, EndedBy
from greenroom.model.llm import Role

SCHEMA_VERSION = 1

Status = Literal["queued", "running", "passed", "failed", "error", "cancelled"]
Source = Literal["canned", "webhook", "mcp", "knowledge", "engine", "handoff", "recorded", "planned", "refused"]
Reason = Literal[
    "bad_arguments",
    "timeout",
    "unreachable",
    "bad_status",
    "bad_body",
    "too_large",
    "blocked_address",
    "tool_error",
    "unknown_tool",
    "not_allowed",
]
Grounding = Literal["known", "unknown", "none"]
Dollars = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]

RAN: frozenset[Source] = frozenset({"canned", "webhook", "mcp", "knowledge", "engine", "handoff", "recorded"})
NOT_ANSWERED: frozenset[Reason] = frozenset({"timeout", "unreachable", "blocked_address"})


class Card(Recorded):
    """A card beside a reply: its kind and what it shows."""

    kind: Component
    data: dict[str, Json] = Field(default_factory=dict[str, Json])


class _Line(Recorded):
    turn: int
    at_ms: int = 0
    """When the line was complete, in milliseconds since the run started."""
    from_history: bool = False
    """The line was laid down before the talk; checks on the agent pass it over."""


class AgentLine(_Line):
    """Words of the agent's. `latency_ms` is how long the caller waited for them."""

    role: Literal["agent"] = "agent"
    agent: str
    text: str
    latency_ms: int | None = None
    truncated: bool = False
    fallback: bool = False
    refused: bool = False
    components: list[Card] = Field(default_factory=list[Card])
    grounding: Grounding | None = None
    knowledge_chunks_used: int = 0


class CallerLine(_Line):
    """Words of the caller's: `text` as the agent got them, `said` as they were before speech noise."""

    role: Literal["caller"] = "caller"
    text: str
    said: str | None = None
    truncated: bool = False
    caller_slip: bool = False


class ToolLine(_Line):
    """A tool call of the agent's and its answer. `arguments` is the raw text where it was not valid."""

    role: Literal["tool"] = "tool"
    agent: str
    name: str
    arguments: Json = None
    result: Json = None
    source: Source
    reason: Reason | None = None
    latency_ms: int = 0

    @property
    def ran(self) -> bool:
        """Whether the call counts as run: answered by the test or by its real server (a failure is an answer too),
        and not refused, planned, blocked or malformed."""
        if self.reason == "bad_arguments" or self.source not in RAN:
            return False
        return self.source == "canned" or self.reason not in NOT_ANSWERED


Line = Annotated[AgentLine | CallerLine | ToolLine, Field(discriminator="role")]


class RoleUsage(Recorded):
    """What one model cost in one role. `cost_usd` is `None` where the price is not known."""

    role: Role
    provider: str
    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: Dollars | None = Decimal(0)
    estimated: bool = False


class CheckResult(Recorded):
    """A check and what became of it. `passed` is `None` when it was not graded. `line` is the index in the
    transcript of the line that it rests on."""

    check: Check
    passed: bool | None = None
    detail: str = ""
    turn: int | None = None
    line: int | None = None
    quote: str | None = None
    quote_verified: bool | None = None
    votes: str | None = None
    """With several judges, how they split, for example `2 of 3`."""


class Scorecard(Recorded):
    """What the scorecard says of the whole talk: 0 to 100, and what to change in the prompt."""

    score: int
    summary: str


class Run(Recorded):
    """One playing of a test."""

    schema_version: int = SCHEMA_VERSION
    id: str
    test: str
    test_id: str | None = None
    kind: Kind
    variation: str | None = None
    repeat_index: int = 0
    agent: str
    agent_id: str | None = None
    agent_version: int | None = None
    variant: str | None = None
    tags: list[str] = Field(default_factory=list[str])
    status: Status = "queued"
    ended_by: EndedBy | None = None
    end_detail: str | None = None
    error: str | None = None
    transcript: list[Line] = Field(default_factory=list[Line])
    checks: list[CheckResult] = Field(default_factory=list[CheckResult])
    scorecard: Scorecard | None = None
    reason_language: str | None = None
    usage: list[RoleUsage] = Field(default_factory=list[RoleUsage])
    warnings: list[str] = Field(default_factory=list[str])
    overrides_used: bool = False
    force_primary_failure: bool = False
    cancel_requested_at: datetime | None = None
    policy: str = "native"
    seed: int = 0
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.status in ("passed", "failed", "error", "cancelled")

    @property
    def turns(self) -> int:
        """How many caller turns were played."""
        return sum(1 for line in self.transcript if line.role == "caller" and not line.from_history)

    @property
    def title(self) -> str:
        """The test's name, with the variation and the number of the repeat where there are any."""
        name = f"{self.test} [{self.variation}]" if self.variation else self.test
        return f"{name} #{self.repeat_index + 1}" if self.repeat_index else name

    @property
    def cost_usd(self) -> Decimal | None:
        """The whole cost; `None` when the price of any model asked is not known."""
        costs = [entry.cost_usd for entry in self.usage]
        if any(cost is None for cost in costs):
            return None
        return sum((cost for cost in costs if cost is not None), Decimal(0))

    @property
    def known_cost_usd(self) -> Decimal:
        """The part of the cost whose price is known."""
        return sum((entry.cost_usd for entry in self.usage if entry.cost_usd is not None), Decimal(0))

    def tokens(self, role: Role | None = None) -> tuple[int, int]:
        """Input and output tokens, of one role or of all."""
        entries = [entry for entry in self.usage if role is None or entry.role == role]
        return sum(e.input_tokens for e in entries), sum(e.output_tokens for e in entries)
