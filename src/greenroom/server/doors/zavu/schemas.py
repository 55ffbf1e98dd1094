"""What is asked and told at this door, in camel case both ways."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from greenroom.model.text import is_speakable

MOST_BYTES = 64 * 1024

Value = TypeVar("Value")

_TOLD = ConfigDict(alias_generator=to_camel, validate_by_name=True)


def size_of(text: str) -> int:
    """The bytes of a text in UTF-8."""
    return len(text.encode())


def _has_words(text: str, name: str) -> str:
    if not text.strip():
        raise PydanticCustomError("too_small", "`{name}` is empty: write what was said", {"name": name})
    if not is_speakable(text):
        words = "`{name}` holds a NUL, which cannot be said: take it out"
        raise PydanticCustomError("invalid_value", words, {"name": name})
    return text


class _Asked(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)


class PriorTurn(_Asked):
    """One turn of the talk so far."""

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(min_length=1)]

    @field_validator("content")
    @classmethod
    def _is_said(cls, value: str) -> str:
        return _has_words(value, "content")


class TestWanted(_Asked):
    """What to say to the agent, and how it may answer. `message` and `history` are at most 64 KB together."""

    __test__ = False
    model_config = ConfigDict(json_schema_extra={"examples": [{"message": "Where is order ORD-12345?"}]})

    message: Annotated[str, Field(min_length=1, description="What to say to the agent.")]
    history: list[PriorTurn] = Field(
        default_factory=list[PriorTurn],
        description="Earlier turns, the oldest first. What is older than the agent's context window is left out.",
    )
    use_knowledge_base: bool = Field(default=True, description="`false`: the agent goes without its knowledge.")
    execute_tools: bool = Field(
        default=False,
        description="`true`: tools that the agent calls run for real, with all that they cost and change.",
    )

    @field_validator("message")
    @classmethod
    def _is_a_message(cls, value: str) -> str:
        return _small_enough(_has_words(value, "message"), size_of(value))

    @field_validator("history")
    @classmethod
    def _fits_with_the_message(cls, value: list[PriorTurn], info: ValidationInfo) -> list[PriorTurn]:
        message: str | None = info.data.get("message")  # missing where there is something wrong with it
        return _small_enough(value, size_of(message or "") + sum(size_of(turn.content) for turn in value))


def _small_enough(value: Value, size: int) -> Value:
    if size > MOST_BYTES:
        raise PydanticCustomError(
            "too_big",
            "`message` and `history` are {size} bytes together, and at most {most} are taken: send less",
            {"size": f"{size:,}", "most": f"{MOST_BYTES:,}"},
        )
    return value


class ExecutedCall(BaseModel):
    """A tool that was called, and what came of it. `error` is what the agent was told where it failed."""

    model_config = _TOLD

    name: str
    ok: bool
    error: str | None


class PlannedCall(BaseModel):
    """A tool that the model picked, and the arguments that it wrote, as JSON."""

    model_config = _TOLD

    name: str
    arguments: str


class TestAnswer(BaseModel):
    """The reply that nobody got, and what it took."""

    __test__ = False
    model_config = _TOLD

    success: bool
    text: str | None
    error: str | None
    input_tokens: int
    output_tokens: int
    latency_ms: int
    knowledge_chunks_used: int
    executed_tool_calls: list[ExecutedCall]
    warnings: list[str]
    cost: float = Field(description="US dollars that were charged, to 6 decimals.")
    planned_tool_calls: list[PlannedCall]


class WrongField(BaseModel):
    """One wrong field. `path` leads to it, and is empty for the body as a whole."""

    path: list[str | int]
    message: str
    code: str


class Details(BaseModel):
    """What a program can go by."""

    errors: list[WrongField] | None = None
    recommendation: str | None = None


class Refused(BaseModel):
    """Why a request was not carried out."""

    code: str
    message: str
    details: Details | None = None


_SENTENCES = {
    400: "`message` is missing, something is malformed, or message and history are over 64 KB.",
    401: "No key, or one that opens nothing.",
    402: "There are no credits, or the project's budget does not reach.",
    403: "The key lacks the scope, or the account is suspended.",
    404: "The project has no such agent.",
    409: "The first request with this `Idempotency-Key` is still being carried out.",
    429: "Too many test runs of this project.",
    503: "The database does not answer at the moment.",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Refused, "description": words} for status, words in _SENTENCES.items()
}
