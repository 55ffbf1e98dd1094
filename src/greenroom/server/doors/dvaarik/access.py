"""Who comes in: a key at the machine door, the session of an account at the console door."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from greenroom.server.problems import NotSignedIn
from greenroom.server.security.access import OwnRate, Requires, bearer_token, header_token
from greenroom.server.security.scopes import Scope
from greenroom.server.security.who import Access

KEY_HEADER = "X-Api-Key"
STOPS = OwnRate("stops", 30, "stops of this account")
"""What the console door allows an account in a minute. It takes nothing from the project's requests."""

_SESSION = "grs_"
_key_of = header_token(KEY_HEADER)


def is_console(request: Request) -> bool:
    """Whether a request came to the console door, which names the project in its path."""
    return "project_id" in request.path_params


def _token_of(request: Request) -> str:
    if not is_console(request):
        token = _key_of(request)
        if token.startswith(_SESSION):
            raise NotSignedIn(f"This is a session, and here a key is needed: send one as `{KEY_HEADER}: KEY`.")
        return token
    token = bearer_token(request)
    if not token.startswith(_SESSION):
        raise NotSignedIn("The console door takes the session of an account: sign in, and send its token as bearer.")
    return token


def _project_of(request: Request) -> str | None:
    return request.path_params["project_id"] if is_console(request) else None


def _rate_of_stops(request: Request) -> OwnRate | None:
    return STOPS if is_console(request) else None


_READS = Requires(Scope.TESTS_READ, token_of=_token_of, project_of=_project_of, named="voice:read")
_WRITES = Requires(Scope.TESTS_WRITE, token_of=_token_of, project_of=_project_of, named="voice:write")
_RUNS = Requires(Scope.TESTS_RUN, token_of=_token_of, project_of=_project_of, named="voice:write")
_STOPS = Requires(
    Scope.TESTS_RUN, token_of=_token_of, project_of=_project_of, rate_of=_rate_of_stops, named="voice:write"
)

Reads = Annotated[Access, Depends(_READS)]
Writes = Annotated[Access, Depends(_WRITES)]
Runs = Annotated[Access, Depends(_RUNS)]
Stops = Annotated[Access, Depends(_STOPS)]
