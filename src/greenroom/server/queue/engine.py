"""The queue's own connections: DBOS keeps its tables in the service's database and talks to it without asyncio."""

from __future__ import annotations

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from greenroom.server.database.engine import database_url, to_json

_BUSY_MILLISECONDS = 30_000


def queue_url(written: str) -> URL:
    """The URL of the service's database, for a driver without asyncio."""
    url = database_url(written)
    return url.set(drivername="sqlite") if url.drivername.startswith("sqlite") else url


def open_engine(written: str, *, pool_size: int) -> Engine:
    """Connections for the queue, at most `pool_size`. On SQLite each transaction that writes takes the lock at once."""
    url = queue_url(written)
    options = {"pool_size": pool_size, "max_overflow": 0, "pool_timeout": 30, "json_serializer": to_json}
    if url.drivername != "sqlite":
        return create_engine(
            url,
            **options,
            pool_pre_ping=True,
            connect_args={"connect_timeout": 10, "prepare_threshold": None},
        )
    engine = create_engine(url, **options)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:  # noqa: ARG001 - an event
    connection.isolation_level = "IMMEDIATE"
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {_BUSY_MILLISECONDS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
