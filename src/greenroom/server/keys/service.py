"""Keys: making, listing and revoking them, and knowing one again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.errors import Problem, UserMistake
from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.database.ids import is_id, new_id
from greenroom.server.keys import store
from greenroom.server.keys.store import KeyRow
from greenroom.server.paging import Wish
from greenroom.server.problems import Invalid, NotAllowed, NotFound
from greenroom.server.security.scopes import in_order, read_scopes
from greenroom.server.security.tokens import digest, new_token, visible_prefix
from greenroom.server.security.who import Access

_USE_IS_NOTED_EVERY = timedelta(minutes=1)


async def create(
    context: Context, access: Access, name: str, scopes: Sequence[str], expires_at: datetime | None = None
) -> dict[str, Any]:
    """Make a key of the project. The answer holds the key itself, which is kept nowhere.

    Raises:
        Invalid: a scope is unknown, or the time is over.
        NotAllowed: the key would hold scopes that its maker does not have.
    """
    try:
        wanted = read_scopes(scopes)
    except UserMistake as mistake:
        raise Invalid([Problem(("scopes",), str(mistake))]) from None
    now = context.now()
    if expires_at is not None and expires_at <= now:
        raise Invalid([Problem(("expires_at",), "`expires_at` is over: give a time to come, or leave it out")])
    if missing := in_order(wanted - access.scopes):
        raise NotAllowed(
            f"Nobody can give what they do not have: you lack {', '.join(f'`{each}`' for each in missing)}."
        )
    token = new_token("gr_")
    row = KeyRow(
        id=new_id("key"),
        project_id=access.project_id,
        developer_id=access.developer_id,
        name=name,
        prefix=visible_prefix(token),
        digest=digest(token),
        scopes=in_order(wanted),
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
    )
    async with context.database.writing() as session:
        session.add(row)
        audit.record(session, access, now, "key.created", row.id, {"name": name, "scopes": [*row.scopes]})
    return {**shown(row), "key": token}


async def list_keys(context: Context, access: Access, wish: Wish) -> dict[str, Any]:
    """The keys of the project, revoked ones too."""
    async with context.database.reading() as session:
        return (await store.list_keys(session, access.project_id, wish)).page(shown)


async def show(context: Context, access: Access, key_id: str) -> dict[str, Any]:
    """One key.

    Raises:
        NotFound: the project has none of this id.
    """
    async with context.database.reading() as session:
        return shown(await _find(session, access, key_id))


async def revoke(context: Context, access: Access, key_id: str) -> None:
    """Let a key open nothing any more. Once more changes nothing.

    Raises:
        NotFound: the project has none of this id.
    """
    async with context.database.writing() as session:
        row = await _find(session, access, key_id)
        if row.revoked_at is None:
            row.revoked_at = context.now()
            audit.record(session, access, context.now(), "key.revoked", row.id, {"name": row.name})


async def recognise(session: AsyncSession, token: str) -> KeyRow | None:
    """The key that a token is, in an open transaction; whether it still opens anything is not looked at."""
    return await store.find_by_digest(session, digest(token))


def is_use_to_note(row: KeyRow, now: datetime) -> bool:
    """Whether the note of a key's last use is old enough for a new one."""
    return row.last_used_at is None or now - row.last_used_at >= _USE_IS_NOTED_EVERY


async def note_use(session: AsyncSession, key_id: str, now: datetime) -> None:
    """Note that a key was used, in an open transaction."""
    await session.execute(store.note_use(key_id, now))


def shown(row: KeyRow) -> dict[str, Any]:
    """A key as it is told."""
    names = ("id", "name", "prefix", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")
    return {name: getattr(row, name) for name in names}


async def _find(session: AsyncSession, access: Access, key_id: str) -> KeyRow:
    row = await store.find_key(session, access.project_id, key_id) if is_id(key_id, "key") else None
    if row is None:
        raise NotFound("There is no such key in this project.")
    return row
