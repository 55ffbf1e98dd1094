"""Who sends a request: read off its key or session, once, with the project's rate counted on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.accounts import service as accounts
from greenroom.server.context import Context
from greenroom.server.keys import service as keys
from greenroom.server.problems import LacksScope, NotAMember, NotSignedIn, Suspended, TooMany
from greenroom.server.projects import service as projects
from greenroom.server.rates import service as rates
from greenroom.server.security.scopes import Scope
from greenroom.server.security.tokens import LONGEST
from greenroom.server.security.who import Access

TokenOf = Callable[[Request], str]
"""Reads the token off a request, or raises `NotSignedIn`."""

ProjectOf = Callable[[Request], str | None]
"""Reads off a request which of a developer's projects is meant."""

PROJECT_HEADER = "X-Greenroom-Project"
_SUSPENDED = "This account is suspended: ask whoever runs this service."


@dataclass(frozen=True, slots=True)
class OwnRate:
    """A rate of its own, which requests of one kind have in the place of their project's: at most `most` a minute of
    whoever sends them. `what` they are is told, such as `stops of this account`."""

    name: str
    most: int
    what: str


RateOf = Callable[[Request], OwnRate | None]
"""Says which rate of its own a request counts against; `None` for the project's."""


@dataclass(frozen=True, slots=True)
class _Found:
    """Who it is, what the project may send, and the key whose use is to be noted."""

    access: Access
    rate: int | None
    key_to_note: str | None = None


def bearer_token(request: Request) -> str:
    """The token that a request carries.

    Raises:
        NotSignedIn: it carries none.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not _is_token(token.strip()):
        raise NotSignedIn("Send a key with the request, as `Authorization: Bearer KEY`.")
    return token.strip()


def header_token(name: str) -> TokenOf:
    """Reads the token off a header of its own, such as `X-API-Key`."""

    def token_of(request: Request) -> str:
        token = request.headers.get(name, "").strip()
        if not _is_token(token):
            raise NotSignedIn(f"Send a key with the request, as `{name}: KEY`.")
        return token

    return token_of


def header_project(request: Request) -> str | None:
    """The project that a request names in the header for it."""
    return request.headers.get(PROJECT_HEADER)


def _is_token(text: str) -> bool:
    return 0 < len(text) <= LONGEST and text.isascii()


def _no_rate_of_its_own(_request: Request) -> None:
    return None


async def authenticate(
    request: Request,
    token_of: TokenOf = bearer_token,
    project_of: ProjectOf = header_project,
    rate_of: RateOf = _no_rate_of_its_own,
) -> Access:
    """Who sends a request. The answer is kept for the rest of the request.

    Raises:
        NotSignedIn: no key or session, or one that opens nothing any more.
        NotAllowed: the account is suspended, or not a member of the project.
        TooMany: too many requests came in this minute.
    """
    known: Access | None = getattr(request.state, "access", None)
    if known is not None:
        return known
    context: Context = request.app.state.context
    access = await recognise(context, token_of(request), project_of(request), rate_of(request))
    access = replace(access, request_id=getattr(request.state, "request_id", None))
    request.state.access = access
    return access


async def recognise(
    context: Context, token: str, project_word: str | None = None, own_rate: OwnRate | None = None
) -> Access:
    """Who a token belongs to, counted against the project's rate, or another one.

    Raises:
        NotSignedIn, NotAllowed, TooMany: as for `authenticate`.
    """
    async with context.database.reading() as session:
        found = (
            await _by_session(session, context, token, project_word)
            if token.startswith("grs_")
            else await _by_key(session, context, token)
        )
    rate = own_rate or _rate_of_project(context, found)
    if rate.most or found.key_to_note:
        await _count(context, found, rate)
    return found.access


def _rate_of_project(context: Context, found: _Found) -> OwnRate:
    most = context.settings.requests_per_minute if found.rate is None else found.rate
    return OwnRate("project", most, "requests of this project")


async def _count(context: Context, found: _Found, rate: OwnRate) -> None:
    refusal: TooMany | None = None
    async with context.database.writing() as session:
        if found.key_to_note:
            await keys.note_use(session, found.key_to_note, context.now())
        if rate.most:
            whose = found.access.project_id if rate.name == "project" else found.access.actor_id
            try:
                await rates.count_in(session, context, f"{rate.name}:{whose}", rate.most, rate.what)
            except TooMany as refused:
                refusal = refused
    if refusal is not None:
        raise refusal


async def _by_key(session: AsyncSession, context: Context, token: str) -> _Found:
    row = await keys.recognise(session, token)
    now = context.now()
    if row is None:
        raise NotSignedIn("This key is unknown: check that all of it was copied.")
    if row.revoked_at is not None:
        raise NotSignedIn("This key was revoked: make a new one.")
    if row.expires_at is not None and row.expires_at <= now:
        raise NotSignedIn("This key has expired: make a new one.")
    project = await projects.read(session, row.project_id)
    if project is None:
        raise NotSignedIn("The project of this key is gone.")
    for developer_id in {row.developer_id, project.owner_id} - {None}:
        if await accounts.is_suspended(session, str(developer_id)):
            raise Suspended(_SUSPENDED)
    access = Access(
        project_id=row.project_id,
        scopes=frozenset(Scope(each) for each in row.scopes),
        kind="key",
        actor_id=row.id,
        actor_name=row.name,
        developer_id=row.developer_id,
    )
    return _Found(access, project.requests_per_minute, row.id if keys.is_use_to_note(row, now) else None)


async def _by_session(session: AsyncSession, context: Context, token: str, project_word: str | None) -> _Found:
    signed_in = await accounts.recognise(session, token, context.now())
    if signed_in is None:
        raise NotSignedIn("This session is over: sign in again.")
    if signed_in.suspended:
        raise Suspended(_SUSPENDED)
    member = await accounts.membership(session, signed_in.developer_id, project_word)
    project = await projects.read(session, member.project_id) if member else None
    if member is None or project is None:
        raise NotAMember(f"Say in the header `{PROJECT_HEADER}` which of your projects you mean, by its id.")
    if project.owner_id is not None and await accounts.is_suspended(session, project.owner_id):
        raise Suspended(_SUSPENDED)
    access = Access(
        project_id=member.project_id,
        scopes=member.scopes,
        kind="developer",
        actor_id=signed_in.developer_id,
        actor_name=signed_in.name,
        developer_id=signed_in.developer_id,
    )
    return _Found(access, project.requests_per_minute)


class Requires:
    """What a route asks of whoever calls it: a scope, or (`None`) only to be known. `token_of` says how the key is
    carried, `project_of` how a developer's project is named, `rate_of` which rate of its own a request has, and
    `named` what a door calls the scope."""

    def __init__(
        self,
        scope: Scope | None,
        *,
        token_of: TokenOf = bearer_token,
        project_of: ProjectOf = header_project,
        rate_of: RateOf = _no_rate_of_its_own,
        named: str | None = None,
    ) -> None:
        self.scope = scope
        self._token_of = token_of
        self._project_of = project_of
        self._rate_of = rate_of
        self._named = named or scope

    async def __call__(self, request: Request) -> Access:
        access = await authenticate(request, self._token_of, self._project_of, self._rate_of)
        if self.scope is not None and not access.may(self.scope):
            sentence = f"This needs the scope `{self._named}`, which your {_noun(access)} does not have."
            raise LacksScope(sentence, self.scope)
        return access


def _noun(access: Access) -> str:
    return "key" if access.kind == "key" else "role"
