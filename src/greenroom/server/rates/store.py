"""The table of counters, one row for each thing that is counted in a minute."""

from __future__ import annotations

from sqlalchemy import BigInteger, String, delete
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base


class CounterRow(Base):
    """How often something happened in one minute. `minute` counts from 1970."""

    __tablename__ = "rates"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    minute: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    count: Mapped[int]


async def count_one(session: AsyncSession, name: str, minute: int, *, is_sqlite: bool) -> int:
    """Count one more, and give the count of the minute."""
    insert = sqlite.insert(CounterRow) if is_sqlite else postgresql.insert(CounterRow)
    statement = insert.values(name=name, minute=minute, count=1).on_conflict_do_update(
        index_elements=["name", "minute"], set_={"count": CounterRow.count + 1}
    )
    return (await session.execute(statement.returning(CounterRow.count))).scalar_one()


async def forget_before(session: AsyncSession, minute: int) -> None:
    await session.execute(delete(CounterRow).where(CounterRow.minute < minute))
