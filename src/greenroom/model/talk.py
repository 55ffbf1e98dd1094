"""What passes between the engine and a model: one request, one reply.

Both are plain data with no hidden state, so that whoever calls the engine may make each request a remembered step,
record it in a cassette, or send it from another machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, Protocol

from greenroom.model.base import Json
from greenroom.model.llm import Llm, Role


@dataclass(frozen=True, slots=True)
class UserSaid:
    """Words of the other side, as the asked model hears them."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model's. `arguments` is the raw text that the model wrote, valid JSON or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ModelSaid:
    """An earlier reply of the asked model. `provider_state` is opaque: what the provider wants back, such as signed
    thinking; `model` (as `provider:name`) is the model it came from."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    provider_state: str | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """The result of a call, as the text that the model reads."""

    call_id: str
    name: str
    content: str
    ok: bool = True


Message = UserSaid | ModelSaid | ToolAnswered


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as the model is told of it. `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Json] = field(hash=False)


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """The structured answer that is wanted: a name and a JSON Schema (an object)."""

    name: str
    schema: dict[str, Json] = field(hash=False)


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """What a judge's request asks, in short, for brains that answer by rule: `kind` says the shape of the answer.

    `items` holds the question of a `question`, or the criteria of a `scorecard` in order.
    """

    kind: Literal["question", "scorecard"]
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrainRequest:
    """One request to a model.

    `heard` is the last thing heard, in plain words; `heard_tool` names the tool whose result it is. `fired` lists the
    rules of a scripted brain that have fired so far in this run, and `scope` says which playing of which test asks, the
    same text each time that test is played. None of them reaches a provider. `tool_choice` is `none`
    when the model may see its tools but must answer in words.
    """

    role: Role
    llm: Llm
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolOffer, ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    answer: AnswerShape | None = None
    task: JudgeTask | None = None
    heard: str = ""
    heard_tool: str | None = None
    fired: tuple[int, ...] = ()
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more requests. `input_tokens` includes `cached_input_tokens`, `output_tokens` includes
    `reasoning_tokens`. `cost` is in US dollars, `None` where the price is not known. `estimated`: the provider
    sent no usage, and the tokens were counted from the text."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class BrainReply:
    """A model's reply.

    `text` holds no thinking. `finish` is `refused` when the provider stopped it (refusal or content filter) and
    `cut` at the token limit. `latency_ms` is the time of the request that succeeded; `requests` counts those sent,
    retries included.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish: Literal["stop", "cut", "refused"] = "stop"
    latency_ms: int = 0
    requests: int = 1
    provider_state: str | None = None
    fired: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.text.strip() and not self.calls

    def with_text(self, text: str) -> BrainReply:
        return replace(self, text=text)


class Brain(Protocol):
    """The port to models. One object serves every model and run; `request.llm` says which is asked."""

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer one request.

        `seconds_left` is how long the caller can still wait: an implementation that retries does not wait longer.

        Raises:
            BrainFailed: the model could not answer; the message is one sentence for the user, without secrets.
        """
        ...
