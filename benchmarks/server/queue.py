"""How long an idle service takes from queueing a run to its start."""

from __future__ import annotations

import asyncio
import statistics

from tests.support.service import Service, open_service

from greenroom.server.runs import store
from greenroom.server.runs.working import open_working
from greenroom.server.settings import Settings

RUNS = 40


async def _measure(service: Service) -> tuple[float, float]:
    waits: list[float] = []
    for _ in range(RUNS):
        started = await service.start(service.part())
        await service.all_over([started.runs[0].id])
        async with service.context.database.reading() as session:
            row = await store.run_by_id(session, started.runs[0].id)
        assert row is not None
        assert row.started_at is not None
        waits.append((row.started_at - row.created_at).total_seconds())
    waits.sort()
    return statistics.median(waits), waits[int(RUNS * 0.95)]


async def times_to_start(settings: Settings) -> tuple[float, float]:
    """Seconds from queueing to start on an idle service: the median, and what 95 % of runs keep."""
    async with (
        open_service(settings) as service,
        open_working(service.context, service.queue, service.policies),
    ):
        warm = await service.start(service.part())
        await service.all_over([warm.runs[0].id])
        await asyncio.sleep(5)  # the providers' libraries load meanwhile
        return await _measure(service)
