"""What is told at this door."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from greenroom.model.base import Json
from greenroom.server.doors.dvaarik.schemas import Check
from greenroom.server.wire import Time, Told

Status = Literal["queued", "running", "passed", "failed", "error", "cancelled"]
EndedBy = Literal["agent_hung_up", "caller_hung_up", "turns_ran_out", "transferred", "error", "stopped"]
Source = Literal["canned", "webhook", "engine", "refused", "knowledge", "mcp", "handoff"]


class AgentLine(Told):
    """Words of an agent."""

    role: Literal["agent"]
    turn: int
    agent: str
    text: str
    truncated: bool
    fallback: bool


class CallerLine(Told):
    """Words of the caller."""

    role: Literal["caller"]
    turn: int
    text: str
    truncated: bool


class ToolLine(Told):
    """A tool call and its answer; `reason` is there where it failed."""

    role: Literal["tool"]
    turn: int
    agent: str
    name: str
    arguments: Json
    result: Json
    source: Source
    reason: str | None = None


Line = Annotated[AgentLine | CallerLine | ToolLine, Field(discriminator="role")]


class CheckResult(Told):
    """A check, and whether it held; `passed` is `null` where it was not graded."""

    type: str
    text: str | None = None
    tool: str | None = None
    arguments: list[str] | None = None
    question: str | None = None
    passed: bool | None
    detail: str


class RunShort(Told):
    """A run without its transcript."""

    id: str
    agent_id: str
    test_id: str | None
    test_name: str
    status: Status
    ended_by: EndedBy | None
    detail: str | None
    error: str | None
    passed_checks: int
    total_checks: int
    input_tokens: int
    output_tokens: int
    provider: str | None
    model: str | None
    agent_version: int | None
    overrides_used: bool
    force_primary_failure: bool
    cancel_requested_at: Time | None
    created_at: Time
    started_at: Time | None
    finished_at: Time | None


class RunWhole(RunShort):
    """A run with all that it carries."""

    transcript: list[Line]
    check_results: list[CheckResult]
    warnings: list[str]


class RunsTold(Told):
    """Runs that were started or stopped."""

    runs: list[RunShort]


class RunPage(RunsTold):
    """A page of runs, the newest first. `next_cursor` leads to the next one."""

    next_cursor: str | None


class TestTold(Told):
    """A test."""

    __test__ = False

    id: str
    agent_id: str
    name: str
    caller_persona: str
    opening_line: str | None
    max_turns: int
    variables: dict[str, str]
    tool_results: dict[str, Json]
    use_real_tool_webhook: bool
    checks: list[Check]
    last_run: RunShort | None
    created_at: Time
    updated_at: Time


class TestsTold(Told):
    """All tests of an agent, in the order in which they were made."""

    __test__ = False

    tests: list[TestTold]


class Refused(BaseModel):
    """Why a request was not carried out, in one sentence."""

    detail: str


class WrongField(BaseModel):
    """One wrong field. `field` is `null` for the body as a whole."""

    loc: list[str | int]
    msg: str
    type: str
    field: str | None
    message: str


class Unprocessable(BaseModel):
    """An item for each wrong field, or one sentence."""

    detail: str | list[WrongField]


_SENTENCES = {
    401: "No key or session, or one that opens nothing.",
    402: "The project's budget does not reach.",
    403: "The key or role lacks the scope, or the account is suspended.",
    404: "There is no such thing in this project.",
    409: "Not in this state, or not at this moment.",
    413: "The body is too large.",
    429: "Too many requests in this minute.",
    503: "The database does not answer at the moment.",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    **{status: {"model": Refused, "description": words} for status, words in _SENTENCES.items()},
    422: {"model": Unprocessable, "description": "What is wrong with the request."},
}
