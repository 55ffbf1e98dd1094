"""The tables of runs, as those see them who let runs go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.runs.store import UNFINISHED, BatchRow, EventRow, RunRow, StepRow, changed


async def delete_finished(session: AsyncSession, run_ids: Sequence[str]) -> int:
    """Delete runs that are over, with all that belongs to them."""
    return changed(
        await session.execute(delete(RunRow).where(RunRow.id.in_(run_ids), RunRow.status.not_in(UNFINISHED)))
    )


async def drop_runs(session: AsyncSession, project_id: str, **which: str) -> None:
    """Hide all runs that these columns name."""
    statement = update(RunRow).where(RunRow.project_id == project_id).values(dropped=True)
    for name, value in which.items():
        statement = statement.where(getattr(RunRow, name) == value)
    await session.execute(statement.execution_options(synchronize_session=False))


async def dropped_and_over(session: AsyncSession, count: int) -> list[str]:
    """Some runs that were dropped and are over."""
    query = select(RunRow.id).where(RunRow.dropped, RunRow.status.not_in(UNFINISHED)).limit(count)
    return list((await session.scalars(query)).all())


async def finished_before(session: AsyncSession, policy: str, moment: datetime, count: int) -> list[str]:
    query = select(RunRow.id).where(RunRow.finished_at < moment, RunRow.policy == policy)
    return list((await session.scalars(query.order_by(RunRow.finished_at).limit(count))).all())


async def surplus_runs(session: AsyncSession, policy: str, keep: int, count: int) -> list[str]:
    """Finished runs of which their test has more than `keep` newer ones."""
    rank = func.row_number().over(partition_by=RunRow.test_id, order_by=RunRow.id.desc()).label("rank")
    ranked = (
        select(RunRow.id, rank)
        .where(RunRow.policy == policy, RunRow.test_id.is_not(None), RunRow.status.not_in(UNFINISHED))
        .subquery()
    )
    return list((await session.scalars(select(ranked.c.id).where(ranked.c.rank > keep).limit(count))).all())


async def drop_old_events(session: AsyncSession, moment: datetime, count: int) -> list[str]:
    """Let go of events and steps of some runs that have been over since before a moment; the ids of the runs."""
    stale = (
        select(RunRow.id).where(RunRow.finished_at < moment, exists().where(EventRow.run_id == RunRow.id)).limit(count)
    )
    run_ids = list((await session.scalars(stale)).all())
    if run_ids:
        await session.execute(delete(StepRow).where(StepRow.run_id.in_(run_ids)))
        await session.execute(delete(EventRow).where(EventRow.run_id.in_(run_ids)))
    return run_ids


async def drop_empty_batches(session: AsyncSession, moment: datetime, count: int) -> int:
    """Let go of batches that have no run left."""
    empty = (
        select(BatchRow.id)
        .where(BatchRow.created_at < moment, ~exists().where(RunRow.batch_id == BatchRow.id))
        .limit(count)
    )
    batch_ids = list((await session.scalars(empty)).all())
    if batch_ids:
        await session.execute(delete(BatchRow).where(BatchRow.id.in_(batch_ids)))
    return len(batch_ids)
