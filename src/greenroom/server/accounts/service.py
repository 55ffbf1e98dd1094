"""Developers: signing in and out, passwords, one-time links, suspending."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.errors import Problem, UserMistake
from greenroom.server.accounts import store
from greenroom.server.accounts.store import DeveloperRow, LinkRow, MemberRow, SessionRow
from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.database.ids import is_id, new_id
from greenroom.server.problems import Invalid, NotAllowed, NotSignedIn
from greenroom.server.projects import service as projects
from greenroom.server.rates import service as rates
from greenroom.server.security.passwords import check_password, hash_password, is_password, needs_new_hash
from greenroom.server.security.scopes import SCOPES_OF, Role, Scope, in_order
from greenroom.server.security.tokens import digest, new_token
from greenroom.server.security.who import Access

_WRONG = "E-mail address and password do not go together: check both."
_USED_UP = "This link was used or is too old: ask for a new one."
_NOTED_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The developer of a session."""

    developer_id: str
    name: str
    suspended: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What a developer may do in a project."""

    project_id: str
    scopes: frozenset[Scope]


async def is_suspended(session: AsyncSession, developer_id: str) -> bool:
    """Whether an account is suspended, in an open transaction."""
    row = await store.find_developer(session, developer_id)
    return row is not None and row.suspended_at is not None


async def recognise(session: AsyncSession, token: str, now: datetime) -> SignedIn | None:
    """The developer whose session a token is, in an open transaction."""
    found = await store.find_session(session, digest(token))
    if found is None or found.expires_at <= now:
        return None
    developer = await store.find_developer(session, found.developer_id)
    if developer is None:
        return None
    return SignedIn(developer.id, developer.email, developer.suspended_at is not None)


async def membership(session: AsyncSession, developer_id: str, project_id: str | None) -> Standing | None:
    """What a developer may do in a project; without one, in the only one that they are a member of."""
    if project_id is None:
        found = await store.memberships_of(session, developer_id)
        row = found[0] if len(found) == 1 else None
    else:
        row = await store.find_member(session, project_id, developer_id) if is_id(project_id, "prj") else None
    return Standing(row.project_id, SCOPES_OF[Role(row.role)]) if row else None


async def sign_in(context: Context, email: str, password: str, address: str) -> dict[str, Any]:
    """Start a session.

    Raises:
        NotSignedIn: address and password do not go together.
        NotAllowed: the account is suspended.
        TooMany: too many attempts from this network address.
    """
    await rates.count(
        context,
        f"sign-in:{address}"[:200],
        context.settings.sign_ins_per_minute,
        "attempts to sign in from your address",
    )
    async with context.database.reading() as session:
        developer = await store.find_by_email(session, email)
    if not await is_password(password, developer.password_hash if developer else None) or developer is None:
        raise NotSignedIn(_WRONG)
    if developer.suspended_at is not None:
        raise NotAllowed("This account is suspended: ask whoever runs this service.")
    fresh = await hash_password(password) if needs_new_hash(developer.password_hash or "") else None
    async with context.database.writing() as session:
        await store.end_expired(session, context.now())
        if fresh is not None and (row := await store.find_developer(session, developer.id)) is not None:
            row.password_hash = fresh
        return _begin_session(session, context, developer)


async def sign_out(context: Context, token: str) -> None:
    """End the session of a token; anything else is no trouble."""
    async with context.database.writing() as session:
        row = await store.find_session(session, digest(token))
        if row is not None:
            await session.delete(row)


async def change_password(context: Context, access: Access, token: str, password: str, new_password: str) -> None:
    """Set another password, and end all other sessions of the developer.

    Raises:
        NotAllowed: this is a key, or the password is wrong.
        Invalid: the new one cannot be a password.
    """
    if access.kind != "developer":
        raise NotAllowed("Only a person who is signed in has a password.")
    limit = context.settings.sign_ins_per_minute
    await rates.count(context, f"password:{access.actor_id}", limit, "attempts to change a password")
    _check(new_password, "new_password")
    async with context.database.reading() as session:
        developer = await store.find_developer(session, access.actor_id)
    if not await is_password(password, developer.password_hash if developer else None):
        raise NotAllowed("The present password is another one.")
    kept = await hash_password(new_password)
    async with context.database.writing() as session:
        row = await store.find_developer(session, access.actor_id)
        present = await store.find_session(session, digest(token))
        if row is not None:
            row.password_hash = kept
            await store.end_sessions(session, row.id, but=present.id if present else None)
            audit.record(session, access, context.now(), "developer.password_changed", row.id)


async def use_link(
    context: Context, token: str, password: str, email: str | None, name: str | None, address: str
) -> dict[str, Any]:
    """Set a password with a one-time link, and start a session. The first developer gets the projects that are there.

    Raises:
        Invalid: the link is used up, or what it is used with cannot be.
    """
    limit = context.settings.sign_ins_per_minute
    await rates.count(context, f"sign-in:{address}"[:200], limit, "attempts to sign in from your address")
    _check(password, "password")
    kept = await hash_password(password)
    async with context.database.writing() as session:
        link = await store.find_link(session, digest(token))
        if link is None or link.used_at is not None or link.expires_at <= context.now():
            raise Invalid([Problem(("token",), _USED_UP)])
        if not await store.use_link(session, link.id, context.now()):
            raise Invalid([Problem(("token",), _USED_UP)])
        developer = (
            await _first_developer(session, context, email, name)
            if link.developer_id is None
            else await store.find_developer(session, link.developer_id)
        )
        if developer is None:
            raise Invalid([Problem(("token",), _USED_UP)])
        developer.password_hash = kept
        await store.end_sessions(session, developer.id)
        audit.record(session, _as(developer), context.now(), "developer.password_set", developer.id)
        return _begin_session(session, context, developer)


async def first_link(context: Context, *, anew: bool = False) -> str | None:
    """A link for the first developer; `None` where there is one already, or an unused link was made before."""
    async with context.database.writing() as session:
        if await store.count_developers(session):
            return None
        if await store.has_open_link(session, context.now()) and not anew:
            return None
        await store.drop_links(session, None)
        return _add_link(session, context, None)


async def new_link(context: Context, email: str) -> str:
    """A link with which a developer sets a new password.

    Raises:
        UserMistake: there is no such developer.
    """
    async with context.database.writing() as session:
        row = await _named(session, email)
        await store.drop_links(session, row.id)
        return _add_link(session, context, row.id)


async def set_suspended(context: Context, email: str, *, suspended: bool) -> None:
    """Suspend an account, which ends its sessions, or let it in again.

    Raises:
        UserMistake: there is no such developer.
    """
    async with context.database.writing() as session:
        row = await _named(session, email)
        row.suspended_at = context.now() if suspended else None
        if suspended:
            await store.end_sessions(session, row.id)
        action = "developer.suspended" if suspended else "developer.resumed"
        audit.record(session, _OPERATOR, context.now(), action, row.id)


async def list_developers(context: Context) -> list[dict[str, Any]]:
    """All developers, with the projects that they are members of."""
    async with context.database.reading() as session:
        return [
            {
                **shown(row),
                "suspended": row.suspended_at is not None,
                "has_password": row.password_hash is not None,
                "memberships": [
                    {"project_id": each.project_id, "role": each.role}
                    for each in await store.memberships_of(session, row.id)
                ],
            }
            for row in await store.list_developers(session)
        ]


async def myself(context: Context, access: Access) -> dict[str, Any]:
    """Who sends the request."""
    async with context.database.reading() as session:
        rows = await store.memberships_of(session, access.actor_id) if access.kind == "developer" else []
        found = [(row, await projects.read(session, row.project_id)) for row in rows]
    return {
        "kind": access.kind,
        "id": access.actor_id,
        "name": access.actor_name,
        "project_id": access.project_id,
        "scopes": in_order(access.scopes),
        "projects": [
            {"project_id": row.project_id, "name": project.name, "role": row.role} for row, project in found if project
        ],
    }


async def forget_old(context: Context) -> None:
    """End the sessions whose time is over."""
    async with context.database.writing() as session:
        await store.end_expired(session, context.now())


def shown(row: DeveloperRow) -> dict[str, Any]:
    """A developer as they are told."""
    return {"id": row.id, "email": row.email, "name": row.name}


def add_developer(session: AsyncSession, context: Context, email: str, name: str | None) -> DeveloperRow:
    """Make an account without a password, in an open transaction."""
    row = DeveloperRow(
        id=new_id("dev"),
        email=email,
        name=name or email.partition("@")[0],
        password_hash=None,
        suspended_at=None,
        created_at=context.now(),
    )
    session.add(row)
    return row


def add_link(session: AsyncSession, context: Context, developer_id: str) -> str:
    """Make a one-time link for an account, in an open transaction."""
    return _add_link(session, context, developer_id)


_OPERATOR = Access("", frozenset(), "operator", "operator", "the operator")


async def _named(session: AsyncSession, email: str) -> DeveloperRow:
    row = await store.find_by_email(session, email.strip().lower())
    if row is None:
        raise UserMistake(f"there is no developer `{email}`: `greenroom users list` shows who there is")
    return row


async def _first_developer(
    session: AsyncSession, context: Context, email: str | None, name: str | None
) -> DeveloperRow:
    if email is None:
        raise Invalid([Problem(("email",), "`email` is missing: the first developer gives an address")])
    if await store.count_developers(session):
        raise Invalid([Problem(("token",), _USED_UP)])
    developer = add_developer(session, context, email, name)
    await session.flush()
    for project_id in await projects.adopt(session, developer.id):
        session.add(
            MemberRow(project_id=project_id, developer_id=developer.id, role=Role.ADMIN.value, created_at=context.now())
        )
    return developer


def _begin_session(session: AsyncSession, context: Context, developer: DeveloperRow) -> dict[str, Any]:
    token, now = new_token("grs_"), context.now()
    expires = now + timedelta(days=context.settings.session_days)
    session.add(
        SessionRow(
            id=new_id("ses"),
            token_digest=digest(token),
            developer_id=developer.id,
            created_at=now,
            expires_at=expires,
            last_used_at=now,
        )
    )
    return {"token": token, "expires_at": expires, "developer": shown(developer)}


def _add_link(session: AsyncSession, context: Context, developer_id: str | None) -> str:
    token, now = new_token("grl_"), context.now()
    session.add(
        LinkRow(
            id=new_id("lnk"),
            token_digest=digest(token),
            developer_id=developer_id,
            created_at=now,
            expires_at=now + timedelta(hours=context.settings.link_hours),
            used_at=None,
        )
    )
    return token


def _check(password: str, field: str) -> None:
    try:
        check_password(password)
    except UserMistake as mistake:
        raise Invalid([Problem((field,), str(mistake))]) from None


def _as(developer: DeveloperRow) -> Access:
    return Access("", frozenset(), "developer", developer.id, developer.email, developer.id)
