"""Runs over the API, played by a worker in the same process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI
from tests.support.counting_model import CountingModel, counting_model
from tests.support.service import BOOKING, VISIT

from greenroom.server.app import create_app
from greenroom.server.context import Context
from greenroom.server.keys import service as keys
from greenroom.server.projects import service as projects
from greenroom.server.security.who import operator
from greenroom.server.serving import open_runs
from greenroom.server.settings import Settings


@asynccontextmanager
async def serving(settings: Settings, *, worker: bool = True) -> AsyncGenerator[httpx.AsyncClient]:
    """The service with a worker, and a client with a key that may do everything."""

    @asynccontextmanager
    async def companion(app: FastAPI, context: Context) -> AsyncGenerator[None]:
        async with open_runs(app, context, worker=worker):
            yield

    app = create_app(settings, companions=(companion,))
    async with app.router.lifespan_context(app):
        context: Context = app.state.context
        project = await projects.find_by_word(context, "default")
        made = await keys.create(context, operator(project.id), "key", ["all"], None)
        transport = httpx.ASGITransport(app)
        headers = {"Authorization": f"Bearer {made['key']}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://greenroom", headers=headers) as client:
            yield client


async def make(client: httpx.AsyncClient, agent: Any = BOOKING, test: Any = VISIT) -> tuple[str, str]:
    """An agent and a test of it; their ids."""
    made = await client.post("/v1/agents", json=agent)
    assert made.status_code == 201, made.text
    saved = await client.post(f"/v1/agents/{made.json()['id']}/tests", json=test)
    assert saved.status_code == 201, saved.text
    return made.json()["id"], saved.json()["id"]


def slow(model: CountingModel) -> dict[str, Any]:
    """An agent whose model takes its time."""
    return {**BOOKING, "llm": {"model": "openai-compatible:desk", "base_url": model.base_url}}


async def test_a_saved_test_is_run_and_its_run_is_told(settings: Settings) -> None:
    async with serving(settings) as client:
        agent_id, test_id = await make(client)
        started = await client.post(f"/v1/agents/{agent_id}/runs", json={"test_ids": [test_id], "wait": 60})
        assert started.status_code == 200, started.text
        run_id = started.json()["runs"][0]["id"]
        run = (await client.get(f"/v1/runs/{run_id}")).json()
        assert (run["status"], run["passed_checks"], run["test_id"]) == ("passed", 2, test_id)
        assert (run["provider"], run["model"]) == ("scripted", "desk")
        assert [line["text"] for line in run["transcript"]][:3] == [
            "Front desk, hello.",
            "I would like a visit.",
            "Monday at nine is free.",
        ]
        listed = (await client.get("/v1/runs", params={"agent_id": agent_id, "status": "passed"})).json()
        assert [each["id"] for each in listed["items"]] == [run_id]
        assert "transcript" not in listed["items"][0]
        batch = (await client.get(f"/v1/batches/{started.json()['batch_id']}")).json()
        assert (batch["is_over"], batch["counts"]) == (True, {"passed": 1})
        again = await client.post(f"/v1/runs/{run_id}/cancel")
        assert again.status_code == 409
        assert again.json()["detail"] == "This test run has already finished (passed), so there is nothing to stop."


async def test_overrides_hold_for_one_request_and_are_held_to_the_agent_s_rules(settings: Settings) -> None:
    async with serving(settings) as client:
        agent_id, _ = await make(client)
        wanted = {"tests": [VISIT], "overrides": {"greeting": "Good evening."}, "repeat": 2, "wait": 60}
        started = (await client.post(f"/v1/agents/{agent_id}/runs", json=wanted)).json()
        assert len(started["runs"]) == 2
        run = (await client.get(f"/v1/runs/{started['runs'][1]['id']}")).json()
        assert run["transcript"][0]["text"] == "Good evening."
        assert (run["overrides_used"], run["repeat_index"], run["test_id"]) == (True, 1, None)
        assert (await client.get(f"/v1/agents/{agent_id}")).json()["greeting"] == BOOKING["greeting"]
        wrong = await client.post(f"/v1/agents/{agent_id}/runs", json={"overrides": {"greetin": "Hi"}})
        assert wrong.status_code == 422
        assert wrong.json()["errors"][0]["field"] == "overrides.greetin"
        rehearsed = await client.post(f"/v1/agents/{agent_id}/runs", json={"force_primary_failure": True})
        assert rehearsed.json()["errors"][0]["field"] == "force_primary_failure"


async def test_a_run_that_plays_stops_before_its_next_request_and_keeps_its_talk(settings: Settings) -> None:
    async with counting_model(latency=0.3) as model, serving(settings) as client:
        agent_id, _ = await make(client, slow(model))
        started = (await client.post(f"/v1/agents/{agent_id}/runs", json={})).json()
        run_id = started["runs"][0]["id"]
        await model.wait_for(2)
        asked = (await client.post(f"/v1/runs/{run_id}/cancel")).json()
        assert asked["status"] == "running"
        assert asked["cancel_requested_at"] is not None
        again = (await client.post(f"/v1/runs/{run_id}/cancel")).json()
        assert again["cancel_requested_at"] == asked["cancel_requested_at"]
        events = [event async for event in followed(client, run_id)]
        run = events[-1]["run"]
        assert (run["status"], run["ended_by"]) == ("cancelled", "stopped")
        assert {check["passed"] for check in run["checks"]} == {None}
        assert run["transcript"]
        assert run["input_tokens"] > 0
        assert model.total == 2


async def test_a_run_that_waits_is_cancelled_at_once(settings: Settings) -> None:
    async with serving(settings, worker=False) as client:
        agent_id, _ = await make(client)
        started = (await client.post(f"/v1/agents/{agent_id}/runs", json={"repeat": 3})).json()
        first = (await client.post(f"/v1/runs/{started['runs'][0]['id']}/cancel")).json()
        assert (first["status"], first["ended_by"], first["input_tokens"]) == ("cancelled", "stopped", 0)
        rest = (await client.post(f"/v1/agents/{agent_id}/cancel-all")).json()
        assert (len(rest["cancelled"]), rest["stopping"]) == (2, [])


async def followed(client: httpx.AsyncClient, run_id: str, last: int = 0) -> AsyncGenerator[dict[str, Any]]:
    """The events of a run up to its end."""
    async with asyncio.timeout(60):
        response = await client.get(f"/v1/runs/{run_id}/events", headers={"Last-Event-ID": str(last)})
    number = 0
    for line in response.text.splitlines():
        if line.startswith("id: "):
            number = int(line[4:])
        if line.startswith("data: "):
            yield {"number": number, **json.loads(line[6:])}


async def test_whoever_follows_a_run_again_hears_only_what_came_since(settings: Settings) -> None:
    async with serving(settings) as client:
        agent_id, _ = await make(client)
        started = (await client.post(f"/v1/agents/{agent_id}/runs", json={})).json()
        run_id = started["runs"][0]["id"]
        events = [event async for event in followed(client, run_id)]
        assert [event["event"] for event in events][:3] == ["queued", "started", "turn"]
        assert events[-1]["event"] == "finished"
        numbers = [event["number"] for event in events]
        assert numbers == sorted(set(numbers))
        since = [event async for event in followed(client, run_id, numbers[4])]
        assert [event["number"] for event in since] == numbers[5:]
        assert [event async for event in followed(client, run_id, numbers[-1])] == []


async def test_one_reply_is_told_with_the_tools_it_picks(settings: Settings) -> None:
    async with serving(settings) as client:
        agent_id, _ = await make(client)
        wanted = {"messages": [{"role": "caller", "text": "I want a visit"}]}
        answer = await client.post(f"/v1/agents/{agent_id}/reply", json=wanted)
        assert answer.status_code == 200, answer.text
        assert answer.json()["ended_by"] == "replied"
        assert answer.json()["transcript"][-1]["text"] == "Monday at nine is free."
