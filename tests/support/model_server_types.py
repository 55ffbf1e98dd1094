"""What the loopback model server hears and how it answers, in words that fit every provider."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Wire = Literal["openai", "anthropic", "google"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is an object, or raw text to send as it is. Without an `id` the server makes one."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """The usage that the server reports. `input` includes `cached`; `output` includes `reasoning`."""

    input: int = 100
    output: int = 20
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply of the model's. `usage=None` sends none. `finish`: `stop`, `length` or `refused` (a content filter
    on the OpenAI wire, `refusal` on Anthropic's, `SAFETY` on Google's). `refusal` is OpenAI's own field for the words
    of a refusal. `thinking` is sent as the wire's thinking part, signed where the wire signs it."""

    text: str | None = None
    calls: Sequence[Call] = ()
    usage: Tokens | None = Tokens()
    finish: Literal["stop", "length", "refused"] = "stop"
    thinking: str | None = None
    signature: str | None = None
    refusal: str | None = None
    delay_ms: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error in the provider's own shape. `retry_after` is the header's value, seconds or an HTTP date."""

    code: int
    message: str = "The server says no."
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that no provider should send.

    `reset`: the connection drops in mid-body; `drop`: before a byte is sent; `slow`: one byte, then nothing until
    released; `hang`: nothing until released, then `then`; `malformed`: JSON cut in half; `empty`: no choices; `html`:
    a web page, 200; `text`: right JSON as text/plain; `not_an_object`: a JSON list; `huge`: a body of `size` bytes;
    `bad_utf8`: JSON with bytes that are not UTF-8; `raw`: `body` as it is, under `status`, said to be packed by
    `encoding`.
    """

    kind: Literal[
        "reset",
        "drop",
        "slow",
        "hang",
        "malformed",
        "empty",
        "html",
        "text",
        "not_an_object",
        "huge",
        "bad_utf8",
        "raw",
    ]
    then: Answer = field(default_factory=lambda: Answer(text="Late, but here."))
    size: int = 64 * 1024 * 1024
    body: bytes = b""
    content_type: str = "application/json"
    status: int = 200
    encoding: str | None = None


Reply: TypeAlias = Answer | Status | Broken


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """One message of a request. `tool` messages answer `call_id`, where the wire carries ids; `name` is the tool's,
    where it carries names."""

    role: Literal["user", "model", "tool"]
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """One request, read from any wire. `answer_schema` is the structured answer that is asked for; `answer_tool` the
    tool by which it is to be given, where it is asked for as a tool."""

    wire: Wire
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]
    model: str
    system: str
    messages: tuple[HeardMessage, ...]
    tools: tuple[str, ...]
    answer_schema: dict[str, Any] | None = None
    answer_tool: str | None = None

    @property
    def last(self) -> HeardMessage:
        return self.messages[-1] if self.messages else HeardMessage("user", "")


Answering: TypeAlias = Callable[[Heard], Reply | Awaitable[Reply]]
