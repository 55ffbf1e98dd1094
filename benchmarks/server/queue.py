"""How long an idle service takes from queueing a run to its start, and what a remembered step costs.

python -m benchmarks.server.queue [postgresql://…]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

from cryptography.fernet import Fernet
from sqlalchemy import text
from tests.support.service import Service, open_service

from greenroom.server.runs import store
from greenroom.server.runs.working import open_working
from greenroom.server.settings import Settings

RUNS = 40


async def _measure(service: Service) -> None:
    waits: list[float] = []
    plays: list[float] = []
    for _ in range(RUNS):
        started = await service.start(service.part())
        await service.all_over([started.runs[0].id])
        async with service.context.database.reading() as session:
            row = await store.run_by_id(session, started.runs[0].id)
        assert row is not None
        assert row.started_at is not None
        assert row.finished_at is not None
        waits.append((row.started_at - row.created_at).total_seconds() * 1000)
        plays.append((row.finished_at - row.started_at).total_seconds() * 1000)
    table = "operation_outputs" if service.context.database.is_sqlite else "dbos.operation_outputs"
    async with service.context.database.reading() as session:
        steps = int(await session.scalar(text(f"SELECT count(*) FROM {table}")) or 0) / RUNS
    waits.sort()
    print(f"queue to start: median {statistics.median(waits):.0f} ms, p95 {waits[int(RUNS * 0.95)]:.0f} ms")
    play = statistics.median(plays)
    print(f"a run of {steps:.0f} scripted steps: {play:.0f} ms, {play / steps:.1f} ms a step")


async def main(url: str | None) -> None:
    """Measure on a new SQLite file, or on an empty PostgreSQL database."""
    with tempfile.TemporaryDirectory() as folder:
        written = {
            "data": Path(folder),
            "database_url": url or f"sqlite:///{folder}/greenroom.db",
            "secret_keys": Fernet.generate_key().decode(),
        }
        async with (
            open_service(Settings.model_validate(written)) as service,
            open_working(service.context, service.queue, service.policies),
        ):
            warm = await service.start(service.part())
            await service.all_over([warm.runs[0].id])
            await asyncio.sleep(5)  # the providers' libraries load meanwhile
            await _measure(service)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
