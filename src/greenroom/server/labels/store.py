"""The table of labels. They stay when their runs are let go of: what was learnt of the judge holds on."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id


class LabelRow(Base):
    """Somebody's word on one judged check of one run; the last word counts."""

    __tablename__ = "labels"
    __table_args__ = (
        UniqueConstraint("run_id", "check"),
        Index("ix_labels_project_id_agent_id", "project_id", "agent_id"),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"))
    agent_id: Mapped[str] = mapped_column(Id)
    run_id: Mapped[str] = mapped_column(Id)
    check: Mapped[int]
    test: Mapped[str] = mapped_column(String(200))
    question: Mapped[str] = mapped_column(Text)
    judge: Mapped[bool]
    right: Mapped[bool]
    note: Mapped[str] = mapped_column(Text, default="")
    author: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]


async def find_label(session: AsyncSession, project_id: str, run_id: str, check: int) -> LabelRow | None:
    query = select(LabelRow).where(
        LabelRow.project_id == project_id, LabelRow.run_id == run_id, LabelRow.check == check
    )
    return await session.scalar(query)


async def labels_of_run(session: AsyncSession, project_id: str, run_id: str) -> list[LabelRow]:
    query = select(LabelRow).where(LabelRow.project_id == project_id, LabelRow.run_id == run_id)
    return list((await session.scalars(query.order_by(LabelRow.check))).all())


async def count_by_question(
    session: AsyncSession, project_id: str, agent_id: str | None
) -> list[tuple[str, bool, bool, int]]:
    """How many labels there are of each question, by what the judge said and whether that was right."""
    query = select(LabelRow.question, LabelRow.judge, LabelRow.right, func.count()).where(
        LabelRow.project_id == project_id
    )
    if agent_id is not None:
        query = query.where(LabelRow.agent_id == agent_id)
    rows = await session.execute(query.group_by(LabelRow.question, LabelRow.judge, LabelRow.right))
    return [(question, judge, right, count) for question, judge, right, count in rows.all()]
