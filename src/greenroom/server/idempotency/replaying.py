"""A request with an `Idempotency-Key` is carried out once; sent again, it gets the same answer.

Only answers that say that something was done are kept: after a refusal, the request may be mended and sent with the
same key. A claim whose process died is taken over after a while.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from fastapi import Request, Response

from greenroom.model.errors import Problem
from greenroom.server.context import Context
from greenroom.server.database.ids import new_id
from greenroom.server.idempotency import store
from greenroom.server.idempotency.store import AnswerRow
from greenroom.server.problems import Conflict, Invalid
from greenroom.server.security.access import authenticate, bearer_token
from greenroom.server.security.tokens import digest

_LONGEST_KEY = 255
_CLAIM_LASTS = timedelta(minutes=15)
_KEPT_HEADERS = ("content-type", "etag", "location")
REPLAYED = "Idempotency-Replayed"

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


async def answer_once(request: Request, key: str, handler: Handler) -> Response:
    """The answer of `handler`, or the one that was given before to the same request with this key.

    Raises:
        Invalid: the key is no key, or was sent with another request.
        Conflict: the request is still being carried out.
    """
    if not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        raise Invalid([Problem(("Idempotency-Key",), "`Idempotency-Key` is a text of 1 to 255 plain characters")])
    await authenticate(request)
    context: Context = request.app.state.context
    owner = digest(bearer_token(request))
    fingerprint = await _fingerprint(request)
    claim = new_id("req")
    earlier = await _claim(context, owner, key, claim, fingerprint)
    if earlier is not None:
        return _again(context, earlier, fingerprint)
    try:
        response = await handler(request)
    except BaseException:
        await _drop(context, owner, key, claim)
        raise
    await _keep(context, owner, key, claim, response)
    return response


async def forget_old(context: Context) -> None:
    """Drop the answers whose time is over."""
    async with context.database.writing() as session:
        await store.forget_before(session, context.now())


async def _fingerprint(request: Request) -> str:
    project = request.headers.get("x-greenroom-project", "")
    head = f"{request.method} {request.url.path}?{request.url.query} {project}\n".encode()
    return hashlib.sha256(head + await request.body()).hexdigest()


async def _claim(context: Context, owner: str, key: str, claim: str, fingerprint: str) -> AnswerRow | None:
    """Claim the key; the row of an earlier request where there is one."""
    row: dict[str, object] = {
        "owner": owner,
        "key": key,
        "claim": claim,
        "fingerprint": fingerprint,
        "expires_at": context.now() + _CLAIM_LASTS,
    }
    async with context.database.writing() as session:
        if await store.claim_key(session, row, is_sqlite=context.database.is_sqlite):
            return None
        earlier = await store.find_answer(session, owner, key)
        if earlier is None or earlier.expires_at > context.now():
            return earlier
        await store.drop_claim(session, owner, key, earlier.claim)
        await store.claim_key(session, row, is_sqlite=context.database.is_sqlite)
        return None


def _again(context: Context, earlier: AnswerRow, fingerprint: str) -> Response:
    if earlier.fingerprint != fingerprint:
        raise Invalid(
            [Problem(("Idempotency-Key",), "this `Idempotency-Key` came with another request before: take a new one")]
        )
    if earlier.status is None:
        raise Conflict("The first request with this `Idempotency-Key` is still being carried out: ask again later.")
    body = context.vault.open(earlier.sealed_body) if earlier.sealed_body else ""
    headers = {**(earlier.headers or {}), REPLAYED: "true"}
    return Response(body.encode("utf-8"), earlier.status, headers)


async def _keep(context: Context, owner: str, key: str, claim: str, response: Response) -> None:
    body: object = getattr(response, "body", None)
    if not (200 <= response.status_code < 300 and isinstance(body, bytes)):
        await _drop(context, owner, key, claim)
        return
    async with context.database.writing() as session:
        await store.keep_answer(
            session,
            owner,
            key,
            claim,
            status=response.status_code,
            headers={name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers},
            sealed_body=context.vault.seal(body.decode("utf-8")) if body else None,
            expires_at=context.now() + timedelta(hours=context.settings.idempotency_hours),
        )


async def _drop(context: Context, owner: str, key: str, claim: str) -> None:
    async with context.database.writing() as session:
        await store.drop_claim(session, owner, key, claim)
