"""What the rooms of one process share: settings, database, vault and clock."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.exc import OperationalError

from greenroom.model.errors import UserMistake
from greenroom.server.database.engine import Database, database_url, open_database
from greenroom.server.database.upgrading import upgrade
from greenroom.server.security.vault import Vault, open_vault
from greenroom.server.settings import Settings


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """What services work with. `now` is the clock that all times are read from."""

    settings: Settings
    database: Database
    vault: Vault
    now: Callable[[], datetime] = field(default=utc_now)


@asynccontextmanager
async def open_context(
    settings: Settings, *, now: Callable[[], datetime] = utc_now, migrate: bool = True
) -> AsyncGenerator[Context]:
    """Open database and vault, run the migrations that are missing, and close all at the end."""
    database_url(settings.url)  # a wrong one is told before anything else
    vault = open_vault(settings)
    async with open_database(settings.url, pool_size=settings.database_pool) as database:
        try:
            if migrate:
                await upgrade(database)
            else:
                await database.answers()
        except OperationalError as problem:
            raise UserMistake(_unreachable(settings, problem)) from None
        yield Context(settings, database, vault, now)


def _unreachable(settings: Settings, problem: OperationalError) -> str:
    url = database_url(settings.url)
    where = f"in {url.database}" if url.drivername.startswith("sqlite") else f"at {url.host or 'this machine'}"
    # The driver's own words hold no password; the URL does, so that it is never told.
    why = str(problem.orig).strip().splitlines()[-1] if problem.orig else "it does not answer"
    return f"the database {where} cannot be used: {why}"


def _context(request: Request) -> Context:
    context: Context = request.app.state.context
    return context


CurrentContext = Annotated[Context, Depends(_context)]
"""The context of the process, as a parameter of a route."""
