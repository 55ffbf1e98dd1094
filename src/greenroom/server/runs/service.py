"""What others ask about runs: finding, listing, following, stopping and letting go of them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.context import Context
from greenroom.server.credits.prices import PriceList
from greenroom.server.database.ids import is_id
from greenroom.server.paging import Wish, fetch_slice
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Conflict, NotFound
from greenroom.server.queue.client import Queue
from greenroom.server.runs import ending, old_store, store, telling
from greenroom.server.runs.store import RunRow

_LOST = "Greenroom itself failed in this run: the queue does not know it any more. Please report it."


@dataclass(frozen=True, slots=True)
class Filters:
    """Which runs are asked for; `None` is any."""

    id: Sequence[str] | None = None
    agent_id: str | None = None
    test_id: str | Sequence[str] | None = None
    batch_id: str | None = None
    status: Sequence[str] | None = None


async def find(session: AsyncSession, project_id: str, run_id: str) -> RunRow:
    """A run of a project.

    Raises:
        NotFound: the project has none of this id.
    """
    row = await store.find_run(session, project_id, run_id) if is_id(run_id, "run") else None
    if row is None:
        raise NotFound("There is no run with this id.")
    return row


async def show(context: Context, project_id: str, run_id: str) -> dict[str, Any]:
    """A run with all that belongs to it."""
    async with context.database.reading() as session:
        return await telling.whole(session, await find(session, project_id, run_id))


async def exists(context: Context, project_id: str, run_id: str) -> None:
    """Make sure that a project has a run.

    Raises:
        NotFound: it has none of this id.
    """
    async with context.database.reading() as session:
        await find(session, project_id, run_id)


async def list_runs(context: Context, project_id: str, filters: Filters, wish: Wish) -> dict[str, Any]:
    """The runs of a project, the newest first, without their transcripts."""
    query = store.matching(
        project_id,
        id=filters.id,
        agent_id=filters.agent_id,
        test_id=filters.test_id,
        batch_id=filters.batch_id,
        status=filters.status,
    )
    async with context.database.reading() as session:
        return (await fetch_slice(session, query, RunRow.id, wish)).page(telling.in_short)


async def show_batch(context: Context, project_id: str, batch_id: str) -> dict[str, Any]:
    """A batch and its runs.

    Raises:
        NotFound: the project has none of this id.
    """
    async with context.database.reading() as session:
        batch = await store.find_batch(session, project_id, batch_id) if is_id(batch_id, "bat") else None
        if batch is None:
            raise NotFound("There is no batch with this id.")
        rows = await store.runs_of_batch(session, batch_id)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.status] = counts.get(row.status, 0) + 1
    return {
        "id": batch.id,
        "agent_id": batch.agent_id,
        "created_at": batch.created_at,
        "is_over": all(row.is_over for row in rows),
        "counts": counts,
        "runs": [telling.in_short(row) for row in rows],
    }


async def cancel(context: Context, queue: Queue, project_id: str, run_id: str) -> dict[str, Any]:
    """Stop a run: one that waits is over at once; one that plays ends before its next request to a model.

    Raises:
        NotFound: the project has none of this id.
        Conflict: it is over.
    """
    async with context.database.writing() as session:
        row = await find(session, project_id, run_id)
        waited = await _stop(session, context, row)
    if waited:
        await queue.take_out([run_id])
    return await show(context, project_id, run_id)


async def cancel_all(context: Context, queue: Queue, project_id: str, agent_id: str) -> dict[str, Any]:
    """Stop every run of an agent that waits or plays."""
    cancelled: list[str] = []
    stopping: list[str] = []
    async with context.database.writing() as session:
        for run_id in await store.unfinished_of_agent(session, project_id, agent_id):
            row = await store.find_run(session, project_id, run_id)
            if row is None or row.is_over:
                continue
            with contextlib.suppress(Conflict):  # it was over in this very moment
                (cancelled if await _stop(session, context, row) else stopping).append(run_id)
    await queue.take_out(cancelled)
    return {"cancelled": cancelled, "stopping": stopping}


async def _stop(session: AsyncSession, context: Context, row: RunRow) -> bool:
    """Stop a run; whether it only waited."""
    if await ending.end_unplayed(session, context, row):
        return True
    if await store.ask_to_stop(session, row.id, context.now()):
        return False
    fresh = await store.run_by_id(session, row.id)
    status = fresh.status if fresh else row.status
    raise Conflict(f"This test run has already finished ({status}), so there is nothing to stop.")


async def last_runs(session: AsyncSession, test_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The newest run of each test, in short, by the test's id."""
    rows = await store.last_runs(session, test_ids)
    return {test_id: telling.in_short(row) for test_id, row in rows.items()}


async def last_of(context: Context, test_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The newest run of each test, in short, by the test's id."""
    if not test_ids:
        return {}
    async with context.database.reading() as session:
        return await last_runs(session, test_ids)


async def unfinished_since(context: Context, moment: datetime, count: int) -> list[str]:
    """Some runs that were started before a moment and are not over."""
    async with context.database.reading() as session:
        return await store.unfinished_since(session, moment, count)


async def end_lost(context: Context, run_id: str, prices: PriceList) -> None:
    """End a run that the queue does not know any more."""
    async with context.database.writing() as session:
        row = await store.run_by_id(session, run_id)
        if row is not None and not row.is_over:
            await ending.end_broken(session, context, row, prices, _LOST, execution=None)


async def drop_events(context: Context, moment: datetime, count: int) -> list[str]:
    """Let go of the events of some runs that have been over since before a moment; the ids of the runs."""
    async with context.database.writing() as session:
        return await old_store.drop_old_events(session, moment, count)


async def due_for_deletion(context: Context, policy: Policy, moment: datetime, count: int) -> list[str]:
    """Some finished runs that their policy does not keep any longer."""
    async with context.database.reading() as session:
        run_ids = await old_store.finished_before(session, policy.name, moment, count)
        if policy.keep_runs_a_test is not None and len(run_ids) < count:
            surplus = await old_store.surplus_runs(session, policy.name, policy.keep_runs_a_test, count - len(run_ids))
            run_ids = list(dict.fromkeys([*run_ids, *surplus]))
    return run_ids


async def dropped(context: Context, count: int) -> list[str]:
    """Some runs that are over and whose test or agent is gone."""
    async with context.database.reading() as session:
        return await old_store.dropped_and_over(session, count)


async def delete(context: Context, run_ids: Sequence[str]) -> int:
    """Delete finished runs; how many there were."""
    if not run_ids:
        return 0
    async with context.database.writing() as session:
        return await old_store.delete_finished(session, run_ids)


async def drop_empty_batches(context: Context, moment: datetime, count: int) -> int:
    """Let go of batches without runs."""
    async with context.database.writing() as session:
        return await old_store.drop_empty_batches(session, moment, count)
