"""The table of what projects used: one row a project and day, counted up as runs end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, String, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id, Money

COUNTS = (
    "passed",
    "failed",
    "errors",
    "cancelled",
    "drafts",
    "replies",
    "input_tokens",
    "output_tokens",
    "cost",
    "unknown_costs",
    "charged",
)


class UsageRow(Base):
    """What a project used on one day (`2026-03-01`, in UTC). Money in millionths of the currency's unit.

    `cost` is the part whose price is known; `unknown_costs` counts the runs, drafts and replies with a part
    that is not. `replies` are those that were recorded nowhere.
    """

    __tablename__ = "usage_days"

    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    passed: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    errors: Mapped[int] = mapped_column(default=0)
    cancelled: Mapped[int] = mapped_column(default=0)
    drafts: Mapped[int] = mapped_column(default=0)
    replies: Mapped[int] = mapped_column(default=0)
    input_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    output_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost: Mapped[int] = mapped_column(Money, default=0)
    unknown_costs: Mapped[int] = mapped_column(default=0)
    charged: Mapped[int] = mapped_column(Money, default=0)


async def count(session: AsyncSession, project_id: str, day: str, more: Mapping[str, int]) -> None:
    """Count something in."""
    insert: Any = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    empty = {"project_id": project_id, "day": day, **dict.fromkeys(COUNTS, 0)}
    await session.execute(insert(UsageRow).values(empty).on_conflict_do_nothing())
    changes = {name: getattr(UsageRow, name) + number for name, number in more.items() if number}
    if changes:
        statement = update(UsageRow).where(UsageRow.project_id == project_id, UsageRow.day == day).values(changes)
        await session.execute(statement.execution_options(synchronize_session=False))


async def days_between(session: AsyncSession, project_id: str, first: str, last: str) -> dict[str, UsageRow]:
    query = select(UsageRow).where(UsageRow.project_id == project_id, UsageRow.day >= first, UsageRow.day <= last)
    rows = (await session.scalars(query.execution_options(populate_existing=True))).all()
    return {row.day: row for row in rows}
