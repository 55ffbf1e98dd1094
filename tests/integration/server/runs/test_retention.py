"""Finished runs go when their time is over, in batches, and by a schedule that really runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from sqlalchemy import text
from tests.support.service import Service, open_service
from tests.support.web_service import Clock

from greenroom.server.context import Context
from greenroom.server.credits.prices import price_list
from greenroom.server.policies.policy import Policy
from greenroom.server.queue.worker import Work, open_worker
from greenroom.server.retention import service as retention
from greenroom.server.retention.service import Retention
from greenroom.server.runs import service as runs
from greenroom.server.settings import Settings

FEW = Policy(name="few", keep_runs_a_test=2, retention_days=30)


@pytest.fixture
async def service(settings: Settings) -> AsyncGenerator[Service]:
    async with open_service(settings, FEW) as opened:
        yield opened


def at(service: Service, clock: Clock) -> Context:
    """The service's context at the time of a clock."""
    context = service.context
    return Context(context.settings, context.database, context.vault, clock)


async def finished(service: Service, clock: Clock, count: int, **part: object) -> list[str]:
    """Runs that are over since the time of the clock."""
    context = at(service, clock)
    run_ids: list[str] = []
    for _ in range(count):
        (run,) = (await service.start(service.part(**part))).runs  # pyright: ignore[reportArgumentType] - as given
        await runs.cancel(context, service.queue, service.owner.project_id, run.id)
        run_ids.append(run.id)
    return run_ids


async def clean(service: Service, clock: Clock) -> None:
    context = at(service, clock)
    await Retention(context, service.queue, service.policies, price_list(context.settings)).clean()


async def rows(service: Service, table: str = "runs") -> int:
    async with service.context.database.reading() as session:
        return int(await session.scalar(text(f"SELECT count(*) FROM {table}")) or 0)


async def test_runs_are_kept_for_thirty_days_and_not_a_day_longer(service: Service) -> None:
    clock = Clock(service.context.now())
    old = await finished(service, clock, 2)
    clock.move(days=15)
    new = await finished(service, clock, 1)
    clock.move(days=14)
    await clean(service, clock)
    assert await service.statuses([*old, *new]) == ["cancelled"] * 3
    clock.move(days=2)
    await clean(service, clock)
    assert await service.statuses([*old, *new]) == ["gone", "gone", "cancelled"]


async def test_events_go_long_before_their_runs_and_records_stay(service: Service) -> None:
    clock = Clock(service.context.now())
    (run_id,) = await finished(service, clock, 1)
    assert await rows(service, "run_events") > 0
    clock.move(days=3)
    await clean(service, clock)
    assert await rows(service, "run_events") == 0
    assert (await service.show(run_id))["status"] == "cancelled"
    assert len((await service.show(run_id))["checks"]) == 2


async def test_only_the_newest_runs_of_a_test_stay_where_the_policy_says_so(service: Service) -> None:
    clock = Clock(service.context.now())
    one = await finished(service, clock, 4, policy=FEW, id="tst_one")
    other = await finished(service, clock, 1, policy=FEW, id="tst_other")
    unbounded = await finished(service, clock, 4, id="tst_one")
    await clean(service, clock)
    assert await service.statuses(one) == ["gone", "gone", "cancelled", "cancelled"]
    assert set(await service.statuses([*other, *unbounded])) == {"cancelled"}


async def test_runs_that_are_not_over_stay_whatever_their_age(service: Service) -> None:
    clock = Clock(service.context.now())
    (waiting,) = (await service.start()).runs
    clock.move(days=400)
    await clean(service, clock)
    assert await service.statuses([waiting.id]) == ["queued"]


async def test_more_than_one_batch_goes_in_one_cleaning(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    clock = Clock(service.context.now())
    run_ids = await finished(service, clock, 5)
    clock.move(days=31)
    await clean(service, clock)
    assert set(await service.statuses(run_ids)) == {"gone"}
    assert await rows(service, "batches") == 0
    assert await rows(service, "run_records") == 0


async def test_the_cleaning_is_started_by_its_schedule(service: Service) -> None:
    cleaned = asyncio.Event()

    async def clean_up() -> None:
        cleaned.set()

    async def play(run_id: str) -> None:
        raise AssertionError(run_id)

    work = Work(play, clean_up)
    async with open_worker(service.context, service.policies, work, grace=0, cleaning="* * * * * *"):
        await asyncio.wait_for(cleaned.wait(), 30)
