"""Why an MCP server did not answer: a stable reason and words without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from greenroom.model.agent import McpServer
from greenroom.model.run import Reason
from greenroom.model.text import shorten, speakable
from greenroom.outgoing.addresses import BlockedAddress
from greenroom.outgoing.hiding import TOKEN, hide_text, secret_forms, setting_secrets

if TYPE_CHECKING:
    from greenroom.tools.mcp_transport import Trouble


class ServerFailed(Exception):
    """A server did not answer. `words` say why, without naming the server: `could not be reached`."""

    def __init__(self, reason: Reason, words: str) -> None:
        super().__init__(words)
        self.reason: Reason = reason
        self.words = words


@dataclass(frozen=True, slots=True)
class ServerView:
    """A server as it may be named to people: never its headers, environment, arguments or the path of its URL.

    `secrets` are hidden in whatever it answers; `private` is all that was set for it, and is hidden where its own
    words explain a failure.
    """

    name: str
    place: str
    is_program: bool
    secrets: frozenset[str]
    private: frozenset[str]

    @property
    def title(self) -> str:
        return f"The MCP server `{self.name}` ({self.place})"


def view_of(server: McpServer) -> ServerView:
    """What may be said of `server`."""
    settings = [(name, value.get_secret_value()) for name, value in (*server.headers.items(), *server.env.items())]
    secrets = setting_secrets(settings)
    private = secret_forms([*(value for _, value in settings), *server.args])
    if server.command is not None:
        return ServerView(server.name, f"the program `{server.command}`", True, secrets, private)
    return ServerView(server.name, _origin(server.url or ""), False, secrets, private)


def _origin(url: str) -> str:
    """Scheme, host and port: paths and queries often carry keys."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    except ValueError:
        return "its `url`"
    return f"{parts.scheme}://{host}{port}" if parts.scheme and host else "its `url`"


def explain(view: ServerView, error: BaseException, trouble: Trouble, last_words: str = "") -> ServerFailed:
    """Turn what the MCP client raised into a reason and words. `last_words` is what a program last wrote to its
    error output."""
    leaves = [*_leaves(error), *([trouble.stopped_by] if trouble.stopped_by is not None else [])]
    for leaf in leaves:
        found = _explain_transport(view, leaf)
        if found is not None:
            return found
    if trouble.status is not None:
        hint = ": check its `headers`" if trouble.status in (401, 403) else ""
        return ServerFailed("bad_status", f"answered with status {trouble.status}{hint}")
    for leaf in leaves:
        found = _explain_protocol(view, leaf, last_words)
        if found is not None:
            return found
    return ServerFailed("bad_body", "gave an answer that is not valid MCP")


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _explain_transport(view: ServerView, error: BaseException) -> ServerFailed | None:
    import httpx2

    from greenroom.tools.mcp_transport import MessageTooLarge

    if isinstance(error, BlockedAddress):
        return ServerFailed("blocked_address", f"may not be called: {hide_text(str(error), view.private)}")
    if isinstance(error, MessageTooLarge):
        return ServerFailed("too_large", "gave an answer that is too large")
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return ServerFailed("timeout", "did not answer in time")
    if isinstance(error, httpx2.ConnectError):
        return ServerFailed("unreachable", "could not be reached: check that it runs and that its `url` is right")
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return ServerFailed("unreachable", "could not be reached: its `url` is not valid")
    if isinstance(error, httpx2.HTTPError):
        return ServerFailed("unreachable", "broke off the connection")
    if isinstance(error, OSError | ValueError) and view.is_program and not _is_validation(error):
        why = "there is no such program" if isinstance(error, FileNotFoundError) else "it cannot be run"
        return ServerFailed("unreachable", f"could not be started: {why}")
    return None


def is_disconnection(error: BaseException) -> bool:
    """Whether `error` says that the connection to the server, or its program, is gone."""
    import anyio
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    if isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream):
        return True
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED


def _is_validation(error: BaseException) -> bool:
    from pydantic import ValidationError

    return isinstance(error, ValidationError)


def _explain_protocol(view: ServerView, error: BaseException, last_words: str) -> ServerFailed | None:
    from mcp import MCPError
    from mcp_types import PARSE_ERROR, REQUEST_TIMEOUT

    if is_disconnection(error):
        if not view.is_program:
            return ServerFailed("unreachable", "broke off the connection")
        tail = presentable(last_words, view.private)
        return ServerFailed("unreachable", "stopped before it answered" + (f"; it last said: {tail}" if tail else ""))
    if not isinstance(error, MCPError):
        return None
    if error.code == REQUEST_TIMEOUT:
        return ServerFailed("timeout", "did not answer in time")
    if error.code == PARSE_ERROR:
        return ServerFailed("bad_body", "gave an answer that is not valid MCP")
    return ServerFailed("tool_error", f"refused: {presentable(error.message, view.private)}")


def presentable(words: str, secrets: frozenset[str]) -> str:
    """Another program's words on one line of at most 200 characters, without `secrets` and what looks like one."""
    return shorten(speakable(TOKEN.sub("[hidden]", hide_text(words, secrets))), 200)
