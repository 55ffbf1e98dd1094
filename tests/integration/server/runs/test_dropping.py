"""Deleting a test or an agent deletes its runs: what waits is over at once, what plays stops, and all goes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from tests.support.service import BOOKING, VISIT
from tests.support.web_service import Web, open_web

from greenroom.server.credits.prices import price_list
from greenroom.server.policies.service import Policies, native_policy
from greenroom.server.retention.service import Retention
from greenroom.server.runs import store
from greenroom.server.settings import Settings


@pytest.fixture
async def web(settings: Settings) -> AsyncGenerator[Web]:
    async with open_web(settings, with_runs=True) as opened:
        yield opened


@pytest.fixture
async def client(web: Web) -> AsyncGenerator[httpx.AsyncClient]:
    async with await web.client() as client:
        yield client


async def started(client: httpx.AsyncClient) -> tuple[str, str, list[str]]:
    """An agent, its test, and two runs of it that wait."""
    agent = (await client.post("/v1/agents", json=BOOKING)).json()["id"]
    test = (await client.post(f"/v1/agents/{agent}/tests", json=VISIT)).json()["id"]
    body: dict[str, Any] = {"test_ids": [test], "repeat": 2}
    runs = (await client.post(f"/v1/agents/{agent}/runs", json=body)).json()["runs"]
    return agent, test, [run["id"] for run in runs]


async def count(web: Web, table: str) -> int:
    async with web.context.database.reading() as session:
        return int(await session.scalar(text(f"SELECT count(*) FROM {table}")) or 0)


async def waiting(web: Web) -> int:
    async with web.context.database.reading() as session:
        return await store.count_active(session, f"project:{web.project_id}")


async def clean(web: Web) -> None:
    context = web.context
    policies = Policies([native_policy(context.settings)])
    await Retention(context, web.app.state.queue, policies, price_list(context.settings)).clean()


@pytest.mark.parametrize("what", ["test", "agent"])
async def test_runs_that_wait_are_over_and_unseen_at_once_and_gone_after_the_cleaning(
    web: Web, client: httpx.AsyncClient, what: str
) -> None:
    agent, test, run_ids = await started(client)
    _, _, others = await started(client)
    path = f"/v1/agents/{agent}/tests/{test}" if what == "test" else f"/v1/agents/{agent}"
    assert (await client.delete(path)).status_code == 204
    assert {(await client.get(f"/v1/runs/{run_id}")).status_code for run_id in run_ids} == {404}
    assert {run["id"] for run in (await client.get("/v1/runs")).json()["items"]} == set(others)
    assert await waiting(web) == len(others)
    await clean(web)
    assert await count(web, "runs") == len(others)
    assert {(await client.get(f"/v1/runs/{run_id}")).status_code for run_id in others} == {200}


async def test_a_run_that_plays_is_asked_to_stop_and_goes_once_it_is_over(web: Web, client: httpx.AsyncClient) -> None:
    agent, test, (playing, _) = await started(client)
    async with web.context.database.writing() as session:
        assert await store.begin(session, playing, "mine", web.context.now())
    assert (await client.delete(f"/v1/agents/{agent}/tests/{test}")).status_code == 204
    await clean(web)
    async with web.context.database.reading() as session:
        row = await store.run_by_id(session, playing)
    assert row is not None
    assert (row.status, row.cancel_requested_at is not None) == ("running", True)
    assert (await client.get(f"/v1/runs/{playing}")).status_code == 404
    assert (await client.post(f"/v1/runs/{playing}/cancel")).status_code == 404


async def test_a_test_that_was_changed_meanwhile_keeps_its_runs(web: Web, client: httpx.AsyncClient) -> None:
    agent, test, run_ids = await started(client)
    path = f"/v1/agents/{agent}/tests/{test}"
    assert (await client.delete(path, headers={"If-Match": '"7"'})).status_code == 412
    assert {(await client.get(f"/v1/runs/{run_id}")).status_code for run_id in run_ids} == {200}
    assert await waiting(web) == len(run_ids)
