"""The tables of agents and their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id
from greenroom.server.paging import Slice, Wish, fetch_slice


class AgentRow(Base):
    """An agent. `draft` is its data as it is being edited, with sealed secrets; `revision` grows with every change.

    `version` is the number of the last published version, `published_revision` the revision at which it was made.
    """

    __tablename__ = "agents"
    __table_args__ = (Index("ix_agents_project_id_id", "project_id", "id"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(200), index=True)
    draft: Mapped[dict[str, Any]]
    revision: Mapped[int]
    version: Mapped[int | None]
    published_revision: Mapped[int | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class VersionRow(Base):
    """A saved state of an agent; it never changes."""

    __tablename__ = "agent_versions"

    agent_id: Mapped[str] = mapped_column(Id, ForeignKey("agents.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[dict[str, Any]]
    note: Mapped[str | None] = mapped_column(Text)
    author: Mapped[str] = mapped_column(String(254))
    created_at: Mapped[datetime]


async def find_agent(session: AsyncSession, project_id: str, agent_id: str, *, lock: bool = False) -> AgentRow | None:
    """The agent; with `lock`, nobody else changes it until the transaction ends."""
    query = select(AgentRow).where(AgentRow.project_id == project_id, AgentRow.id == agent_id)
    return await session.scalar(query.with_for_update() if lock else query)


async def find_named(session: AsyncSession, project_id: str, name: str) -> AgentRow | None:
    """The oldest agent of a name, which is written in any case."""
    query = select(AgentRow).where(
        AgentRow.project_id == project_id, func.lower(AgentRow.name) == func.lower(name.strip())
    )
    return await session.scalar(query.order_by(AgentRow.id).limit(1))


async def list_agents(session: AsyncSession, project_id: str, wish: Wish) -> Slice[AgentRow]:
    return await fetch_slice(session, select(AgentRow).where(AgentRow.project_id == project_id), AgentRow.id, wish)


async def count_agents(session: AsyncSession, project_id: str) -> int:
    query = select(func.count()).select_from(AgentRow).where(AgentRow.project_id == project_id)
    return await session.scalar(query) or 0


async def find_version(session: AsyncSession, agent_id: str, number: int) -> VersionRow | None:
    return await session.get(VersionRow, (agent_id, number))


async def list_versions(session: AsyncSession, agent_id: str, before: int | None, count: int) -> list[VersionRow]:
    """Versions, the newest first, without their content being needed before `before`."""
    query = select(VersionRow).where(VersionRow.agent_id == agent_id)
    if before is not None:
        query = query.where(VersionRow.number < before)
    return list((await session.scalars(query.order_by(VersionRow.number.desc()).limit(count))).all())


async def agents_after(session: AsyncSession, after: str, count: int) -> list[AgentRow]:
    """Agents of all projects, in order of their ids."""
    query = select(AgentRow).where(AgentRow.id > after).order_by(AgentRow.id).limit(count)
    return list((await session.scalars(query)).all())


async def all_versions(session: AsyncSession, agent_id: str) -> list[VersionRow]:
    return list((await session.scalars(select(VersionRow).where(VersionRow.agent_id == agent_id))).all())
