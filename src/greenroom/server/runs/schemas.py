"""What is asked and told about runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from greenroom.model.base import Json
from greenroom.model.case import HistoryLine, ToolMode
from greenroom.model.checks import EndedBy
from greenroom.model.run import CheckResult, Line, RoleUsage, Scorecard, Status
from greenroom.server.wire import Asked, Name, Time, Told

Target = Literal["draft", "published"] | Annotated[int, Field(ge=1)]
Overrides = dict[str, Json]


class Variant(Asked):
    """One of several states of the agent that are compared: `target` and `overrides` as for a run."""

    name: Name
    target: Target | None = None
    overrides: Overrides = Field(default_factory=dict)


class RunsWanted(Asked):
    """What to run. Without `test_ids`, `tags` and `tests`, every test of the agent."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"tags": ["booking"], "repeat": 3}, {"target": "draft", "wait": 30}]}
    )

    test_ids: Annotated[list[str], Field(min_length=1, max_length=1000)] | None = None
    tags: Annotated[list[str], Field(max_length=20)] = Field(default_factory=list)
    tests: Annotated[list[dict[str, Json]], Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="Tests that are not saved."
    )
    target: Target | None = Field(default=None, description="`draft`, `published`, or the number of a version.")
    overrides: Overrides = Field(
        default_factory=dict, description="Changes of the agent for these runs alone, as a JSON Merge Patch."
    )
    variants: Annotated[list[Variant], Field(max_length=10)] = Field(default_factory=list)
    repeat: Annotated[int, Field(ge=1, le=1000)] | None = None
    seed: int = 0
    force_primary_failure: bool = False
    reason_language: Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, description="The language of the judge's reasons in these runs; by default as each test says."
    )
    as_far_as_paid: bool = Field(
        default=False,
        description="Start as many as can be paid, in order, rather than none; the others are told in `not_started`.",
    )
    wait: Annotated[float, Field(ge=0, le=300)] = Field(default=0, description="Seconds to wait for the runs to end.")


class RunHead(Told):
    """A run without its transcript. `provider` and `model` are the agent's main brain. `cost` and `charged` are in the
    currency's unit; an unknown cost is `null`."""

    id: str = Field(examples=["run_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    batch_id: str
    agent_id: str
    agent_version: int | None
    agent: str
    provider: str | None
    model: str | None
    test_id: str | None
    test: str
    kind: str
    variation: str | None
    variant: str | None
    repeat_index: int
    tags: list[str]
    seed: int
    policy: str
    overrides_used: bool
    force_primary_failure: bool
    status: Status
    ended_by: EndedBy | None
    end_detail: str | None
    error: str | None
    passed_checks: int
    total_checks: int
    score: int | None
    input_tokens: int
    output_tokens: int
    cost: float | None
    charged: float
    cancel_requested_at: Time | None
    created_at: Time
    started_at: Time | None
    finished_at: Time | None


class RunWhole(RunHead):
    """A run with its transcript and its results. `reason_language` is the one that the judge's reasons were asked for
    in, where one was named."""

    schema_version: int
    transcript: list[Line]
    checks: list[CheckResult]
    scorecard: Scorecard | None
    reason_language: str | None
    usage: list[RoleUsage]
    warnings: list[str]


class NotStarted(Told):
    """A run that was wanted and could not be paid."""

    test_id: str | None
    test: str
    variation: str | None
    variant: str | None
    repeat_index: int


class BatchStarted(Told):
    """The runs that a request has started, and with `as_far_as_paid` those that could not be paid."""

    batch_id: str = Field(examples=["bat_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    runs: list[RunHead]
    not_started: list[NotStarted]


class Batch(Told):
    """A batch and its runs. `counts` says how many have each status."""

    id: str
    agent_id: str
    created_at: Time
    is_over: bool
    counts: dict[str, int]
    runs: list[RunHead]


class Stopped(Told):
    """Runs that were waiting and are cancelled, and runs that stop before their next request."""

    cancelled: list[str]
    stopping: list[str]


class ReplyWanted(Asked):
    """A talk so far, ending with the caller, to which the agent is to reply once."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"messages": [{"role": "caller", "text": "Are you open on Sunday?"}]}]}
    )

    messages: Annotated[list[HistoryLine], Field(min_length=1, max_length=200)]
    tools: ToolMode = Field(default="plan", description="How tool calls are answered.")
    tool_results: dict[str, Json] = Field(default_factory=dict)
    variables: dict[str, str] = Field(default_factory=dict)
    target: Target | None = None
    overrides: Overrides = Field(default_factory=dict)
    wait: Annotated[float, Field(gt=0, le=300)] = 60


class TryWanted(Asked):
    """A call of one tool, for real."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"arguments": {"day": "Monday"}}]})

    arguments: dict[str, Any] = Field(default_factory=dict, examples=[{"day": "Monday"}])
    variables: dict[str, str] = Field(default_factory=dict)
    target: Target | None = None


class Tried(Told):
    """What the tool answered. Where `ok` is false, `reason` is a stable code. `status` is the HTTP status of an answer
    that came over HTTP."""

    ok: bool
    status: int | None
    result: Json
    reason: str | None
    latency_ms: int
