"""The way to the database: one code path for SQLite and PostgreSQL.

    async with open_database("sqlite:////var/lib/greenroom/greenroom.db") as database:
        async with database.reading() as session: …
        async with database.writing() as session: …     # committed at the end, undone when something is raised

On SQLite a writing transaction takes the write lock when it begins, so that it never fails half-way because another
one was faster; writers of one process queue up in order. A `Database` belongs to the event loop that opened it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from greenroom.model.errors import UserMistake

_BUSY_MILLISECONDS = 30_000
_WRITES = "greenroom_writes"


class Database:
    """The database of the service. `reading` and `writing` give a session that is one transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncSession]:
        """A transaction that only reads."""
        async with AsyncSession(self.engine, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncSession]:
        """A transaction that is committed at the end. Never open a second one inside: on SQLite it waits for ever."""
        if not self.is_sqlite:
            async with AsyncSession(self.engine, expire_on_commit=False) as session, session.begin():
                yield session
            return
        async with self._turn, self.engine.connect() as connection:
            await connection.execution_options(**{_WRITES: True})
            async with AsyncSession(connection, expire_on_commit=False) as session, session.begin():
                yield session

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """The turn to write, for a writer with a connection of its own: on SQLite, no other one of this process writes
        until the end of the block."""
        if not self.is_sqlite:
            yield
            return
        async with self._turn:
            yield

    @asynccontextmanager
    async def connecting(self) -> AsyncGenerator[AsyncConnection]:
        """A connection without a transaction of ours: for migrations and locks."""
        async with self.engine.connect() as connection:
            yield connection

    async def answers(self) -> bool:
        """Whether the database can be asked at all."""
        async with self.reading() as session:
            return await session.scalar(text("SELECT 1")) == 1


def database_url(written: str) -> URL:
    """The URL as SQLAlchemy's async drivers want it, from `sqlite:///PATH` or `postgresql://…`.

    Raises:
        UserMistake: it is neither.
    """
    try:
        url = make_url(written)
    except ArgumentError:
        raise UserMistake(
            "GREENROOM_DATABASE_URL cannot be read: write `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/NAME`"
        ) from None
    kind = url.drivername.partition("+")[0]
    match kind:
        case "sqlite":
            if url.database in (None, "", ":memory:"):
                raise UserMistake("GREENROOM_DATABASE_URL needs the path of a file: `sqlite:///PATH`")
            return url.set(drivername="sqlite+aiosqlite")
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
        case _:
            raise UserMistake(f"Greenroom keeps its data in SQLite or PostgreSQL, not in `{kind}`")


@asynccontextmanager
async def open_database(written: str, *, pool_size: int = 10) -> AsyncGenerator[Database]:
    """Open the database at a URL, and close it at the end. At most `pool_size` connections at once."""
    url = database_url(written)
    options: dict[str, Any] = {"pool_size": pool_size, "max_overflow": 0, "pool_timeout": 30}
    if url.drivername.startswith("sqlite"):
        _make_folder(str(url.database))
    else:
        options |= {"pool_pre_ping": True, "connect_args": {"connect_timeout": 10, "prepare_threshold": None}}
    engine = create_async_engine(url, json_serializer=to_json, **options)
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    try:
        yield Database(engine)
    finally:
        await engine.dispose()


def _make_folder(path: str) -> None:
    folder = Path(path).absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserMistake(f"the folder {folder} cannot be made: {problem.strerror}") from None


def to_json(value: object) -> str:
    """JSON as columns hold it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _prepare_sqlite(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:  # noqa: ARG001 - an event
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says so, not where the driver guesses
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {_BUSY_MILLISECONDS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
