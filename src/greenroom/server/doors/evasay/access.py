"""Who comes in: a key as a bearer token, also when it is written as `sk-` and the key."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from greenroom.server.security.access import Requires, bearer_token
from greenroom.server.security.scopes import Scope
from greenroom.server.security.who import Access


def _token_of(request: Request) -> str:
    return bearer_token(request).removeprefix("sk-")


ReadsAgents = Annotated[Access, Depends(Requires(Scope.AGENTS_READ, token_of=_token_of))]
Reads = Annotated[Access, Depends(Requires(Scope.TESTS_READ, token_of=_token_of))]
Writes = Annotated[Access, Depends(Requires(Scope.TESTS_WRITE, token_of=_token_of))]
Runs = Annotated[Access, Depends(Requires(Scope.TESTS_RUN, token_of=_token_of))]
