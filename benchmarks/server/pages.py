"""How long lists and pages of runs take when many are stored."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from sqlalchemy import insert, text
from tests.support.service import BOOKING, VISIT, open_service
from tests.support.web_service import open_web

from greenroom.server.database.engine import Database
from greenroom.server.database.ids import new_id
from greenroom.server.paging import cursor_for
from greenroom.server.runs.store import BatchRow, RecordRow, RunRow
from greenroom.server.runs.working import open_working
from greenroom.server.settings import Settings

ROUNDS = 50
_CHUNK = 5_000
_A_BATCH = 500


async def times_of_pages(
    settings: Settings, counts: tuple[int, ...], record: dict[str, Any]
) -> AsyncIterator[tuple[int, dict[str, float]]]:
    """For each number of stored runs, in rising order, the median time in seconds of each kind of page."""
    async with open_web(settings) as web, await web.client() as client:
        agent_id = (await client.post("/v1/agents", json=BOOKING)).json()["id"]
        stored: list[str] = []
        for count in counts:
            await _store(web.context.database, web.project_id, agent_id, count, stored, record)
            yield count, await _measure(client, agent_id, stored)


async def a_record(settings: Settings) -> dict[str, Any]:
    """The body of a finished run, as a worker writes it. The database is used up by it."""
    async with open_service(settings) as service:
        started = await service.start(service.part(BOOKING, VISIT))
        async with open_working(service.context, service.queue, service.policies, grace=0):
            await service.all_over([started.runs[0].id])
        async with service.context.database.reading() as session:
            record = await session.get(RecordRow, started.runs[0].id)
    if record is None:
        raise RuntimeError("the run that is to be copied has no record")
    return record.body


async def _store(
    database: Database, project_id: str, agent_id: str, count: int, stored: list[str], record: dict[str, Any]
) -> None:
    while len(stored) < count:
        size = min(_CHUNK, count - len(stored))
        rows = list(_rows(project_id, agent_id, size))
        batches = {str(row["batch_id"]) for row in rows}
        async with database.writing() as session:
            now = datetime.now(UTC)
            made = [{"id": each, "project_id": project_id, "agent_id": agent_id, "created_at": now} for each in batches]
            await session.execute(insert(BatchRow), made)
            await session.execute(insert(RunRow), rows)
            await session.execute(insert(RecordRow), [{"run_id": row["id"], "body": record} for row in rows])
        stored.extend(str(row["id"]) for row in rows)
    if not database.is_sqlite:
        async with database.connecting() as connection:
            await connection.execute(text("ANALYZE"))
            await connection.commit()


def _rows(project_id: str, agent_id: str, count: int) -> Iterator[dict[str, Any]]:
    moment, batch_id = datetime.now(UTC) - timedelta(days=1), ""
    for number in range(count):
        if number % _A_BATCH == 0:
            batch_id = new_id("bat")
        yield {
            "id": new_id("run"),
            "project_id": project_id,
            "developer_id": "dev_00000000000000000000000000",
            "batch_id": batch_id,
            "place": 0,
            "agent_id": agent_id,
            "agent": "Front desk",
            "test": "Books a visit",
            "kind": "simulation",
            "repeat_index": 0,
            "tags": ["booking"],
            "seed": 0,
            "policy": "native",
            "tenant": project_id,
            "overrides_used": False,
            "force_primary_failure": False,
            "status": "failed" if number % 100 == 0 else "passed",
            "total_checks": 2,
            "created_at": moment,
            "started_at": moment,
            "finished_at": moment,
        }


async def _measure(client: httpx.AsyncClient, agent_id: str, stored: list[str]) -> dict[str, float]:
    stored.sort()
    middle = cursor_for(stored[len(stored) // 2])
    pages = {
        "first page": "/v1/runs?limit=50",
        "page in the middle": f"/v1/runs?limit=50&cursor={middle}",
        "failed ones of an agent": f"/v1/runs?limit=50&agent_id={agent_id}&status=failed",
        "one run": f"/v1/runs/{stored[len(stored) // 2]}",
        "its batch": "/v1/batches/" + (await client.get(f"/v1/runs/{stored[0]}")).json()["batch_id"],
    }
    return {name: await _median(client, url) for name, url in pages.items()}


async def _median(client: httpx.AsyncClient, url: str) -> float:
    took: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = await client.get(url)
        took.append(time.perf_counter() - began)
        if not answer.is_success:
            raise RuntimeError(f"{url}: {answer.text}")
    return statistics.median(took)
