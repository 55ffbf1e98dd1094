"""The table of projects."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id


class ProjectRow(Base):
    """A project. `requests_per_minute` stands for the setting where it is set."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    name: Mapped[str] = mapped_column(String(200), index=True)
    owner_id: Mapped[str | None] = mapped_column(Id, ForeignKey("developers.id", ondelete="SET NULL"), index=True)
    requests_per_minute: Mapped[int | None]
    created_at: Mapped[datetime]


async def find_project(session: AsyncSession, project_id: str) -> ProjectRow | None:
    return await session.get(ProjectRow, project_id)


async def find_named(session: AsyncSession, name: str) -> list[ProjectRow]:
    """The projects of this name, at most two: more than one is too many."""
    query = select(ProjectRow).where(ProjectRow.name == name).order_by(ProjectRow.id).limit(2)
    return list((await session.scalars(query)).all())


async def any_project(session: AsyncSession) -> ProjectRow | None:
    return await session.scalar(select(ProjectRow).order_by(ProjectRow.id).limit(1))


async def list_projects(session: AsyncSession) -> list[ProjectRow]:
    return list((await session.scalars(select(ProjectRow).order_by(ProjectRow.id))).all())


async def owned_without_owner(session: AsyncSession) -> list[ProjectRow]:
    """Projects that nobody owns yet."""
    return list((await session.scalars(select(ProjectRow).where(ProjectRow.owner_id.is_(None)))).all())
