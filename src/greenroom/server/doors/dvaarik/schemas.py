"""What is asked at this door. Numbers and texts are taken as they are written: `"6"` is no number."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

MOST_TESTS = 50
MOST_AT_ONCE = 6
MOST_TURNS = 12
MOST_CHECKS = 10
MOST_JUDGED = 5
PERSONA_CHARACTERS = 2000
CANNED_CHARACTERS = 2000


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is required")
    return text


def _short(value: Any) -> Any:
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) > CANNED_CHARACTERS:
        raise ValueError(f"can have at most {CANNED_CHARACTERS:,} characters of JSON")
    return value


Filled = AfterValidator(_filled)
Canned = Annotated[Any, AfterValidator(_short)]  # any JSON: it was read as JSON before
Variables = dict[str, str | int | float | bool]


class Asked(BaseModel):
    """A part of a body: of the types that are written here, and with no other fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Says(Asked):
    """Any reply of the agent contains the text."""

    type: Literal["says"]
    text: Annotated[str, Field(max_length=200), Filled]


class NeverSays(Asked):
    """No reply of the agent contains the text."""

    type: Literal["never_says"]
    text: Annotated[str, Field(max_length=200), Filled]


class CallsTool(Asked):
    """The agent ran the tool, with each of these arguments where there are any."""

    type: Literal["calls_tool"]
    tool: Annotated[str, Field(max_length=200), Filled]
    arguments: Annotated[list[Annotated[str, Field(max_length=200), Filled]], Field(max_length=10)] | None = None


class NeverCallsTool(Asked):
    """The agent never ran the tool."""

    type: Literal["never_calls_tool"]
    tool: Annotated[str, Field(max_length=200), Filled]


class EndsCall(Asked):
    """The agent hung up itself."""

    type: Literal["ends_call"]


class JudgeCheck(Asked):
    """The model reads the talk and answers yes."""

    type: Literal["judge"]
    question: Annotated[str, Field(max_length=300), Filled]


Check = Annotated[Says | NeverSays | CallsTool | NeverCallsTool | EndsCall | JudgeCheck, Field(discriminator="type")]


class TestBody(Asked):
    """A test: who calls, what is prepared, what must hold."""

    __test__ = False

    name: Annotated[str, Field(max_length=200), Filled]
    caller_persona: Annotated[str, Field(max_length=PERSONA_CHARACTERS), Filled]
    opening_line: Annotated[str, Field(max_length=500)] | None = None
    max_turns: Annotated[int, Field(ge=1, le=MOST_TURNS)] = 6
    variables: Variables = Field(default_factory=dict)
    tool_results: Annotated[dict[str, Canned], Field(max_length=20)] = Field(default_factory=dict)
    use_real_tool_webhook: bool = False
    checks: Annotated[list[Check], Field(max_length=MOST_CHECKS)] = Field(default_factory=list[Check])

    @field_validator("checks")
    @classmethod
    def _has_few_judges(cls, checks: list[Check]) -> list[Check]:
        if sum(isinstance(check, JudgeCheck) for check in checks) > MOST_JUDGED:
            raise ValueError(f"can have at most {MOST_JUDGED} of the type judge")
        return checks


class Overrides(Asked):
    """What the agent is to be in these runs alone. What is not given stays as it is saved."""

    prompt: Annotated[str, Filled] = ""
    greeting: str | None = None
    variables: Variables = Field(default_factory=dict)
    tools: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])  # what is in them, the agent's rules say


class RunBody(Asked):
    """How a test is to be run."""

    overrides: Overrides | None = None
    force_primary_failure: bool = False


class RunAllBody(RunBody):
    """How tests are to be run: all of the agent, or those that are named."""

    test_ids: Annotated[list[str], Field(min_length=1, max_length=MOST_AT_ONCE)] | None = None


TEST_EXAMPLE: dict[str, Any] = {
    "name": "Cancels a visit",
    "caller_persona": "Meera, a patient. She wants to cancel Thursday's cleaning and is polite about it.",
    "opening_line": "Hello, I have to cancel.",
    "max_turns": 4,
    "variables": {"company": "Northline Dental"},
    "tool_results": {"cancel_visit": {"ok": True}},
    "checks": [
        {"type": "calls_tool", "tool": "cancel_visit"},
        {"type": "judge", "question": "Did the agent offer another day?"},
    ],
}
RUN_EXAMPLE: dict[str, Any] = {"overrides": {"greeting": "Good morning, Northline Dental."}}
