"""Projects: finding and changing them, and the one that is there from the start."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.errors import UserMistake
from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.database.ids import is_id, new_id
from greenroom.server.problems import Conflict, NotFound
from greenroom.server.projects import store
from greenroom.server.projects.schemas import ProjectChange
from greenroom.server.projects.store import ProjectRow
from greenroom.server.security.who import Access

DEFAULT = "default"


async def read(session: AsyncSession, project_id: str) -> ProjectRow | None:
    """The project, in an open transaction."""
    return await store.find_project(session, project_id)


async def make_default(context: Context) -> None:
    """Make the first project where there is none."""
    async with context.database.writing() as session:
        if await store.any_project(session) is None:
            add_to(session, context, DEFAULT, owner_id=None)


def add_to(session: AsyncSession, context: Context, name: str, *, owner_id: str | None) -> ProjectRow:
    """Make a project in an open transaction."""
    row = ProjectRow(id=new_id("prj"), name=name, owner_id=owner_id, requests_per_minute=None, created_at=context.now())
    session.add(row)
    return row


async def find_by_word(context: Context, word: str) -> ProjectRow:
    """The project that is meant by an id or a name.

    Raises:
        UserMistake: there is none, or more than one.
    """
    async with context.database.reading() as session:
        if is_id(word, "prj"):
            found = [row for row in [await store.find_project(session, word)] if row]
        else:
            found = await store.find_named(session, word)
        names = ", ".join(f"`{row.name}`" for row in await store.list_projects(session))
    if not found:
        raise UserMistake(f"there is no project `{word}`: there is {names or 'none'}")
    if len(found) > 1:
        raise UserMistake(f"several projects are named `{word}`: give the id of the one you mean")
    return found[0]


async def adopt(session: AsyncSession, owner_id: str) -> list[str]:
    """Give the projects that nobody owns to the first developer; their ids."""
    rows = await store.owned_without_owner(session)
    for row in rows:
        row.owner_id = owner_id
    return [row.id for row in rows]


async def list_all(context: Context) -> list[dict[str, Any]]:
    """All projects of the service: for its operator."""
    async with context.database.reading() as session:
        return [_shown(context, row) for row in await store.list_projects(session)]


async def make(session: AsyncSession, context: Context, name: str, owner_id: str | None) -> dict[str, Any]:
    """Make a project of a name that no other has, in an open transaction.

    Raises:
        Conflict: there is one of this name.
    """
    if await store.find_named(session, name):
        raise Conflict(f"There is a project named `{name}` already: take another name.")
    row = add_to(session, context, name, owner_id=owner_id)
    await session.flush()
    return _shown(context, row)


async def show(context: Context, access: Access) -> dict[str, Any]:
    """The project of the access."""
    async with context.database.reading() as session:
        return _shown(context, await _own(session, access))


async def change(context: Context, access: Access, wanted: ProjectChange) -> dict[str, Any]:
    """Change the project of the access."""
    async with context.database.writing() as session:
        row = await _own(session, access)
        fields = wanted.model_dump(exclude_unset=True)
        for name, value in fields.items():
            setattr(row, name, value)
        audit.record(session, access, context.now(), "project.changed", row.id, {"fields": [*sorted(fields)]})
        return _shown(context, row)


async def _own(session: AsyncSession, access: Access) -> ProjectRow:
    row = await store.find_project(session, access.project_id)
    if row is None:
        raise NotFound("This project is gone.")
    return row


def _shown(context: Context, row: ProjectRow) -> dict[str, Any]:
    rate = row.requests_per_minute
    return {
        "id": row.id,
        "name": row.name,
        "owner_id": row.owner_id,
        "requests_per_minute": context.settings.requests_per_minute if rate is None else rate,
        "created_at": row.created_at,
    }
