"""The tables of runs.

A run's row holds what lists show. While it plays, each thing that happens is one row of `run_events`, so that nothing
is ever written twice; the last event of a key (a line, a check) is how that thing stands. When it is over, the whole
run becomes one row of `run_records`, and the events go a while later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ForeignKey,
    Index,
    Select,
    String,
    Text,
    delete,
    exists,
    false,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id, Money

UNFINISHED = ("queued", "running")


class BatchRow(Base):
    """What one request started."""

    __tablename__ = "batches"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    agent_id: Mapped[str] = mapped_column(Id, index=True)
    cap: Mapped[int | None] = mapped_column(Money)
    created_at: Mapped[datetime]


class MaterialRow(Base):
    """What the runs of one test of a batch play: agents and test, sealed. It goes when the last of them is over."""

    __tablename__ = "run_materials"

    batch_id: Mapped[str] = mapped_column(Id, ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    sealed: Mapped[str] = mapped_column(Text)


class RunRow(Base):
    """A run, without its transcript. Money in millionths of the currency's unit.

    `provider` and `model` are the agent's main brain; `tenant` is whose share of the workers the run takes; `execution`
    names the playing that may write to it.
    """

    __tablename__ = "runs"
    __table_args__ = (
        Index("ix_runs_project_id_id", "project_id", "id"),
        Index("ix_runs_agent_id_id", "agent_id", "id"),
        Index("ix_runs_test_id_id", "test_id", "id"),
        Index("ix_runs_project_id_status_id", "project_id", "status", "id"),
        Index("ix_runs_finished_at_id", "finished_at", "id"),
        Index("ix_runs_dropped", "id", sqlite_where=text("dropped"), postgresql_where=text("dropped")),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"))
    developer_id: Mapped[str] = mapped_column(Id)
    batch_id: Mapped[str] = mapped_column(Id, ForeignKey("batches.id", ondelete="CASCADE"), index=True)
    place: Mapped[int]
    agent_id: Mapped[str] = mapped_column(Id)
    agent_version: Mapped[int | None]
    agent: Mapped[str] = mapped_column(String(200))
    test_id: Mapped[str | None] = mapped_column(Id)
    test: Mapped[str] = mapped_column(String(200))
    provider: Mapped[str | None] = mapped_column(Text)
    model: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(20))
    variation: Mapped[str | None] = mapped_column(String(200))
    variant: Mapped[str | None] = mapped_column(String(200))
    repeat_index: Mapped[int]
    tags: Mapped[list[str]]
    seed: Mapped[int]
    policy: Mapped[str] = mapped_column(String(40))
    tenant: Mapped[str] = mapped_column(Id)
    overrides_used: Mapped[bool]
    force_primary_failure: Mapped[bool]
    status: Mapped[str] = mapped_column(String(12))
    ended_by: Mapped[str | None] = mapped_column(String(20))
    end_detail: Mapped[str | None] = mapped_column(Text)
    error: Mapped[str | None] = mapped_column(Text)
    passed_checks: Mapped[int] = mapped_column(default=0)
    total_checks: Mapped[int]
    score: Mapped[int | None]
    input_tokens: Mapped[int] = mapped_column(default=0)
    output_tokens: Mapped[int] = mapped_column(default=0)
    cost: Mapped[int | None] = mapped_column(Money, default=0)
    charged: Mapped[int] = mapped_column(Money, default=0)
    last_event: Mapped[int] = mapped_column(default=0)
    dropped: Mapped[bool] = mapped_column(default=False, server_default=false())
    execution: Mapped[str | None] = mapped_column(String(36))
    cancel_requested_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    @property
    def is_over(self) -> bool:
        return self.status not in UNFINISHED


class EventRow(Base):
    """One thing that happened in a run. `key` names what it is about: the last event of a key counts."""

    __tablename__ = "run_events"

    run_id: Mapped[str] = mapped_column(Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(120))
    body: Mapped[dict[str, Any]]


class StepRow(Base):
    """What one request of a run came to: a run that is taken up again does not ask anew. It goes with the events."""

    __tablename__ = "run_steps"

    run_id: Mapped[str] = mapped_column(Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120))
    outcome: Mapped[dict[str, Any]]


class RecordRow(Base):
    """A finished run as a whole."""

    __tablename__ = "run_records"

    run_id: Mapped[str] = mapped_column(Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    body: Mapped[dict[str, Any]]


class ActiveRow(Base):
    """How many runs of a project or a developer wait or play, counted with every change of a run."""

    __tablename__ = "active_runs"

    scope: Mapped[str] = mapped_column(String(48), primary_key=True)
    count: Mapped[int] = mapped_column(default=0)


def changed(result: object) -> int:
    """How many rows a statement has changed."""
    return int(getattr(result, "rowcount", 0))


# How many wait or play


async def add_active(session: AsyncSession, scope: str, count: int, most: int | None) -> bool:
    """Count runs in; `False`, with nothing changed, where there would be more than `most`."""
    put = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    await session.execute(put(ActiveRow).values(scope=scope, count=0).on_conflict_do_nothing())
    statement = update(ActiveRow).where(ActiveRow.scope == scope).values(count=ActiveRow.count + count)
    if most is not None:
        statement = statement.where(ActiveRow.count + count <= most)
    return changed(await session.execute(statement)) == 1


async def drop_active(session: AsyncSession, scopes: Sequence[str], count: int = 1) -> None:
    for scope in sorted(set(scopes)):
        await session.execute(update(ActiveRow).where(ActiveRow.scope == scope).values(count=ActiveRow.count - count))


async def count_active(session: AsyncSession, scope: str) -> int:
    return await session.scalar(select(ActiveRow.count).where(ActiveRow.scope == scope)) or 0


async def count_unfinished(session: AsyncSession, project_id: str) -> int:
    query = select(func.count()).select_from(RunRow)
    return await session.scalar(query.where(RunRow.project_id == project_id, RunRow.status.in_(UNFINISHED))) or 0


# Playing


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that is being played, and what it plays, sealed. `is_again` where another execution had begun it."""

    row: RunRow
    sealed: str | None
    cap: int | None
    is_again: bool


async def begin(session: AsyncSession, run_id: str, execution: str, now: datetime) -> Begun | None:
    """Make `execution` the one that plays the run; `None` where it is over or gone."""
    row = await session.get(RunRow, run_id, populate_existing=True, with_for_update=True)
    if row is None or row.is_over:
        return None
    is_again = row.execution is not None
    row.status, row.execution, row.started_at = "running", execution, row.started_at or now
    query = (
        select(BatchRow.cap, MaterialRow.sealed)
        .outerjoin(MaterialRow, (MaterialRow.batch_id == BatchRow.id) & (MaterialRow.place == row.place))
        .where(BatchRow.id == row.batch_id)
    )
    cap, sealed = (await session.execute(query)).one()
    return Begun(row, sealed, cap, is_again)


async def steps_of(session: AsyncSession, run_id: str) -> dict[int, tuple[str, dict[str, Any]]]:
    """What a run remembers: the name and the outcome of each step, by its number."""
    rows = await session.execute(select(StepRow.number, StepRow.name, StepRow.outcome).where(StepRow.run_id == run_id))
    return {number: (name, outcome) for number, name, outcome in rows}


async def add_events(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        await session.execute(insert(EventRow), list(rows))


async def finish(session: AsyncSession, run_id: str, execution: str | None, values: dict[str, Any]) -> bool:
    """End a run, once: `False` where it is over already, or another execution plays it."""
    statement = update(RunRow).where(RunRow.id == run_id, RunRow.status.in_(UNFINISHED))
    if execution is not None:
        statement = statement.where(RunRow.execution == execution)
    return changed(await session.execute(statement.values(**values))) == 1


async def add_record(session: AsyncSession, run_id: str, body: dict[str, Any]) -> None:
    session.add(RecordRow(run_id=run_id, body=body))
    await session.flush()


async def drop_material(session: AsyncSession, batch_id: str, place: int) -> None:
    """Let go of what runs play, where none of them is to be played any more."""
    waiting = exists().where(RunRow.batch_id == batch_id, RunRow.place == place, RunRow.status.in_(UNFINISHED))
    await session.execute(
        delete(MaterialRow).where(MaterialRow.batch_id == batch_id, MaterialRow.place == place, ~waiting)
    )


# Stopping


async def cancel_queued(session: AsyncSession, run_id: str, now: datetime) -> bool:
    """End a run that waits; `False` where it does not wait."""
    statement = (
        update(RunRow)
        .where(RunRow.id == run_id, RunRow.status == "queued")
        .values(status="cancelled", ended_by="stopped", cancel_requested_at=now, finished_at=now)
    )
    return changed(await session.execute(statement)) == 1


async def ask_to_stop(session: AsyncSession, run_id: str, now: datetime) -> bool:
    """Ask a run that plays to stop; asked again, the first time stays. `False` where it does not play."""
    statement = (
        update(RunRow)
        .where(RunRow.id == run_id, RunRow.status == "running")
        .values(cancel_requested_at=func.coalesce(RunRow.cancel_requested_at, now))
    )
    return changed(await session.execute(statement)) == 1


# Reading


async def find_run(session: AsyncSession, project_id: str, run_id: str) -> RunRow | None:
    query = select(RunRow).where(RunRow.project_id == project_id, RunRow.id == run_id, ~RunRow.dropped)
    return await session.scalar(query.execution_options(populate_existing=True))


async def run_by_id(session: AsyncSession, run_id: str) -> RunRow | None:
    """A run of any project: for the worker alone."""
    return await session.get(RunRow, run_id, populate_existing=True)


async def find_batch(session: AsyncSession, project_id: str, batch_id: str) -> BatchRow | None:
    return await session.scalar(select(BatchRow).where(BatchRow.project_id == project_id, BatchRow.id == batch_id))


async def runs_of_batch(session: AsyncSession, batch_id: str) -> list[RunRow]:
    return list(
        (
            await session.scalars(
                select(RunRow).where(RunRow.batch_id == batch_id, ~RunRow.dropped).order_by(RunRow.id)
            )
        ).all()
    )


async def unfinished_of_agent(session: AsyncSession, project_id: str, agent_id: str) -> list[str]:
    query = select(RunRow.id).where(
        RunRow.project_id == project_id, RunRow.agent_id == agent_id, RunRow.status.in_(UNFINISHED)
    )
    return list((await session.scalars(query.order_by(RunRow.id))).all())


async def unfinished_of(session: AsyncSession, run_ids: Sequence[str]) -> list[str]:
    """Which of these runs are not over."""
    query = select(RunRow.id).where(RunRow.id.in_(run_ids), RunRow.status.in_(UNFINISHED))
    return list((await session.scalars(query)).all())


async def unfinished_since(session: AsyncSession, moment: datetime, count: int) -> list[str]:
    """Some unfinished runs that were made before a moment."""
    query = select(RunRow.id).where(RunRow.status.in_(UNFINISHED), RunRow.created_at < moment)
    return list((await session.scalars(query.order_by(RunRow.id).limit(count))).all())


async def events_after(session: AsyncSession, run_id: str, number: int, count: int) -> list[EventRow]:
    query = select(EventRow).where(EventRow.run_id == run_id, EventRow.number > number)
    return list((await session.scalars(query.order_by(EventRow.number).limit(count))).all())


async def find_record(session: AsyncSession, run_id: str) -> dict[str, Any] | None:
    return await session.scalar(select(RecordRow.body).where(RecordRow.run_id == run_id))


async def last_runs(session: AsyncSession, test_ids: Sequence[str]) -> dict[str, RunRow]:
    """The newest run of each of these tests."""
    newest = select(func.max(RunRow.id)).where(RunRow.test_id.in_(test_ids), ~RunRow.dropped).group_by(RunRow.test_id)
    rows = (await session.scalars(select(RunRow).where(RunRow.id.in_(newest)))).all()
    return {str(row.test_id): row for row in rows}


def matching(project_id: str, **filters: str | Sequence[str] | None) -> Select[RunRow]:
    """A query for a project's runs; filters that are `None` do not count."""
    query = select(RunRow).where(RunRow.project_id == project_id, ~RunRow.dropped)
    for name, value in filters.items():
        column = getattr(RunRow, name)
        if isinstance(value, str):
            query = query.where(column == value)
        elif value is not None:
            query = query.where(column.in_(value))
    return query


async def note_charge(session: AsyncSession, run_id: str, charged: int) -> None:
    await session.execute(update(RunRow).where(RunRow.id == run_id).values(charged=charged))
