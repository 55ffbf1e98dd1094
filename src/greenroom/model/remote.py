"""Agents that live elsewhere, as data: where they are and how to talk to them.

In bodies, headers and the path or query of a URL, `{{message}}`, `{{messages}}`, `{{session_id}}`, `{{prompt}}`,
`{{variables}}` and `{{variables.NAME}}` are filled in. A text that is nothing but one of them takes its JSON value.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import regex
from pydantic import Field, SecretStr, field_validator

from greenroom.model.base import Json, Written
from greenroom.model.placeholders import misnamed

_STEP = r"(?:[^.]+)"
JsonPath = Annotated[
    str,
    Field(
        pattern=rf"^{_STEP}(?:\.{_STEP})*$",
        description="A path into the answer: names and indexes joined by dots (`choices.0.text`); `$` is all of it.",
    ),
]
Seconds = Annotated[float, Field(gt=0, le=600)]
# What RFC 9110 calls a token.
_HEADER_NAME = regex.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class _Remote(Written):
    timeout_seconds: Seconds = 60

    def model_post_init(self, context: Any, /) -> None:  # noqa: ARG002 - pydantic's signature
        # What tells one kind from another is part of what was written, also where Python code left it to its default.
        self.model_fields_set.add("type")


class _Reached(_Remote):
    """An agent behind a URL. `headers` go with every request."""

    url: str
    headers: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])

    @field_validator("headers")
    @classmethod
    def _can_be_sent(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, value in headers.items():
            if not _HEADER_NAME.fullmatch(name):
                raise ValueError(f"`{name}` cannot be the name of a header: use letters, digits and dashes")
            _check_places(value.get_secret_value())
        return headers


def _check_places(template: Json) -> Json:
    problem = misnamed(template)
    if problem:
        raise ValueError(problem)
    return template


def _check_url(url: str, schemes: tuple[str, str], example: str) -> str:
    advice = f"write it like `{example}`"
    try:
        parts = urlsplit(url)
        host, named = parts.netloc, bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise ValueError(f"`url` is not an address: {advice}") from None
    if parts.scheme.lower() not in schemes:
        raise ValueError(f"`url` starts with `{schemes[0]}://` or `{schemes[1]}://`: {advice}")
    if "@" in host:
        raise ValueError("`url` holds a user or a password: take it out, and send what is secret in `headers`")
    if "{{" in host:
        raise ValueError("the host of `url` is fixed: `{{…}}` may stand in its path or query")
    if not named:
        raise ValueError(f"`url` names no host: {advice}")
    _check_places(url)
    return url


_WEB = ("https", "http")


class RemoteOpenAi(_Reached):
    """An endpoint that speaks OpenAI chat completions at `url` (up to and with `/v1`).

    The agent's `prompt`, where given, goes as the system message, and the test's variables as `metadata`. The agent's
    tools are offered; calls are answered by the test. A `stateful` endpoint keeps the talk itself: it gets the new
    message alone, with the session's id as `user` and in the header `session_header`, and the prompt with the first
    message. `credential` names the key that goes as a bearer token. `extra_body` is added to each request; `null`
    takes a field out of it.
    """

    type: Literal["openai"] = "openai"
    model: str = "agent"
    credential: str | None = None
    stateful: bool = False
    session_header: str = "X-Session-Id"
    extra_body: dict[str, Json] = Field(default_factory=dict[str, Json])

    @field_validator("url")
    @classmethod
    def _is_on_the_web(cls, url: str) -> str:
        return _check_url(url, _WEB, "https://agent.example.com/v1")

    @field_validator("session_header")
    @classmethod
    def _names_a_header(cls, name: str) -> str:
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"`{name}` cannot be the name of a header: use letters, digits and dashes")
        return name

    @field_validator("extra_body")
    @classmethod
    def _has_known_places(cls, template: dict[str, Json]) -> dict[str, Json]:
        _check_places(template)
        return template


class RemoteHttp(_Reached):
    """An endpoint that takes and gives JSON.

    `body` is what is sent; without one, `message`, `session_id`, `prompt` and `variables`, and for an endpoint that is
    not stateful `messages` too. A GET sends the fields of the body as its query. `reply`, `tool_calls`, `ended` and
    `session` are paths into the answer: the words, the tools that it ran (`[{name, arguments, result}]`), whether it
    hung up, and the session's id, if the endpoint gives one of its own. A `stateful` endpoint keeps the talk itself,
    by session id; one that is not gets the whole talk with each message.
    """

    type: Literal["http"] = "http"
    method: Literal["POST", "PUT", "PATCH", "GET"] = "POST"
    stateful: bool = True
    body: Json = None
    reply: JsonPath = "reply"
    tool_calls: JsonPath | None = None
    ended: JsonPath | None = None
    session: JsonPath | None = None

    @field_validator("url")
    @classmethod
    def _is_on_the_web(cls, url: str) -> str:
        return _check_url(url, _WEB, "https://agent.example.com/chat")

    @field_validator("body")
    @classmethod
    def _has_known_places(cls, template: Json) -> Json:
        return _check_places(template)


class RemoteWebSocket(_Reached):
    """A WebSocket that is open for the length of a talk.

    `open` is sent once after connecting, `send` with each message (without one, `message`, `session_id`, `prompt` and
    `variables`). Each incoming message is JSON: `reply` is the path of its words, which are joined until a message
    carries `final` (a path whose value is true); without `final`, each message is a whole reply. Messages without
    words are passed over. An agent that greets needs `speaks_first: true`.
    """

    type: Literal["websocket"] = "websocket"
    open: Json = None
    send: Json = None
    reply: JsonPath = "reply"
    final: JsonPath | None = None
    tool_calls: JsonPath | None = None
    ended: JsonPath | None = None

    @property
    def stateful(self) -> bool:
        return True

    @field_validator("url")
    @classmethod
    def _is_a_socket(cls, url: str) -> str:
        return _check_url(url, ("wss", "ws"), "wss://agent.example.com/talk")

    @field_validator("open", "send")
    @classmethod
    def _has_known_places(cls, template: Json) -> Json:
        return _check_places(template)


class RemotePython(_Remote):
    """A Python callable `module:function`, sync or async, that takes the talk so far as `[{role, content}]` (and, where
    it names them, `session_id`, `prompt` and `variables`) and gives the reply: text, or `{reply, tool_calls, ended}`.

    A `stateful` one gets the new message alone. `functions:NAME` is one that the surrounding Python code gave.
    """

    type: Literal["python"] = "python"
    target: str
    stateful: bool = False

    @field_validator("target")
    @classmethod
    def _names_a_function(cls, value: str) -> str:
        module, colon, function = value.partition(":")
        if not (module.strip() and colon and function.strip()):
            raise ValueError("a Python agent is written as `module:function`, for example `my_agent:reply`")
        return value


Remote = Annotated[RemoteOpenAi | RemoteHttp | RemoteWebSocket | RemotePython, Field(discriminator="type")]
