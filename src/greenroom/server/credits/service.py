"""Credits: held before a run starts, settled when it is over, so that nothing is ever overdrawn.

Money is a whole number of millionths of the currency's unit.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from http import HTTPStatus
from itertools import accumulate
from operator import itemgetter
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.credits import store
from greenroom.server.credits.store import LedgerRow, Wanted
from greenroom.server.database.ids import Prefix, new_id
from greenroom.server.paging import Wish
from greenroom.server.problems import Conflict, Refusal
from greenroom.server.security.who import Access

MILLION = 1_000_000
_OVER_CAP = "These runs could cost more than the project allows one batch: start fewer at a time."
_OVER_BUDGET = "The project's budget for this month does not reach for these runs: raise it, or wait."
_TOO_LITTLE = "The project has not enough credits for these runs: add some, or use your own credential."


class CannotPay(Refusal):
    """The credits or the budget do not reach."""

    status = HTTPStatus.PAYMENT_REQUIRED
    title = "Not enough credits"


class OverBudget(CannotPay):
    """A bound that the project set itself does not reach; it may have credits all the same."""


@dataclass(frozen=True, slots=True)
class Credits:
    """How a project stands. `available` is what new runs may use; `month_spent` counts all credentials."""

    balance: int
    held: int
    month_spent: int
    month_expected: int
    monthly_budget: int | None
    batch_cap: int | None

    @property
    def available(self) -> int:
        return self.balance - self.held


def month_of(moment: datetime) -> str:
    """The month that a moment counts for."""
    return f"{moment:%Y-%m}"


async def credits_of(session: AsyncSession, project_id: str, now: datetime) -> Credits:
    account = await store.find_account(session, project_id)
    spent, expected = await store.spent_in(session, project_id, month_of(now))
    if account is None:
        return Credits(0, 0, spent, expected, None, None)
    return Credits(account.balance, account.held, spent, expected, account.monthly_budget, account.batch_cap)


async def set_bounds(
    session: AsyncSession, project_id: str, *, monthly_budget: int | None, batch_cap: int | None
) -> None:
    """Bound what a project's runs may cost a month, and what one batch may."""
    await store.ensure_account(session, project_id)
    await store.set_bounds(session, project_id, monthly_budget=monthly_budget, batch_cap=batch_cap)


async def add_credits(
    session: AsyncSession,
    project_id: str,
    amount: int,
    now: datetime,
    *,
    kind: Literal["added", "corrected", "refund"] = "added",
    note: str = "",
    reference: str | None = None,
) -> None:
    """Add credits, or take some (`amount` below 0) that are not held.

    Raises:
        Conflict: there are not as many to take.
    """
    await store.ensure_account(session, project_id)
    if not await store.change_balance(session, project_id, amount):
        raise Conflict("The project has fewer credits than that, or they are held for runs that are not over.")
    _write(session, project_id, amount, kind, now, note, reference)


async def hold(session: AsyncSession, project_id: str, wanted: Sequence[Wanted], now: datetime) -> None:
    """Hold what runs may come to cost, all or nothing.

    Raises:
        CannotPay: the credits, the month's budget or the cap of a batch do not reach.
    """
    month = await _expect(session, project_id, sum(each.estimate for each in wanted), now)
    amount = sum(each.amount for each in wanted)
    if amount and not await store.hold_amount(session, project_id, amount):
        raise CannotPay(_TOO_LITTLE)
    await store.add_holds(session, project_id, month, wanted)


async def hold_in_part(session: AsyncSession, project_id: str, wanted: Wanted, now: datetime) -> None:
    """Hold what one work may come to cost, or as much of it as there is.

    Raises:
        CannotPay: there are no credits at all, or the month's budget or the cap of a batch does not reach.
    """
    month = await _expect(session, project_id, wanted.estimate, now)
    amount = await store.hold_up_to(session, project_id, wanted.amount)
    if wanted.amount and not amount:
        raise CannotPay("The project has no credits left: add some, or use your own credential.")
    await store.add_holds(session, project_id, month, [replace(wanted, amount=amount)])


async def _expect(session: AsyncSession, project_id: str, estimate: int, now: datetime) -> str:
    """Count on a cost within the bounds that the project set; the month that it counts for."""
    await store.ensure_account(session, project_id)
    # Held on to from here: work that begins and work that ends take the account before the month, and never cross.
    account = await store.find_account(session, project_id, lock=True)
    assert account is not None  # noqa: S101 - it was made just above
    if account.batch_cap is not None and estimate > account.batch_cap:
        raise OverBudget(_OVER_CAP)
    month = month_of(now)
    budget = account.monthly_budget if account.monthly_budget is not None else 2**62
    if not await store.expect_cost(session, project_id, month, estimate, budget):
        raise OverBudget(_OVER_BUDGET)
    return month


async def count_held(session: AsyncSession, project_id: str, prefix: Prefix, since: str) -> int:
    """How many works of a kind are held for in a project, those apart that are older than the id `since`. Who holds
    first in the same transaction counts alone: others wait for its end."""
    return await store.count_holds(session, project_id, prefix, since)


async def reach(session: AsyncSession, project_id: str, wanted: Sequence[Wanted], now: datetime) -> int:
    """For how many of these, from the first on, the credits, the month's budget and the cap of a batch reach: at least
    for one. Nobody else takes of the credits until the end of the transaction.

    Raises:
        CannotPay: they do not reach for the first.
    """
    await store.ensure_account(session, project_id)
    await store.find_account(session, project_id, lock=True)
    standing = await credits_of(session, project_id, now)
    amounts = list(accumulate(each.amount for each in wanted))
    estimates = list(accumulate(each.estimate for each in wanted))
    cap = math.inf if standing.batch_cap is None else standing.batch_cap
    budget = math.inf if standing.monthly_budget is None else standing.monthly_budget
    bounds = (
        (estimates, cap, _OVER_CAP),
        (estimates, budget - standing.month_spent - standing.month_expected, _OVER_BUDGET),
        (amounts, standing.available, _TOO_LITTLE),
    )
    counted = ((bisect_right(sums, most), sentence) for sums, most, sentence in bounds)
    count, sentence = min(counted, key=itemgetter(0))
    if wanted and not count:
        raise (CannotPay if sentence == _TOO_LITTLE else OverBudget)(sentence)
    return count


async def adjust_hold(session: AsyncSession, run_id: str, needed: int, *, in_part: bool = False) -> bool:
    """Make sure that `needed` is held for a run, or with `in_part` anything at all; `False` where the credits do not
    reach."""
    held = await store.find_hold(session, run_id)
    if held is None:
        return False
    missing = needed - held.amount
    if missing <= 0 or (in_part and held.amount):
        return True
    if in_part:
        more = await store.hold_up_to(session, held.project_id, missing)
        await store.raise_hold(session, run_id, more)
        return more > 0
    if not await store.hold_amount(session, held.project_id, missing):
        return False
    await store.raise_hold(session, run_id, missing)
    return True


async def settle(
    session: AsyncSession, run_id: str, now: datetime, *, charge: int, cost: int, note: str, in_part: bool = False
) -> int:
    """Charge a finished run and let go of what was held for it; what was charged. Done once: a run that was settled
    before is not charged again. What is not held is not taken, unless with `in_part`: then as much as there is.

    `cost` is what the run cost on all credentials, as far as it is known.
    """
    held = await store.find_hold(session, run_id)
    if held is None:
        return 0
    if in_part and charge > held.amount:
        more = await store.hold_up_to(session, held.project_id, charge - held.amount)
        await store.raise_hold(session, run_id, more)
        held = await store.find_hold(session, run_id) or held
    charged = min(charge, held.amount)
    await store.drop_hold(session, held, charged=charged, cost=cost)
    if charged:
        _write(session, held.project_id, -charged, "run", now, note, run_id)
    return charged


async def let_go_of(session: AsyncSession, prefix: Prefix, before: str, count: int) -> int:
    """Let go of what some works held that never came to their end, such as drafts whose process died: those with ids
    of this kind that are older than the id `before`. How many there were."""
    stale = await store.holds_before(session, prefix, before, count)
    for held in stale:
        await store.drop_hold(session, held, charged=0, cost=0)
    return len(stale)


async def is_balanced(session: AsyncSession, project_id: str) -> bool:
    """Whether the ledger sums to the balance and the holds to what is held."""
    account = await store.find_account(session, project_id)
    balance, held = (account.balance, account.held) if account else (0, 0)
    return balance == await store.ledger_sum(session, project_id) and held == await store.held_sum(session, project_id)


def _write(
    session: AsyncSession, project_id: str, amount: int, kind: str, now: datetime, note: str, reference: str | None
) -> None:
    session.add(
        LedgerRow(
            id=new_id("led"),
            project_id=project_id,
            amount=amount,
            kind=kind,
            reference=reference,
            note=note[:300],
            created_at=now,
        )
    )


async def show(context: Context, project_id: str) -> dict[str, Any]:
    """How a project stands, as it is told."""
    async with context.database.reading() as session:
        standing = await credits_of(session, project_id, context.now())
    return {"currency": context.settings.currency, "available": standing.available, **asdict(standing)}


async def correct(context: Context, access: Access, amount: int, note: str) -> dict[str, Any]:
    """Add credits as the operator, or take some (`amount` below 0); how the project stands then.

    Raises:
        Conflict: there are not as many to take.
    """
    kind = "added" if amount > 0 else "corrected"
    async with context.database.writing() as session:
        await add_credits(session, access.project_id, amount, context.now(), kind=kind, note=note)
        audit.record(session, access, context.now(), "credits.changed", access.project_id, {"amount": amount})
    return await show(context, access.project_id)


async def bound(context: Context, access: Access, monthly_budget: int | None, batch_cap: int | None) -> dict[str, Any]:
    """Bound what the runs of a project may cost."""
    async with context.database.writing() as session:
        await set_bounds(session, access.project_id, monthly_budget=monthly_budget, batch_cap=batch_cap)
        audit.record(session, access, context.now(), "credits.bounded", access.project_id)
    return await show(context, access.project_id)


async def show_ledger(context: Context, project_id: str, wish: Wish) -> dict[str, Any]:
    """One page of a project's ledger."""
    async with context.database.reading() as session:
        found = await store.list_ledger(session, project_id, wish)
    return found.page(_shown)


def _shown(row: LedgerRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("id", "amount", "kind", "reference", "note", "created_at")}
