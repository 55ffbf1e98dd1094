"""Our messages as pydantic-ai's, and its replies as ours. Imported lazily: it is heavy."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from greenroom.model.talk import BrainRequest, Message, ModelSaid, ToolAnswered, ToolCall, UserSaid
from greenroom.model.text import speakable, without_thinking

# Nothing that is sent depends on the clock; without this each part would read it.
_NEVER = datetime(2000, 1, 1, tzinfo=UTC)
_RESPONSE: TypeAdapter[ModelResponse] = TypeAdapter(ModelResponse)
# How pydantic-ai begins the random ids that it makes up where a provider sends none.
_MADE_UP = "pyd_ai_"


def to_messages(request: BrainRequest, *, marks_errors: bool) -> list[ModelMessage]:
    """The talk in pydantic-ai's messages: what stands between two replies of the model goes into one request, as
    providers want the results of parallel calls together. Another model's thinking is left out.

    `marks_errors`: the provider has a place of its own to say that a tool failed. For the others pydantic-ai would
    wrap the result, and the model is to read it as it is.
    """
    converted: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    asked = request.llm.model
    for message in request.messages:
        if isinstance(message, ModelSaid):
            if parts:
                converted.append(ModelRequest(parts, timestamp=_NEVER))
                parts = []
            converted.append(_response(message) if message.model in ("", asked) else _plain(message))
        else:
            parts.append(_part(message, marks_errors))
    if parts:
        converted.append(ModelRequest(parts, timestamp=_NEVER))
    return converted


def can_be_sent(request: BrainRequest) -> bool:
    """Whether no text of `request` holds a lone surrogate."""
    try:
        request.system.encode()
        for message in request.messages:
            (message.content if isinstance(message, ToolAnswered) else message.text).encode()
    except UnicodeEncodeError:
        return False
    return True


def without_unspeakable(request: BrainRequest) -> BrainRequest:
    """The same request with lone surrogates and NULs replaced, which no provider takes."""
    return replace(
        request, system=speakable(request.system), messages=tuple(_speakable(message) for message in request.messages)
    )


def _speakable(message: Message) -> Message:
    match message:
        case UserSaid(text):
            return UserSaid(speakable(text))
        case ToolAnswered(call_id, name, content, ok):
            return ToolAnswered(call_id, name, speakable(content), ok)
        case ModelSaid(text, calls):
            cleaned = tuple(ToolCall(call.id, call.name, speakable(call.arguments)) for call in calls)
            return replace(message, text=speakable(text), calls=cleaned)


def _part(message: UserSaid | ToolAnswered, marks_errors: bool) -> ModelRequestPart:
    if isinstance(message, UserSaid):
        return UserPromptPart(message.text, timestamp=_NEVER)
    return ToolReturnPart(
        message.name,
        message.content,
        message.call_id,
        outcome="failed" if marks_errors and not message.ok else "success",
        timestamp=_NEVER,
    )


def _response(said: ModelSaid) -> ModelResponse:
    return _plain(said) if said.provider_state is None else _restored(said, said.provider_state)


def _plain(said: ModelSaid) -> ModelResponse:
    parts: list[ModelResponsePart] = [TextPart(said.text)] if said.text else []
    parts.extend(ToolCallPart(call.name, call.arguments, call.id) for call in said.calls)
    return ModelResponse(parts, timestamp=_NEVER)


def _restored(said: ModelSaid, state: str) -> ModelResponse:
    """The reply as the provider gave it, with its thinking and signatures, but with the words and calls of `said`:
    the engine may have cut the words or left out a call."""
    response = _parse(state)
    if response is None:
        return _plain(said)
    wanted = {call.id for call in said.calls}
    texts = [part for part in response.parts if isinstance(part, TextPart)]
    unchanged = without_thinking("".join(part.content for part in texts)) == said.text
    parts: list[ModelResponsePart] = []
    placed = False
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            if part.tool_call_id in wanted:
                parts.append(part)
        elif isinstance(part, TextPart) and not unchanged:
            if not placed and said.text:
                parts.append(replace(part, content=said.text))
            placed = True
        else:
            parts.append(part)
    if said.text and not texts:
        parts.append(TextPart(said.text))
    return replace(response, parts=parts)


# A talk is sent again with each of its requests; reading the JSON each time would make long talks dear.
@lru_cache(maxsize=2048)
def _parse(state: str) -> ModelResponse | None:
    try:
        return _RESPONSE.validate_json(state)
    except ValidationError:
        return None  # written by another version: its words and calls still stand


def settle_ids(response: ModelResponse, message_count: int) -> None:
    """Give each call an id of its own that does not depend on chance: the provider's, else one made of the length of
    the talk, which grows with each reply."""
    seen: set[str] = set()
    for index, part in enumerate(part for part in response.parts if isinstance(part, ToolCallPart)):
        if part.tool_call_id.startswith(_MADE_UP) or part.tool_call_id in seen:
            part.tool_call_id = f"call_{message_count}_{index}"
        seen.add(part.tool_call_id)


def text_of(response: ModelResponse) -> str:
    """The words, without thinking that leaked into them."""
    return _sendable(without_thinking(response.text or ""))


def calls_of(response: ModelResponse) -> tuple[ToolCall, ...]:
    """The tool calls, their arguments as the model wrote them."""
    return tuple(
        ToolCall(part.tool_call_id, part.tool_name, _sendable(_raw(part)))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )


def _raw(part: ToolCallPart[Any]) -> str:
    return part.args if isinstance(part.args, str) else part.args_as_json_str()


def _sendable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return speakable(text)
    return text.replace("\x00", "\ufffd")


def state_of(response: ModelResponse) -> str | None:
    """What the provider wants back beside words and calls, as opaque JSON; `None` where there is nothing."""
    if not any(_is_wanted_back(part) for part in response.parts):
        return None
    kept = ModelResponse(
        parts=[part for part in response.parts if not _leaked(part)],
        model_name=response.model_name,
        timestamp=_NEVER,
        provider_name=response.provider_name,
        provider_url=response.provider_url,
        canonical_system=response.canonical_system,
    )
    return _RESPONSE.dump_json(kept, exclude={"usage", "timestamp"}, exclude_none=True).decode()


def _is_wanted_back(part: ModelResponsePart) -> bool:
    if isinstance(part, ThinkingPart):
        return not _leaked(part)
    return bool(getattr(part, "provider_details", None))


def _leaked(part: ModelResponsePart) -> bool:
    # pydantic-ai cuts `<think>` blocks out of the words of a reply and marks them so; no provider wants them back.
    return isinstance(part, ThinkingPart) and part.signature is None and part.id in (None, "content")
