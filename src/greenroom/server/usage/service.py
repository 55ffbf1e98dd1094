"""What a project used: counted as runs end, so that it stays when they are let go of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.errors import Problem
from greenroom.server.context import Context
from greenroom.server.credits.service import MILLION
from greenroom.server.problems import Invalid
from greenroom.server.usage import store
from greenroom.server.usage.store import COUNTS, UsageRow

LONGEST = 366
"""The most days that are told at once."""

_BY_STATUS: Mapping[str, str] = {"passed": "passed", "failed": "failed", "error": "errors", "cancelled": "cancelled"}
_RUNS = tuple(_BY_STATUS.values())
_MONEY = ("cost", "charged")


async def count_run(
    session: AsyncSession,
    project_id: str,
    now: datetime,
    *,
    status: str,
    input_tokens: int,
    output_tokens: int,
    cost: int,
    is_known: bool,
    charged: int,
) -> None:
    """Count in a run that is over. `cost` is the part whose price is known, the whole where `is_known`; money in
    millionths of the currency's unit."""
    more = {
        _BY_STATUS[status]: 1,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost": cost,
        "unknown_costs": int(not is_known),
        "charged": charged,
    }
    await store.count(session, project_id, f"{now:%Y-%m-%d}", more)


async def count_beside_runs(
    session: AsyncSession,
    project_id: str,
    now: datetime,
    *,
    what: Literal["drafts", "replies"],
    input_tokens: int,
    output_tokens: int,
    cost: int,
    is_known: bool,
    charged: int,
) -> None:
    """Count in what is paid like a run and is none: tests that were drafted at once, or a reply that was recorded
    nowhere. See `count_run`."""
    more = {
        what: 1,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost": cost,
        "unknown_costs": int(not is_known),
        "charged": charged,
    }
    await store.count(session, project_id, f"{now:%Y-%m-%d}", more)


async def by_day(context: Context, project_id: str, first: date | None, last: date | None) -> dict[str, Any]:
    """What a project used on each day from `first` (by default 29 days before) to `last` (by default today), in UTC.

    Raises:
        Invalid: `first` is after `last`, or there are more than 366 days between them.
    """
    last = last or context.now().date()
    first = first or last - timedelta(days=min(29, (last - date.min).days))
    if first > last:
        raise Invalid([Problem(("from",), "`from` is after `to`: swap them")])
    if (last - first).days >= LONGEST:
        raise Invalid([Problem(("from",), f"at most {LONGEST} days are told at once: ask for fewer")])
    async with context.database.reading() as session:
        rows = await store.days_between(session, project_id, first.isoformat(), last.isoformat())
    days = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
    counts = [_counts(rows.get(day)) for day in days]
    return {
        "currency": context.settings.currency,
        "items": [{"day": day, **_told(count)} for day, count in zip(days, counts, strict=True)],
        "total": _told({name: sum(count[name] for count in counts) for name in COUNTS}),
    }


def _counts(row: UsageRow | None) -> dict[str, int]:
    return {name: 0 if row is None else int(getattr(row, name)) for name in COUNTS}


def _told(count: Mapping[str, int]) -> dict[str, Any]:
    told: dict[str, Any] = {"runs": sum(count[name] for name in _RUNS), **count}
    return {**told, **{name: count[name] / MILLION for name in _MONEY}}
