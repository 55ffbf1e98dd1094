"""What is asked and told about drafting tests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from greenroom.drafting.draft import MOST_AT_ONCE
from greenroom.drafting.reading import DraftKind
from greenroom.model.case import HistoryLine
from greenroom.server.wire import Asked, Told

Line = Annotated[str, Field(max_length=2000, pattern=r"^[^\x00]*$")]


class DraftWish(Asked):
    """Which tests to draft: from the agent's prompt, or from a `transcript` of a real call, or from a failed run
    (`run_id`). With `save`, they are kept with the agent at once."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"count": 3, "focus": "callers who change their mind", "save": True},
                {"transcript": "Agent: Northline Dental.\nCaller: I must move my visit."},
                {"run_id": "run_01jq0m3v9a4n6r8t2w5y7z1b3d", "count": 2},
            ]
        }
    )

    count: int = Field(default=5, ge=1, le=MOST_AT_ONCE)
    kinds: list[DraftKind] = Field(
        default_factory=lambda: ["simulation"],
        min_length=1,
        max_length=4,
        description="`tool_call` is one reply that must call a tool, as a dry run.",
    )
    plain: bool = Field(
        default=False,
        description="Whether each test has a persona or a talk so far and one criterion, and nothing else. Then "
        "`language` is that of names and criteria alone.",
    )
    focus: Line | None = Field(default=None, description="What the tests are to be about.")
    language: Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")] | None = None
    transcript: Annotated[str, Field(min_length=1, max_length=500_000)] | list[HistoryLine] | None = Field(
        default=None, description="A real call: lines such as `Agent: …` and `Caller: …`, an export as JSON, or a list."
    )
    run_id: Annotated[str, Field(max_length=100)] | None = Field(default=None, description="A run that failed.")
    model: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="The model that drafts; by default the agent's judge, else its brain."
    )
    target: Literal["draft", "published"] | Annotated[int, Field(ge=1)] = Field(
        default="draft", description="Which state of the agent the tests are for."
    )
    save: bool = False


class DraftAnswer(Told):
    """The tests that were drafted (with their ids where they are saved), and what the drafting took.

    `dropped` says what of the model's answer could not be used. Money in the currency's unit; an unknown cost is
    `null`.
    """

    tests: list[dict[str, Any]]
    dropped: list[str]
    model: str = Field(examples=["openai:gpt-4.1-mini"])
    input_tokens: int = Field(examples=[2140])
    output_tokens: int = Field(examples=[1630])
    cost: float | None = Field(examples=[0.003464])
    charged: float = Field(examples=[0.0])
