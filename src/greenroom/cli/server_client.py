"""Another Greenroom, over its API: what `push`, `pull` and `mcp` ask it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    import httpx

Server = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", envvar="GREENROOM_SERVER", help="The address of the service."),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", metavar="KEY", envvar="GREENROOM_KEY", show_default=False, help="A key of the project there."
    ),
]

_SECONDS = 60.0
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service answered. `etag` names the state that it shows, where it shows one."""

    body: dict[str, Any]
    etag: str | None


class ServerClient:
    """The API of a service. What it refuses is raised as the person's mistake, in its own words."""

    def __init__(self, http: httpx.Client, server: str) -> None:
        self._http = http
        self._server = server

    def get(self, path: str, **query: object) -> Answer:
        """What a GET request answers.

        Raises:
            UserMistake: it is refused, or the service cannot be reached.
        """
        return self._ask("GET", path, params={name: each for name, each in query.items() if each is not None})

    def send(self, method: str, path: str, body: Mapping[str, Any], etag: str | None = None) -> Answer:
        """What a request with a body answers. With `etag`, only that state is changed.

        Raises:
            UserMistake: it is refused, or the service cannot be reached.
        """
        return self._ask(method, path, json=dict(body), headers={"If-Match": etag} if etag else {})

    def all(self, path: str) -> Generator[dict[str, Any]]:
        """Everything that is on a list."""
        cursor: str | None = None
        while True:
            page = self.get(path, limit=_PAGE, cursor=cursor).body
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def named(self, path: str, name: str, what: str) -> dict[str, Any] | None:
        """The one thing of a name on a list; `None` where there is none.

        Raises:
            UserMistake: there are several.
        """
        found = [each for each in self.all(path) if each["name"] == name]
        if len(found) > 1:
            ids = " and ".join(str(each["id"]) for each in found[:3])
            raise UserMistake(f"The server has {len(found)} {what}s named `{name}` ({ids}): rename all but one there.")
        return found[0] if found else None

    def _ask(self, method: str, path: str, **content: Any) -> Answer:
        import httpx

        try:
            answer = self._http.request(method, path, **content)
        except httpx.HTTPError as problem:
            why = "it did not answer in time" if isinstance(problem, httpx.TimeoutException) else "nobody answers there"
            raise UserMistake(f"The server {self._server} cannot be reached: {why}.") from None
        try:
            body: Any = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise UserMistake(
                f"{self._server} does not answer as Greenroom does (status {answer.status_code}): check the address."
            )
        told: dict[str, Any] = body  # pyright: ignore[reportUnknownVariableType] - JSON
        if answer.is_success:
            return Answer(told, answer.headers.get("etag"))
        raise UserMistake(_refusal(told))


def _refusal(problem: Mapping[str, Any]) -> str:
    detail = str(problem.get("detail") or "The server refused.")
    errors: list[Mapping[str, Any]] = problem.get("errors") or []
    if len(errors) < 2:
        return detail
    return "\n".join([detail, *(f"  {each.get('field') or '-'}: {each.get('message')}" for each in errors)])


def check_server(server: str | None, key: str | None) -> tuple[str, str]:
    """The address and the key, once it is sure that there are both.

    Raises:
        UserMistake: one of them is missing, or cannot be one.
    """
    if not server or not server.strip():
        raise UserMistake("Which server? Add --server URL, or set GREENROOM_SERVER.")
    server = server.strip().rstrip("/")
    try:
        parts = urlsplit(server)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_address = False
    if not is_address or any(not char.isprintable() or char == " " for char in server):
        raise UserMistake(f"--server {server}: an address looks like https://greenroom.example.com")
    if not key or not key.strip():
        raise UserMistake("Which key? Add --key KEY, or set GREENROOM_KEY. `greenroom keys create` makes one.")
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UserMistake("This key holds characters that no key has: copy it again.")
    return server, key


@contextmanager
def open_server(server: str | None, key: str | None) -> Generator[ServerClient]:
    """The API of the service at an address.

    Raises:
        UserMistake: address or key are missing or cannot be what they are.
    """
    server, key = check_server(server, key)
    import httpx

    with httpx.Client(base_url=server, headers={"Authorization": f"Bearer {key}"}, timeout=_SECONDS) as http:
        yield ServerClient(http, server)
