"""Agents that live elsewhere, as data: where they are and how to talk to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator

from greenroom.model.base import Json, Written

JsonPath = Annotated[str, Field(min_length=1, description="A path into the answer: names and indexes joined by dots")]
Seconds = Annotated[float, Field(gt=0, le=600)]


class _Remote(Written):
    headers: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    timeout_seconds: Seconds = 60


class RemoteOpenAi(_Remote):
    """An endpoint that speaks OpenAI chat completions at `url` (up to and with `/v1`).

    The agent's `prompt`, where given, goes as the system message, and the test's variables as `metadata`. A `stateful`
    endpoint keeps the talk itself: it gets the new message alone, with the session's id as `user` and in the header
    `session_header`. `credential` names the key that goes as a bearer token. `extra_body` is added to each request.
    """

    type: Literal["openai"]
    url: str
    model: str = "agent"
    credential: str | None = None
    stateful: bool = False
    session_header: str = "X-Session-Id"
    extra_body: dict[str, Json] = Field(default_factory=dict[str, Json])


class RemoteHttp(_Remote):
    """An endpoint that takes and gives JSON.

    `body` is sent with `{{message}}`, `{{messages}}`, `{{session_id}}`, `{{prompt}}`, `{{variables}}` and
    `{{variables.NAME}}` filled in; a text that is nothing but one of them takes its JSON value. `reply`, `tool_calls`,
    `ended` and `session` are paths into the answer. A `stateful` endpoint keeps the talk itself, by session id; one
    that is not gets the whole talk with each message.
    """

    type: Literal["http"]
    url: str
    method: Literal["POST", "PUT", "PATCH", "GET"] = "POST"
    stateful: bool = True
    body: Json = None
    reply: JsonPath = "reply"
    tool_calls: JsonPath | None = None
    ended: JsonPath | None = None
    session: JsonPath | None = None


class RemoteWebSocket(_Remote):
    """A WebSocket that is open for the length of a talk.

    `open` is sent once after connecting, `send` with each message; both are filled in like an HTTP endpoint's body.
    Each incoming message is JSON: `reply` is the path of its words, which are joined until one carries `final` (a
    path whose value is true); without `final`, each message is a whole reply. Messages without words are passed over.
    """

    type: Literal["websocket"]
    url: str
    open: Json = None
    send: Json = None
    reply: JsonPath = "reply"
    final: JsonPath | None = None
    tool_calls: JsonPath | None = None
    ended: JsonPath | None = None

    @property
    def stateful(self) -> bool:
        return True


class RemotePython(_Remote):
    """A Python callable `module:function`, sync or async, that takes the talk so far as `[{role, content}]` (and, where
    it names them, `session_id`, `prompt` and `variables`) and gives the reply: text, or `{reply, tool_calls, ended}`."""

    type: Literal["python"]
    target: str
    stateful: bool = False

    @field_validator("target")
    @classmethod
    def _names_a_function(cls, value: str) -> str:
        module, colon, function = value.partition(":")
        if not (module and colon and function):
            raise ValueError("a Python agent is written as `module:function`, for example `my_agent:reply`")
        return value


Remote = Annotated[RemoteOpenAi | RemoteHttp | RemoteWebSocket | RemotePython, Field(discriminator="type")]
