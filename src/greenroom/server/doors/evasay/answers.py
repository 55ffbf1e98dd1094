"""What is told at this door."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from greenroom.model.base import Json
from greenroom.server.doors.evasay.schemas import Type
from greenroom.server.wire import Time, Told

Status = Literal["running", "passed", "failed", "error"]


class ChatLine(Told):
    """One line of a talk so far."""

    role: Literal["caller", "agent"]
    text: str


class ExpectedTool(Told):
    """The call that the agent must make."""

    name: str
    arguments: dict[str, Json]
    match: Literal["exact", "judge"]


class TestDraft(Told):
    """A test as it is made: the fields that its type does not have are left out."""

    __test__ = False

    type: Type
    name: str
    scenario: str | None = None
    success_criteria: str | None = None
    max_turns: int | None = None
    chat_history: list[ChatLine] | None = None
    expected_tool: ExpectedTool | None = None


class TestTold(Told):
    """A test that is kept. The fields that its type does not have are `null`."""

    __test__ = False

    id: str = Field(examples=["tst_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    agent_id: str
    type: Type
    name: str
    scenario: str | None
    success_criteria: str | None
    max_turns: int | None
    chat_history: list[ChatLine] | None
    expected_tool: ExpectedTool | None
    created_at: Time
    updated_at: Time


class TestsTold(Told):
    """The tests of an agent, in the order in which they were made, and what a run of one costs."""

    __test__ = False

    tests: list[TestTold]
    credits_per_run: int = Field(examples=[1])


class ToolCall(Told):
    """A function that the agent called, and with what; arguments that could not be read are the text that it sent."""

    name: str
    arguments: Json


class TalkLine(Told):
    """One line of the talk. A line of the agent's has the functions that it called with these words."""

    role: Literal["caller", "agent"]
    text: str
    tool_calls: list[ToolCall] | None = None


class RunTold(Told):
    """A run of a test. Transcript and reason are there when it is over."""

    id: str = Field(examples=["run_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    agent_id: str
    test_id: str
    test_name: str
    type: Type
    status: Status
    reason: str | None
    transcript: list[TalkLine] | None
    credits: int | float = Field(examples=[1])
    created_at: Time
    finished_at: Time | None


class RunsTold(Told):
    """The runs that were started, and the tests whose runs could not be paid, by their ids."""

    runs: list[RunTold]
    not_started: list[str]


class ToolTold(Told):
    """A function of an agent. Its parameters are a JSON Schema."""

    id: str = Field(examples=["agt_01jq0m3v9a4n6r8t2w5y7z1b3d.book_slot"])
    name: str
    description: str
    parameters: dict[str, Json]


class ToolsTold(Told):
    """The functions of an agent."""

    tools: list[ToolTold]


class Tried(Told):
    """What a function answered. `status` is an HTTP status, `error` says why there is no answer, or no good one."""

    ok: bool
    status: int | None = Field(examples=[200])
    response: Json
    error: str | None
    duration_ms: int


class Drafted(Told):
    """Tests that were drafted, saved ones with their ids; what of the model's answer could not be used, and why."""

    tests: list[TestTold | TestDraft]
    dropped: list[str]
    credits: int | float = Field(examples=[1])


class Problem(BaseModel):
    """What is wrong: a code that stays the same, and one sentence."""

    code: str = Field(examples=["not_found"])
    message: str = Field(examples=["This agent has no such test."])


class Refused(BaseModel):
    """Why a request was not carried out."""

    error: Problem


_SENTENCES = {
    401: "No key, or one that opens nothing.",
    402: "Credits or budget do not reach.",
    403: "The key lacks the scope, or the account is suspended.",
    404: "There is no such thing in this project.",
    409: "Too many tests or runs, or changed at the same moment.",
    413: "The body is too large.",
    422: "Something in the request is wrong.",
    429: "Too many requests in this minute.",
    502: "The model could not answer, or with nothing that is a test.",
    503: "The database does not answer at the moment.",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Refused, "description": words} for status, words in _SENTENCES.items()
}
