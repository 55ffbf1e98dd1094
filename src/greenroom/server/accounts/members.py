"""Members of a project and their roles."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.errors import UserMistake
from greenroom.server.accounts import service, store
from greenroom.server.accounts.store import DeveloperRow, MemberRow
from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.database.ids import is_id
from greenroom.server.problems import Conflict, NotFound
from greenroom.server.projects import service as projects
from greenroom.server.security.scopes import Role
from greenroom.server.security.who import Access, operator

_LAST_ADMIN = "A project needs an admin: make somebody else one first."


async def list_members(context: Context, access: Access) -> dict[str, Any]:
    """The members of the project, all on one page."""
    async with context.database.reading() as session:
        found = await store.members_of(session, access.project_id)
    return {"items": [_shown(member, developer) for member, developer in found], "next_cursor": None}


async def invite(context: Context, access: Access, email: str, role: Role, name: str | None) -> dict[str, Any]:
    """Make somebody a member; where they have no password yet, with a one-time link that sets it.

    Raises:
        Conflict: they are a member already.
    """
    token: str | None = None
    async with context.database.writing() as session:
        developer = await store.find_by_email(session, email)
        if developer is None:
            developer = service.add_developer(session, context, email, name)
            await session.flush()
        elif await store.find_member(session, access.project_id, developer.id):
            raise Conflict(f"{email} is a member already: change their role instead.")
        member = MemberRow(
            project_id=access.project_id, developer_id=developer.id, role=role.value, created_at=context.now()
        )
        session.add(member)
        if developer.password_hash is None:
            await store.drop_links(session, developer.id)
            token = service.add_link(session, context, developer.id)
        details = {"email": email, "role": role.value}
        audit.record(session, access, context.now(), "member.added", developer.id, details)
    return {**_shown(member, developer), "link": welcome_link(context, token) if token else None}


async def show(context: Context, access: Access, developer_id: str) -> dict[str, Any]:
    """One member.

    Raises:
        NotFound: the project has no such member.
    """
    async with context.database.reading() as session:
        return _shown(*await _find(session, access, developer_id))


async def change_role(context: Context, access: Access, developer_id: str, role: Role) -> dict[str, Any]:
    """Give a member another role.

    Raises:
        NotFound: the project has no such member.
        Conflict: the project would be without an admin.
    """
    async with context.database.writing() as session:
        member, developer = await _find(session, access, developer_id)
        if role is not Role.ADMIN:
            await _keep_an_admin(session, member)
        member.role = role.value
        audit.record(session, access, context.now(), "member.role_changed", developer.id, {"role": role.value})
        return _shown(member, developer)


async def remove(context: Context, access: Access, developer_id: str) -> None:
    """Make somebody a member no more.

    Raises:
        NotFound: the project has no such member.
        Conflict: the project would be without an admin.
    """
    async with context.database.writing() as session:
        member, developer = await _find(session, access, developer_id)
        await _keep_an_admin(session, member)
        await session.delete(member)
        audit.record(session, access, context.now(), "member.removed", developer.id, {"email": developer.email})


async def make_project(context: Context, name: str, owner: str | None) -> dict[str, Any]:
    """Make a project; `owner` (an e-mail address) becomes its owner and admin.

    Raises:
        UserMistake: the name cannot be one, or there is no such developer.
        Conflict: there is a project of this name.
    """
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise UserMistake("a project's name has 1 to 200 characters, on one line")
    async with context.database.writing() as session:
        developer = None if owner is None else await store.find_by_email(session, owner.strip().lower())
        if owner is not None and developer is None:
            raise UserMistake(f"there is no developer `{owner}`: `greenroom users list` shows who there is")
        made = await projects.make(session, context, name.strip(), developer.id if developer else None)
        if developer is not None:
            session.add(
                MemberRow(
                    project_id=made["id"],
                    developer_id=developer.id,
                    role=Role.ADMIN.value,
                    created_at=context.now(),
                )
            )
        audit.record(session, operator(made["id"]), context.now(), "project.created", made["id"], {"name": name})
    return made


def welcome_link(context: Context, token: str) -> str:
    """The page where a password is set. The token stands behind `#`, which browsers send to nobody."""
    settings = context.settings
    base = (
        settings.public_url
        or f"http://{'[' + settings.host + ']' if ':' in settings.host else settings.host}:{settings.port}"
    )
    return f"{base.rstrip('/')}/welcome#{token}"


async def _keep_an_admin(session: AsyncSession, member: MemberRow) -> None:
    if member.role == Role.ADMIN and await store.count_admins(session, member.project_id) < 2:
        raise Conflict(_LAST_ADMIN)


async def _find(session: AsyncSession, access: Access, developer_id: str) -> tuple[MemberRow, DeveloperRow]:
    if is_id(developer_id, "dev"):
        member = await store.find_member(session, access.project_id, developer_id)
        developer = await store.find_developer(session, developer_id)
        if member is not None and developer is not None:
            return member, developer
    raise NotFound("There is no such member in this project.")


def _shown(member: MemberRow, developer: DeveloperRow) -> dict[str, Any]:
    return {
        "developer": service.shown(developer),
        "role": member.role,
        "suspended": developer.suspended_at is not None,
        "created_at": member.created_at,
    }
