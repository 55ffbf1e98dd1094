"""The tables of tests and their tags."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Select, String, delete, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id
from greenroom.server.paging import Slice, Wish, fetch_slice


class TestRow(Base):
    """A test of an agent. `policy` is that of the door that made it; `revision` grows with every change."""

    __tablename__ = "tests"
    __table_args__ = (Index("ix_tests_agent_id_id", "agent_id", "id"),)
    __test__ = False

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    agent_id: Mapped[str] = mapped_column(Id, ForeignKey("agents.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(200))
    content: Mapped[dict[str, Any]]
    policy: Mapped[str] = mapped_column(String(40))
    revision: Mapped[int]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class TagRow(Base):
    """One tag of a test."""

    __tablename__ = "test_tags"
    __table_args__ = (Index("ix_test_tags_tag_test_id", "tag", "test_id"),)

    test_id: Mapped[str] = mapped_column(Id, ForeignKey("tests.id", ondelete="CASCADE"), primary_key=True)
    tag: Mapped[str] = mapped_column(String(100), primary_key=True)


def _of_agent(project_id: str, agent_id: str) -> Select[TestRow]:
    return select(TestRow).where(TestRow.project_id == project_id, TestRow.agent_id == agent_id)


def _tagged(query: Select[TestRow], tags: Sequence[str]) -> Select[TestRow]:
    for tag in tags:
        query = query.where(exists().where(TagRow.test_id == TestRow.id, TagRow.tag == tag))
    return query


async def find_test(
    session: AsyncSession, project_id: str, agent_id: str, test_id: str, *, lock: bool = False
) -> TestRow | None:
    query = _of_agent(project_id, agent_id).where(TestRow.id == test_id)
    return await session.scalar(query.with_for_update() if lock else query)


async def list_tests(
    session: AsyncSession, project_id: str, agent_id: str, tags: Sequence[str], wish: Wish
) -> Slice[TestRow]:
    """The tests that have all of these tags."""
    return await fetch_slice(session, _tagged(_of_agent(project_id, agent_id), tags), TestRow.id, wish)


async def find_tests(
    session: AsyncSession, project_id: str, agent_id: str, *, ids: Sequence[str] | None, tags: Sequence[str]
) -> list[TestRow]:
    """All tests with these tags, or with one of these ids, in the order in which they were made."""
    query = _tagged(_of_agent(project_id, agent_id), tags)
    if ids is not None:
        query = query.where(TestRow.id.in_(ids))
    return list((await session.scalars(query.order_by(TestRow.id))).all())


async def count_tests(session: AsyncSession, agent_id: str) -> int:
    return await session.scalar(select(func.count()).select_from(TestRow).where(TestRow.agent_id == agent_id)) or 0


async def set_tags(session: AsyncSession, test_id: str, tags: Sequence[str]) -> None:
    """Make these the tags of a test."""
    await session.execute(delete(TagRow).where(TagRow.test_id == test_id))
    session.add_all([TagRow(test_id=test_id, tag=tag) for tag in dict.fromkeys(tags)])
