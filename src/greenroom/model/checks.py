"""The checks that a test can make, as data. How each is graded is decided in `greenroom.grade`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from greenroom.model.agent import Component
from greenroom.model.base import Json, Written

EndedBy = Literal[
    "agent_hung_up",
    "caller_hung_up",
    "turns_ran_out",
    "time_ran_out",
    "transferred",
    "rescheduled",
    "script_ended",
    "replied",
    "error",
    "stopped",
]
Where = Literal["any", "last", "first"]
Text = Annotated[str, Field(min_length=1)]


class _Check(Written):
    required: bool = True


class Says(_Check):
    """An agent line contains `text`. Capitals, spacing and Unicode form do not count."""

    type: Literal["says"] = "says"
    text: Text
    where: Where = "any"


class NeverSays(_Check):
    """No agent line contains `text`."""

    type: Literal["never_says"] = "never_says"
    text: Text
    where: Where = "any"


class _Pattern(_Check):
    pattern: Text
    where: Where = "any"


class Matches(_Pattern):
    """An agent line matches `pattern` (RE2 syntax, searched without regard to case)."""

    type: Literal["matches"] = "matches"


class NeverMatches(_Pattern):
    """No agent line matches `pattern`."""

    type: Literal["never_matches"] = "never_matches"


class CallsTool(_Check):
    """The agent ran `tool`: with these arguments present (a list of names), or equal to these (an object).

    `match` is how values are compared: `exact` (text trimmed, without regard to case; numbers by value), `regex`, or
    `judge` (by meaning). `times` is exactly how often it must have run; absent, at least once. `expect_planned`
    counts the planned calls of a dry run.
    """

    type: Literal["calls_tool"] = "calls_tool"
    tool: Text
    arguments: list[str] | dict[str, Json] | None = None
    match: Literal["exact", "judge", "regex"] = "exact"
    times: Annotated[int, Field(ge=0)] | None = None
    expect_planned: bool = False


class NeverCallsTool(_Check):
    """The agent never ran `tool`."""

    type: Literal["never_calls_tool"] = "never_calls_tool"
    tool: Text


class ToolOrder(_Check):
    """These tools ran in this order; others may stand between."""

    type: Literal["tool_order"] = "tool_order"
    tools: Annotated[list[Text], Field(min_length=1)]


class EndsCall(_Check):
    """The agent hung up itself."""

    type: Literal["ends_call"] = "ends_call"


class EndedByCheck(_Check):
    """The talk ended in one of these ways."""

    type: Literal["ended_by"] = "ended_by"
    any_of: Annotated[list[EndedBy], Field(min_length=1)]

    @field_validator("any_of", mode="before")
    @classmethod
    def _read_one(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


class HandsOffTo(_Check):
    """The talk moved to this agent (its name or id)."""

    type: Literal["hands_off_to"] = "hands_off_to"
    agent: Text


class Grounded(_Check):
    """The last reply is carried by the agent's knowledge."""

    type: Literal["grounded"] = "grounded"


class Components(_Check):
    """The last reply carries these cards."""

    type: Literal["components"] = "components"
    any_of: list[Component] = Field(default_factory=list[Component])
    all_of: list[Component] = Field(default_factory=list[Component])

    @model_validator(mode="after")
    def _asks_for_some(self) -> Components:
        if not (self.any_of or self.all_of):
            raise ValueError("name the cards in `any_of` or `all_of`")
        return self


class MaxWords(_Check):
    """Every agent line has at most `max` words."""

    type: Literal["max_words"] = "max_words"
    max: Annotated[int, Field(ge=1)]


class MaxLatency(_Check):
    """Every reply came within `max` milliseconds."""

    type: Literal["max_latency_ms"] = "max_latency_ms"
    max: Annotated[int, Field(ge=1)]


class MaxTurnsUsed(_Check):
    """The talk took at most `max` caller turns."""

    type: Literal["max_turns_used"] = "max_turns_used"
    max: Annotated[int, Field(ge=0)]


class Language(_Check):
    """Every agent line long enough to tell is in this language (an ISO 639-1 code)."""

    type: Literal["language"] = "language"
    code: Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")]


class JudgeCheck(_Check):
    """The judge answers yes to `question`."""

    type: Literal["judge"] = "judge"
    question: Text


class Criterion(_Check):
    """The scorecard says that `text` is met."""

    type: Literal["criterion"] = "criterion"
    text: Text


class ReplyMeets(_Check):
    """The judge says that the last reply meets `criteria`."""

    type: Literal["reply_meets"] = "reply_meets"
    criteria: Text


Check = Annotated[
    Says
    | NeverSays
    | Matches
    | NeverMatches
    | CallsTool
    | NeverCallsTool
    | ToolOrder
    | EndsCall
    | EndedByCheck
    | HandsOffTo
    | Grounded
    | Components
    | MaxWords
    | MaxLatency
    | MaxTurnsUsed
    | Language
    | JudgeCheck
    | Criterion
    | ReplyMeets,
    Field(discriminator="type"),
]


def needs_judge(check: Check) -> bool:
    """Whether a check can only be settled by asking a model (a `calls_tool` by meaning may not need to)."""
    return isinstance(check, JudgeCheck | Criterion | ReplyMeets) or (
        isinstance(check, CallsTool) and check.match == "judge"
    )
