"""What is asked at this door. Numbers and texts are taken as they are written: `"8"` is no number."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
)
from pydantic_core import PydanticCustomError

from greenroom.server.doors.evasay.policy import MOST_LINES, MOST_TURNS, SCENARIO_CHARACTERS

CRITERIA_CHARACTERS = 4000
LINE_CHARACTERS = 4000
USUAL_TURNS = 8
MOST_DRAFTS = 10

Type = Literal["simulation", "next_reply", "tool_call"]
Language = Literal["en", "zh"]
TYPES: tuple[Type, ...] = ("simulation", "next_reply", "tool_call")
READ_ONLY = frozenset({"id", "agent_id", "created_at", "updated_at"})
"""What an answer adds to a test. Sent back, it changes nothing."""
_OF_SOME_TYPES = frozenset({"scenario", "success_criteria", "max_turns", "chat_history", "expected_tool"})


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("string_too_short", "It is empty")
    return text


Filled = AfterValidator(_filled)
NotLong = Annotated[str, Field(min_length=1, max_length=200), Filled]


class Asked(BaseModel):
    """A part of a body: of the types that are written here, and with no other fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ChatLine(Asked):
    """One line of the talk before the reply that is tested."""

    role: Literal["caller", "agent"]
    text: Annotated[str, Field(min_length=1, max_length=LINE_CHARACTERS), Filled]


class ExpectedTool(Asked):
    """The call that the agent must make: a function of its own, or `end_call`, `transfer_call`, `handoff_to_agent`."""

    name: NotLong
    arguments: dict[str, Any] = Field(default_factory=dict)
    match: Literal["exact", "judge"] = "exact"


def _ends_with_the_caller(lines: list[ChatLine]) -> list[ChatLine]:
    if lines[-1].role != "caller":
        raise ValueError("`chat_history` ends with the caller, whose last line the agent is to answer")
    return lines


Chat = Annotated[list[ChatLine], Field(min_length=1, max_length=MOST_LINES), AfterValidator(_ends_with_the_caller)]
Criteria = Annotated[str, Field(min_length=1, max_length=CRITERIA_CHARACTERS), Filled]
Scenario = Annotated[str, Field(min_length=1, max_length=SCENARIO_CHARACTERS), Filled]
Turns = Annotated[int, Field(ge=1, le=MOST_TURNS)]


class Simulation(Asked):
    """A whole call."""

    type: Literal["simulation"] = "simulation"
    name: NotLong
    scenario: Scenario
    success_criteria: Criteria
    max_turns: Turns | None = None


class NextReply(Asked):
    """One reply, and what it must meet."""

    type: Literal["next_reply"]
    name: NotLong
    chat_history: Chat
    success_criteria: Criteria


class ToolCall(Asked):
    """One reply, and what it must call."""

    type: Literal["tool_call"]
    name: NotLong
    chat_history: Chat
    expected_tool: ExpectedTool


def _without_what_is_told(data: dict[str, Any]) -> dict[str, Any]:
    """A body without what an answer adds: dates, ids, and `null` for what its type does not have."""
    return {
        name: value
        for name, value in data.items()
        if name not in READ_ONLY and not (value is None and name in _OF_SOME_TYPES)
    }


def _type_of(data: dict[str, Any]) -> str | None:
    kind = data.get("type", "simulation")
    return kind if isinstance(kind, str) else None


AnyTest: TypeAlias = Simulation | NextReply | ToolCall
TestBody = Annotated[
    Annotated[Simulation, Tag("simulation")]
    | Annotated[NextReply, Tag("next_reply")]
    | Annotated[ToolCall, Tag("tool_call")],
    Discriminator(_type_of),
    BeforeValidator(_without_what_is_told),
    Field(
        examples=[
            {
                "name": "Cancels a visit",
                "scenario": "Meera, a patient. She wants to cancel Thursday's cleaning and is polite about it.",
                "success_criteria": "Cancels Thursday's visit and offers another day.",
                "max_turns": 6,
            }
        ]
    ),
]
TEST_BODY: TypeAdapter[AnyTest] = TypeAdapter(TestBody)


class TestPatch(Asked):
    """What is to change in a test. `null` takes a value out; with another `type`, what that has not goes."""

    __test__ = False
    model_config = ConfigDict(json_schema_extra={"examples": [{"max_turns": 10}]})

    type: Type | None = None
    name: NotLong | None = None
    scenario: Scenario | None = None
    success_criteria: Criteria | None = None
    max_turns: Turns | None = None
    chat_history: Chat | None = None
    expected_tool: ExpectedTool | None = None


class RunsBody(Asked):
    """Which tests to run, all of them by default, and the language of the reasons."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason_language": "zh"}]})

    test_ids: Annotated[list[str], Field(min_length=1, max_length=1000)] | None = None
    reason_language: Language = "en"


class ToolBody(Asked):
    """What a function is called with."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"arguments": {"day": "Monday"}}]})

    arguments: dict[str, Any] = Field(default_factory=dict)


class GenerateBody(Asked):
    """Which tests to draft. Without `types`, of all types that fit the agent; without `language`, in the agent's."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"count": 2, "types": ["simulation"], "focus": "Visits that are moved"}]}
    )

    count: Annotated[int, Field(ge=1, le=MOST_DRAFTS)] = 5
    types: Annotated[list[Type], Field(min_length=1, max_length=len(TYPES))] | None = None
    focus: Annotated[str, Field(max_length=2000, pattern=r"^[^\x00]*$")] | None = None
    language: Language | None = None
    save: bool = False
