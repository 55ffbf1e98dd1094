"""What the rooms of one process share: settings, database, vault and clock."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request

from greenroom.server.database.engine import Database, open_database
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
    vault = open_vault(settings)
    async with open_database(settings.url, pool_size=settings.database_pool) as database:
        if migrate:
            await upgrade(database)
        yield Context(settings, database, vault, now)


def _context(request: Request) -> Context:
    context: Context = request.app.state.context
    return context


CurrentContext = Annotated[Context, Depends(_context)]
"""The context of the process, as a parameter of a route."""
