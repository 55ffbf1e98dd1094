"""The tables of credits: one account a project, a ledger that is only added to, and what is held for unfinished runs.

An account's balance is the sum of its ledger, its `held` the sum of its holds, and never is more held than there is:
each change is one conditional statement, so that runs that start side by side cannot spend the same credits twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id, Money
from greenroom.server.paging import Slice, Wish, fetch_slice


class AccountRow(Base):
    """A project's credits, in millionths of the currency's unit."""

    __tablename__ = "credit_accounts"
    __table_args__ = (
        CheckConstraint("held >= 0", "holds_nothing_negative"),
        CheckConstraint("balance >= held", "is_not_overdrawn"),
    )

    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    balance: Mapped[int] = mapped_column(Money, default=0)
    held: Mapped[int] = mapped_column(Money, default=0)
    monthly_budget: Mapped[int | None] = mapped_column(Money)
    batch_cap: Mapped[int | None] = mapped_column(Money)


class LedgerRow(Base):
    """One change of a balance. Never changed, never deleted with its run."""

    __tablename__ = "credit_ledger"
    __table_args__ = (
        Index("ix_credit_ledger_project_id_id", "project_id", "id"),
        Index("uq_credit_ledger_reference", "reference", unique=True),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"))
    amount: Mapped[int] = mapped_column(Money)
    kind: Mapped[str] = mapped_column(String(20))
    reference: Mapped[str | None] = mapped_column(String(64))
    note: Mapped[str] = mapped_column(String(300), default="")
    created_at: Mapped[datetime]


class HoldRow(Base):
    """What is held for one unfinished run: of the credits (`amount`), and of the month's budget (`estimate`)."""

    __tablename__ = "credit_holds"

    run_id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    amount: Mapped[int] = mapped_column(Money)
    estimate: Mapped[int] = mapped_column(Money)
    month: Mapped[str] = mapped_column(String(7))


class MonthRow(Base):
    """What a project's runs cost in one month, on whatever credential, and what is expected of unfinished ones."""

    __tablename__ = "credit_months"

    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    month: Mapped[str] = mapped_column(String(7), primary_key=True)
    spent: Mapped[int] = mapped_column(Money, default=0)
    expected: Mapped[int] = mapped_column(Money, default=0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be held for one run."""

    run_id: str
    amount: int
    estimate: int


def _insert(session: AsyncSession) -> Any:
    return sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert


async def ensure_account(session: AsyncSession, project_id: str) -> None:
    """Make the project's account if it has none."""
    row = {"project_id": project_id, "balance": 0, "held": 0}
    await session.execute(_insert(session)(AccountRow).values(row).on_conflict_do_nothing())


async def find_account(session: AsyncSession, project_id: str, *, lock: bool = False) -> AccountRow | None:
    query = select(AccountRow).where(AccountRow.project_id == project_id).execution_options(populate_existing=True)
    return await session.scalar(query.with_for_update() if lock else query)


async def set_bounds(
    session: AsyncSession, project_id: str, *, monthly_budget: int | None, batch_cap: int | None
) -> None:
    await session.execute(
        update(AccountRow)
        .where(AccountRow.project_id == project_id)
        .values(monthly_budget=monthly_budget, batch_cap=batch_cap)
    )


async def hold_amount(session: AsyncSession, project_id: str, amount: int) -> bool:
    """Hold credits; `False`, with nothing changed, where there are not enough."""
    statement = (
        update(AccountRow)
        .where(AccountRow.project_id == project_id, AccountRow.balance - AccountRow.held >= amount)
        .values(held=AccountRow.held + amount)
    )
    return _changed(await session.execute(statement)) == 1


async def hold_up_to(session: AsyncSession, project_id: str, amount: int) -> int:
    """Hold as much of `amount` as there is; how much that was, 0 with nothing changed where there is nothing."""
    query = select(AccountRow.balance - AccountRow.held).where(AccountRow.project_id == project_id)
    # The row is held on to, so that nothing comes between asking and taking.
    there = await session.scalar(query.with_for_update()) or 0
    most = min(amount, max(there, 0))
    return most if most and await hold_amount(session, project_id, most) else 0


async def expect_cost(session: AsyncSession, project_id: str, month: str, estimate: int, budget: int) -> bool:
    """Count on a cost in a month; `False`, with nothing changed, where that would pass the budget."""
    row = {"project_id": project_id, "month": month, "spent": 0, "expected": 0}
    await session.execute(_insert(session)(MonthRow).values(row).on_conflict_do_nothing())
    statement = (
        update(MonthRow)
        .where(
            MonthRow.project_id == project_id,
            MonthRow.month == month,
            MonthRow.spent + MonthRow.expected + estimate <= budget,
        )
        .values(expected=MonthRow.expected + estimate)
    )
    return _changed(await session.execute(statement)) == 1


async def add_holds(session: AsyncSession, project_id: str, month: str, wanted: Sequence[Wanted]) -> None:
    rows = [
        HoldRow(run_id=w.run_id, project_id=project_id, amount=w.amount, estimate=w.estimate, month=month)
        for w in wanted
    ]
    session.add_all(rows)
    await session.flush()


async def raise_hold(session: AsyncSession, run_id: str, amount: int) -> None:
    await session.execute(update(HoldRow).where(HoldRow.run_id == run_id).values(amount=HoldRow.amount + amount))


async def find_hold(session: AsyncSession, run_id: str) -> HoldRow | None:
    return await session.scalar(
        select(HoldRow).where(HoldRow.run_id == run_id).execution_options(populate_existing=True)
    )


async def holds_before(session: AsyncSession, prefix: str, before: str, count: int) -> list[HoldRow]:
    """Some holds whose ids have a prefix and are older than the id `before`."""
    query = select(HoldRow).where(HoldRow.run_id >= f"{prefix}_", HoldRow.run_id < before)
    return list((await session.scalars(query.order_by(HoldRow.run_id).limit(count))).all())


async def count_holds(session: AsyncSession, project_id: str, prefix: str, since: str) -> int:
    """How many holds of a project have ids with a prefix and are no older than the id `since`."""
    query = select(func.count()).where(
        HoldRow.project_id == project_id,
        HoldRow.run_id.startswith(f"{prefix}_", autoescape=True),
        HoldRow.run_id >= since,
    )
    return int(await session.scalar(query) or 0)


async def drop_hold(session: AsyncSession, hold: HoldRow, *, charged: int, cost: int) -> None:
    """Take a hold back: `charged` leaves the balance, `cost` counts for the month."""
    await session.execute(delete(HoldRow).where(HoldRow.run_id == hold.run_id))
    await session.execute(
        update(AccountRow)
        .where(AccountRow.project_id == hold.project_id)
        .values(held=AccountRow.held - hold.amount, balance=AccountRow.balance - charged)
    )
    row = {"project_id": hold.project_id, "month": hold.month, "spent": 0, "expected": 0}
    await session.execute(_insert(session)(MonthRow).values(row).on_conflict_do_nothing())
    await session.execute(
        update(MonthRow)
        .where(MonthRow.project_id == hold.project_id, MonthRow.month == hold.month)
        .values(expected=MonthRow.expected - hold.estimate, spent=MonthRow.spent + cost)
    )


async def change_balance(session: AsyncSession, project_id: str, amount: int) -> bool:
    """Add to a balance, or take from it what is not held; `False`, with nothing changed, where that is not there."""
    statement = (
        update(AccountRow)
        .where(AccountRow.project_id == project_id, AccountRow.balance + amount >= AccountRow.held)
        .values(balance=AccountRow.balance + amount)
    )
    return _changed(await session.execute(statement)) == 1


async def spent_in(session: AsyncSession, project_id: str, month: str) -> tuple[int, int]:
    """What a month has cost, and what is expected of unfinished runs."""
    row = await session.get(MonthRow, (project_id, month), populate_existing=True)
    return (row.spent, row.expected) if row else (0, 0)


async def ledger_sum(session: AsyncSession, project_id: str) -> int:
    query = select(func.coalesce(func.sum(LedgerRow.amount), 0)).where(LedgerRow.project_id == project_id)
    return int(await session.scalar(query) or 0)


async def held_sum(session: AsyncSession, project_id: str) -> int:
    query = select(func.coalesce(func.sum(HoldRow.amount), 0)).where(HoldRow.project_id == project_id)
    return int(await session.scalar(query) or 0)


async def list_ledger(session: AsyncSession, project_id: str, wish: Wish) -> Slice[LedgerRow]:
    return await fetch_slice(session, select(LedgerRow).where(LedgerRow.project_id == project_id), LedgerRow.id, wish)


def _changed(result: object) -> int:
    return int(getattr(result, "rowcount", 0))
