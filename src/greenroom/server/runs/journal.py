"""The journal of a worker: what its runs write down while they play, committed for all of them together.

Runs hand in what happened (`hand_in`) and, before anything that follows from it goes out, wait until it is committed
and learn how they stand (`commit`). Whatever has gathered from all runs meanwhile is one transaction, on a connection
and a thread of its own, so that a hundred runs cost hardly more transactions than one. While the database does not
answer, the runs wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Connection, Engine, Table, bindparam, event, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from greenroom.server.database.absence import is_away
from greenroom.server.database.engine import Database
from greenroom.server.queue.engine import open_engine
from greenroom.server.runs.store import EventRow, RunRow, StepRow

_log = logging.getLogger("greenroom.runs")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_MOST_AT_ONCE = 16

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands: whether the execution still `plays` it, whether it was asked to `stop`, and (of a batch with a
    cap) what its batch has `spent`, in millionths of the currency's unit."""

    plays: bool
    stop: bool = False
    spent: int = 0


@dataclass(slots=True)
class Entry:
    """What one execution of a run hands in: steps and events as rows, and figures of the run's own row. `batch_id` is
    given where the batch has a cap."""

    run_id: str
    execution: str
    batch_id: str | None = None
    steps: list[Row] = field(default_factory=list[Row])
    events: list[Row] = field(default_factory=list[Row])
    figures: Row | None = None
    waiting: list[asyncio.Future[Standing]] = field(default_factory=list["asyncio.Future[Standing]"])

    @property
    def writes(self) -> bool:
        return bool(self.steps or self.events or self.figures)


class Journal:
    """Commits what the runs of one worker hand in, in the order in which it comes."""

    def __init__(self, database: Database, engine: Engine) -> None:
        self._database = database
        self._engine = engine
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._pending: dict[tuple[str, str], Entry] = {}
        self._wake = asyncio.Event()

    def hand_in(self, entry: Entry) -> None:
        """Have something written down soon, without waiting for it."""
        self._join(entry)

    async def commit(self, entry: Entry) -> Standing:
        """Have something written down, with all that the execution handed in before; how its run stands then."""
        future: asyncio.Future[Standing] = asyncio.get_running_loop().create_future()
        self._join(entry).waiting.append(future)
        return await future

    async def work(self) -> None:
        """Commit what comes in, for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._pending:
                chosen = list(self._pending)[:_MOST_AT_ONCE]
                await self._commit([self._pending.pop(key) for key in chosen])

    def close(self) -> None:
        """Let go of the thread and the connection. What is not committed by now is not."""
        self._thread.shutdown(wait=True)
        self._engine.dispose()

    def _join(self, entry: Entry) -> Entry:
        key = (entry.run_id, entry.execution)
        known = self._pending.setdefault(key, entry)
        if known is not entry:
            known.steps += entry.steps
            known.events += entry.events
            known.figures = {**(known.figures or {}), **entry.figures} if entry.figures else known.figures
            known.batch_id = known.batch_id or entry.batch_id
        self._wake.set()
        return known

    async def _commit(self, entries: list[Entry]) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                standings = await self._try(entries)
                break
            except (DBAPIError, PoolTimeout) as problem:
                if not is_away(problem):
                    _fail(entries, problem)
                    return
                _log.warning("the database does not answer: %d runs wait", len(entries))
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            except Exception as problem:  # noqa: BLE001 - the runs must hear of it; the journal itself goes on
                _fail(entries, problem)
                return
        for entry in entries:
            for future in entry.waiting:
                if not future.done():
                    future.set_result(standings[entry.run_id, entry.execution])

    async def _try(self, entries: list[Entry]) -> dict[tuple[str, str], Standing]:
        loop = asyncio.get_running_loop()
        writes = any(entry.writes for entry in entries)
        if writes and self._database.is_sqlite:
            async with self._database.turn():
                return await loop.run_in_executor(self._thread, self._write, entries, writes)
        return await loop.run_in_executor(self._thread, self._write, entries, writes)

    def _write(self, entries: Sequence[Entry], writes: bool) -> dict[tuple[str, str], Standing]:
        with self._engine.connect() as connection, connection.begin():
            if writes and self._database.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # before anything is read that must still hold at the end
            known = _standings(connection, entries, lock=writes)
            if writes:
                _insert(connection, [entry for entry in entries if known[entry.run_id, entry.execution].plays])
            return _with_spent(connection, entries, known)


def _fail(entries: Sequence[Entry], problem: Exception) -> None:
    for entry in entries:
        for future in entry.waiting:
            if not future.done():
                future.set_exception(problem)


_RUNS = cast("Table", RunRow.__table__)  # what a mapped class is made of
_STANDING = select(RunRow.id, RunRow.execution, RunRow.status, RunRow.cancel_requested_at).where(
    RunRow.id.in_(bindparam("ids", expanding=True))
)
_LOCKED = _STANDING.order_by(RunRow.id).with_for_update()
_SPENT = (
    select(RunRow.batch_id, func.coalesce(func.sum(RunRow.cost), 0))
    .where(RunRow.batch_id.in_(bindparam("ids", expanding=True)))
    .group_by(RunRow.batch_id)
)


def _standings(connection: Connection, entries: Sequence[Entry], *, lock: bool) -> dict[tuple[str, str], Standing]:
    rows = connection.execute(_LOCKED if lock else _STANDING, {"ids": list({entry.run_id for entry in entries})})
    found = {row[0]: row for row in rows}
    standings: dict[tuple[str, str], Standing] = {}
    for entry in entries:
        row = found.get(entry.run_id)
        plays = row is not None and row[1] == entry.execution and row[2] == "running"
        stop = plays and row is not None and row[3] is not None
        standings[entry.run_id, entry.execution] = Standing(plays, stop)
    return standings


def _with_spent(
    connection: Connection, entries: Sequence[Entry], known: dict[tuple[str, str], Standing]
) -> dict[tuple[str, str], Standing]:
    batches = {entry.batch_id for entry in entries if entry.batch_id}
    if not batches:
        return known
    spent = {row[0]: int(row[1] or 0) for row in connection.execute(_SPENT, {"ids": list(batches)})}
    for entry in entries:
        if entry.batch_id:
            key = entry.run_id, entry.execution
            known[key] = Standing(known[key].plays, known[key].stop, spent.get(entry.batch_id, 0))
    return known


def _insert(connection: Connection, entries: Sequence[Entry]) -> None:
    put = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    # A commit whose answer was lost is made again: what is there already stays.
    for table, rows in (
        (StepRow, [step for entry in entries for step in entry.steps]),
        (EventRow, [each for entry in entries for each in entry.events]),
    ):
        if rows:
            connection.execute(put(table).on_conflict_do_nothing(), rows)
    by_fields: dict[tuple[str, ...], list[Row]] = {}
    for entry in entries:
        if entry.figures:
            by_fields.setdefault(tuple(sorted(entry.figures)), []).append({**entry.figures, "_id": entry.run_id})
    for fields, rows in by_fields.items():
        values: dict[str, Any] = {name: bindparam(name) for name in fields}
        connection.execute(update(_RUNS).where(_RUNS.c.id == bindparam("_id")).values(values), rows)


def _begin_by_hand(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:  # noqa: ARG001 - an event
    connection.isolation_level = None


@asynccontextmanager
async def open_journal(database: Database, url: str) -> AsyncGenerator[Journal]:
    """Keep the journal of this worker until the end of the block."""
    engine = await asyncio.to_thread(open_engine, url, pool_size=1)
    if database.is_sqlite:
        event.listen(engine, "connect", _begin_by_hand)
    journal = Journal(database, engine)
    task = asyncio.create_task(journal.work(), name="journal")
    try:
        yield journal
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await asyncio.to_thread(journal.close)
