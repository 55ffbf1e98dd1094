"""The tables of developers, their sessions and links, and memberships."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id


class DeveloperRow(Base):
    """An account. `email` is kept folded; without `password_hash` a one-time link must be used first."""

    __tablename__ = "developers"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    password_hash: Mapped[str | None] = mapped_column(String(300))
    suspended_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class SessionRow(Base):
    """A developer who is signed in."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    token_digest: Mapped[str] = mapped_column(String(64), unique=True)
    developer_id: Mapped[str] = mapped_column(Id, ForeignKey("developers.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    last_used_at: Mapped[datetime]


class LinkRow(Base):
    """A link that sets a password once. Without a developer, it makes the first one."""

    __tablename__ = "links"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    token_digest: Mapped[str] = mapped_column(String(64), unique=True)
    developer_id: Mapped[str | None] = mapped_column(Id, ForeignKey("developers.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class MemberRow(Base):
    """A developer's role in a project."""

    __tablename__ = "members"

    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    developer_id: Mapped[str] = mapped_column(
        Id, ForeignKey("developers.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime]


async def find_developer(session: AsyncSession, developer_id: str) -> DeveloperRow | None:
    return await session.get(DeveloperRow, developer_id)


async def find_by_email(session: AsyncSession, email: str) -> DeveloperRow | None:
    return await session.scalar(select(DeveloperRow).where(DeveloperRow.email == email))


async def count_developers(session: AsyncSession) -> int:
    return await session.scalar(select(func.count()).select_from(DeveloperRow)) or 0


async def list_developers(session: AsyncSession) -> list[DeveloperRow]:
    return list((await session.scalars(select(DeveloperRow).order_by(DeveloperRow.id))).all())


async def find_session(session: AsyncSession, digest: str) -> SessionRow | None:
    return await session.scalar(select(SessionRow).where(SessionRow.token_digest == digest))


async def end_sessions(session: AsyncSession, developer_id: str, *, but: str | None = None) -> None:
    """End all sessions of a developer, `but` one."""
    query = delete(SessionRow).where(SessionRow.developer_id == developer_id)
    await session.execute(query if but is None else query.where(SessionRow.id != but))


async def end_expired(session: AsyncSession, now: datetime) -> None:
    await session.execute(delete(SessionRow).where(SessionRow.expires_at <= now))


async def find_link(session: AsyncSession, digest: str) -> LinkRow | None:
    return await session.scalar(select(LinkRow).where(LinkRow.token_digest == digest))


async def use_link(session: AsyncSession, link_id: str, now: datetime) -> bool:
    """Mark a link as used; `False` where somebody was faster."""
    query = update(LinkRow).where(LinkRow.id == link_id, LinkRow.used_at.is_(None)).values(used_at=now)
    return await session.scalar(query.returning(LinkRow.id)) is not None


async def has_open_link(session: AsyncSession, now: datetime) -> bool:
    """Whether a link for the first developer is still good."""
    query = select(LinkRow.id).where(
        LinkRow.developer_id.is_(None), LinkRow.used_at.is_(None), LinkRow.expires_at > now
    )
    return await session.scalar(query.limit(1)) is not None


async def drop_links(session: AsyncSession, developer_id: str | None) -> None:
    """Take back the unused links of a developer (`None`: those for the first one)."""
    owner = LinkRow.developer_id.is_(None) if developer_id is None else LinkRow.developer_id == developer_id
    await session.execute(delete(LinkRow).where(owner, LinkRow.used_at.is_(None)))


async def find_member(session: AsyncSession, project_id: str, developer_id: str) -> MemberRow | None:
    return await session.get(MemberRow, (project_id, developer_id))


async def memberships_of(session: AsyncSession, developer_id: str) -> list[MemberRow]:
    query = select(MemberRow).where(MemberRow.developer_id == developer_id).order_by(MemberRow.project_id)
    return list((await session.scalars(query)).all())


async def members_of(session: AsyncSession, project_id: str) -> list[tuple[MemberRow, DeveloperRow]]:
    query = (
        select(MemberRow, DeveloperRow)
        .join(DeveloperRow, DeveloperRow.id == MemberRow.developer_id)
        .where(MemberRow.project_id == project_id)
        .order_by(DeveloperRow.id)
    )
    return [(member, developer) for member, developer in await session.execute(query)]


async def count_admins(session: AsyncSession, project_id: str) -> int:
    query = select(func.count()).select_from(MemberRow).where(MemberRow.project_id == project_id)
    return await session.scalar(query.where(MemberRow.role == "admin")) or 0
