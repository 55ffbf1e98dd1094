"""The end of a run: status, record, counts and credits change together, or not at all, and only once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.run import Run
from greenroom.server.context import Context
from greenroom.server.credits import service as credits
from greenroom.server.credits.prices import PriceList
from greenroom.server.runs import store, telling
from greenroom.server.runs.recording import figures_of, known_cost
from greenroom.server.runs.store import RunRow
from greenroom.server.usage import service as usage


def scopes_of(row: RunRow) -> tuple[str, ...]:
    """Where a run counts as waiting or running."""
    return f"project:{row.project_id}", f"developer:{row.developer_id}"


async def end_run(
    session: AsyncSession,
    context: Context,
    row: RunRow,
    run: Run,
    prices: PriceList,
    *,
    execution: str | None,
    charge: int,
    last_event: int | None = None,
) -> bool:
    """End a run as `run` has it; `False`, with nothing changed, where it is over or another execution plays it."""
    now = context.now()
    run.finished_at = now
    figures = figures_of(run, prices)
    figures["last_event"] = (row.last_event if last_event is None else last_event) + 1
    values = {
        "status": run.status,
        "ended_by": run.ended_by,
        "end_detail": run.end_detail,
        "error": run.error,
        "finished_at": now,
        **figures,
    }
    if not await store.finish(session, row.id, execution, values):
        return False
    fresh = await store.run_by_id(session, row.id)
    run.cancel_requested_at = fresh.cancel_requested_at if fresh else None
    await store.add_record(session, row.id, run.model_dump(mode="json"))
    await _settle(session, row, run, now, charge, known_cost(run, prices))
    return True


async def end_broken(
    session: AsyncSession,
    context: Context,
    row: RunRow,
    prices: PriceList,
    sentence: str,
    *,
    execution: str | None,
) -> bool:
    """End a run as an error of Greenroom's own, with what is known of it. Nothing is charged for it."""
    run = await telling.run_so_far(session, row)
    run.status, run.ended_by, run.error = "error", "error", sentence
    return await end_run(session, context, row, run, prices, execution=execution, charge=0)


async def end_unplayed(session: AsyncSession, context: Context, row: RunRow) -> bool:
    """End a run that waits, as its owner asked; `False` where it does not wait any more."""
    now = context.now()
    if not await store.cancel_queued(session, row.id, now):
        return False
    run = await telling.run_so_far(session, row)
    run.status, run.ended_by = "cancelled", "stopped"
    run.cancel_requested_at = run.finished_at = now
    await store.add_record(session, row.id, run.model_dump(mode="json"))
    await _settle(session, row, run, now, 0, 0)
    return True


async def _settle(session: AsyncSession, row: RunRow, run: Run, now: datetime, charge: int, cost: int) -> None:
    await store.drop_active(session, scopes_of(row))
    await store.drop_material(session, row.batch_id, row.place)
    charged = await credits.settle(session, row.id, now, charge=charge, cost=cost, note=f"run of {row.test}")
    if charged:
        await store.note_charge(session, row.id, charged)
    input_tokens, output_tokens = run.tokens()
    await usage.count_run(
        session,
        row.project_id,
        now,
        status=run.status,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=cost,
        is_known=run.cost_usd is not None,
        charged=charged,
    )
