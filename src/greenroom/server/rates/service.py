"""How often something may happen in a minute. The counters are in the database: all processes count together."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.context import Context
from greenroom.server.problems import TooMany
from greenroom.server.rates import store

_SECONDS = 60


async def count_in(session: AsyncSession, context: Context, name: str, most: int, what: str) -> None:
    """Count one `name` in an open transaction, which holds the count even where this raises.

    Raises:
        TooMany: there were `most` in this minute. `what` they are is told, such as `requests of this project`.
    """
    now = context.now()
    minute = minute_of(now)
    count = await store.count_one(session, name, minute, is_sqlite=context.database.is_sqlite)
    if count > most:
        raise TooMany(
            f"More than {most:,} {what} in one minute: wait {seconds_left(now)} seconds.", seconds=seconds_left(now)
        )


async def count(context: Context, name: str, most: int, what: str) -> None:
    """Count one `name` in a transaction of its own.

    Raises:
        TooMany: there were `most` in this minute.
    """
    refusal: TooMany | None = None
    async with context.database.writing() as session:
        try:
            await count_in(session, context, name, most, what)
        except TooMany as refused:
            refusal = refused
    if refusal is not None:
        raise refusal


def minute_of(now: datetime) -> int:
    """The minute since 1970 that a moment is in."""
    return int(now.timestamp()) // _SECONDS


def seconds_left(now: datetime) -> int:
    """Seconds until the next minute begins, 1 to 60."""
    return _SECONDS - int(now.timestamp()) % _SECONDS


async def forget_old(context: Context) -> None:
    """Drop the counters of minutes that are over."""
    async with context.database.writing() as session:
        await store.forget_before(session, minute_of(context.now()) - 1)
