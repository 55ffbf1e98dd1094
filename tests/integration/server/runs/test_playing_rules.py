"""What holds while runs play: variants, caps, shares of the workers, and tools that are tried."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from tests.support.counting_model import counting_model
from tests.support.full_service import FullService, make_agent, open_full
from tests.support.service import BOOKING, VISIT, open_service
from tests.support.webhook_receiver import SECRET, WebhookReceiver

from greenroom.server.policies.policy import Policy
from greenroom.server.runs.working import open_working
from greenroom.server.settings import Settings

NARROW = Policy(name="narrow", running=2)


@pytest.fixture
async def full(settings: Settings) -> AsyncGenerator[FullService]:
    async with open_full(settings) as opened:
        yield opened


@pytest.fixture
async def client(full: FullService) -> AsyncGenerator[httpx.AsyncClient]:
    async with await full.client() as client:
        yield client


def with_desk(line: str) -> dict[str, Any]:
    """The agent's script with another line for visits."""
    rest = [rule for rule in BOOKING["llm"]["script"] if rule.get("when") != "visit"]  # type: ignore[index]
    return {**BOOKING["llm"], "script": [{"when": "visit", "say": line}, *rest]}  # type: ignore[dict-item]


async def test_variants_play_the_same_test_with_the_same_seeds_and_are_told_apart(client: httpx.AsyncClient) -> None:
    agent = await make_agent(client, BOOKING, VISIT)
    body = {
        "variants": [{"name": "now"}, {"name": "sunday", "overrides": {"llm": with_desk("Sunday at nine is free.")}}],
        "repeat": 2,
        "wait": 60,
    }
    answer = await client.post(f"/v1/agents/{agent}/runs", json=body)
    assert answer.status_code == 200, answer.text
    runs = answer.json()["runs"]
    assert [(run["variant"], run["status"]) for run in runs] == [("now", "passed")] * 2 + [("sunday", "failed")] * 2
    assert [run["seed"] for run in runs[:2]] == [run["seed"] for run in runs[2:]]
    assert [run["overrides_used"] for run in runs] == [False, False, True, True]


async def test_tests_are_listed_with_their_newest_run(client: httpx.AsyncClient) -> None:
    agent = await make_agent(client, BOOKING, VISIT, {**VISIT, "name": "Never run"})
    tests = {each["name"]: each for each in (await client.get(f"/v1/agents/{agent}/tests")).json()["items"]}
    assert {each["last_run"] for each in tests.values()} == {None}
    body = {"test_ids": [tests["Books a visit"]["id"]], "repeat": 2, "wait": 60}
    runs = (await client.post(f"/v1/agents/{agent}/runs", json=body)).json()["runs"]
    tests = {each["name"]: each for each in (await client.get(f"/v1/agents/{agent}/tests")).json()["items"]}
    assert tests["Books a visit"]["last_run"] == (await client.get("/v1/runs")).json()["items"][0]
    assert tests["Books a visit"]["last_run"]["id"] == max(run["id"] for run in runs)
    assert tests["Never run"]["last_run"] is None


async def test_a_batch_that_has_reached_its_cap_asks_no_model_any_more(settings: Settings) -> None:
    async with counting_model(latency=0) as model:
        house = SecretStr(json.dumps({"house": {"api_key": "sk-house", "base_url": model.base_url}}))
        prices = json.dumps({"openai-compatible:desk": {"input": 1_000_000, "output": 2_000_000}})
        update = {"platform_prices": prices, "platform_credentials": house, "run_hold": 1}
        async with open_full(settings.model_copy(update=update)) as full, await full.client() as client:
            await full.add_credits(1_000_000)
            assert (await client.put("/v1/credits/bounds", json={"batch_cap": 300})).is_success
            llm = {"model": "openai-compatible:desk", "base_url": model.base_url, "credential": "house"}
            agent = await make_agent(client, {**BOOKING, "llm": llm}, VISIT)
            (run,) = (await client.post(f"/v1/agents/{agent}/runs", json={"wait": 60})).json()["runs"]
            whole = (await client.get(f"/v1/runs/{run['id']}")).json()
            assert await full.is_balanced()
    assert (whole["status"], whole["ended_by"]) == ("error", "error")
    assert "most that the project allows one batch to cost" in whole["error"]
    assert model.total == 3  # at 120 a request, the third one passes the cap
    assert whole["charged"] == 360 / 1_000_000


async def test_no_more_runs_of_a_tenant_play_at_once_than_its_policy_allows(settings: Settings) -> None:
    slow = {**VISIT, "tool_mocks": []}
    async with open_service(settings, NARROW) as service:
        started = await service.start(*(service.part(test=slow, policy=NARROW) for _ in range(12)))
        run_ids = [run.id for run in started.runs]
        most = 0
        async with open_working(service.context, service.queue, service.policies, grace=0):
            while True:
                statuses = await service.statuses(run_ids)
                most = max(most, statuses.count("running"))
                if not {"queued", "running"} & set(statuses):
                    break
                await asyncio.sleep(0.005)
        assert set(await service.statuses(run_ids)) == {"passed"}
        assert most <= NARROW.running


async def test_a_tenant_with_many_runs_does_not_keep_another_one_waiting(settings: Settings) -> None:
    async with open_service(settings, NARROW) as service:
        many = await service.start(*(service.part(policy=NARROW) for _ in range(30)))
        other = await service.add_project()
        (single,) = (await service.start(service.part(policy=NARROW), owner=other)).runs
        async with open_working(service.context, service.queue, service.policies, grace=0):
            await service.all_over([single.id])
            left = await service.statuses([run.id for run in many.runs])
        assert left.count("queued") > 10, "it waited for the other tenant's runs"


@pytest.mark.parametrize(
    ("agent", "name", "arguments", "status", "told"),
    [
        ({}, "nothing", {}, 404, "has no tool of this name"),
        ({}, "book_slot", {"day": "Monday"}, 422, "no URL or no signing secret"),
        ({"tool_webhook": True}, "book_slot", {"day": 7}, 422, "day"),
    ],
)
async def test_a_tool_that_cannot_be_tried_is_told_in_a_sentence(
    client: httpx.AsyncClient, agent: dict[str, Any], name: str, arguments: dict[str, Any], status: int, told: str
) -> None:
    tools = [{"name": "book_slot", "description": "Book", "parameters": PARAMETERS}]
    hook = {"tool_webhook": {"url": "http://127.0.0.1:9/hook", "secret": SECRET}} if agent else {}
    agent_id = await make_agent(client, {**BOOKING, "tools": tools, **hook})
    answer = await client.post(f"/v1/agents/{agent_id}/tools/{name}/try", json={"arguments": arguments})
    assert answer.status_code == status, answer.text
    assert told in answer.json()["detail"]


PARAMETERS = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}


async def test_a_tool_is_tried_for_real_and_its_answer_told(client: httpx.AsyncClient) -> None:
    async with WebhookReceiver() as receiver:
        tools = [{"name": "book_slot", "description": "Book", "parameters": PARAMETERS}]
        hook = {"url": receiver.url, "secret": SECRET}
        agent_id = await make_agent(client, {**BOOKING, "tools": tools, "tool_webhook": hook})
        answer = await client.post(f"/v1/agents/{agent_id}/tools/book_slot/try", json={"arguments": {"day": "Monday"}})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["ok"], answer.json()["reason"]) == (True, None)
    assert answer.json()["latency_ms"] >= 0
    (request,) = receiver.requests
    assert json.loads(request.body)["arguments"] == {"day": "Monday"}


async def test_a_tool_at_a_private_address_is_not_called_where_that_is_not_allowed(settings: Settings) -> None:
    async with (
        WebhookReceiver() as receiver,
        open_full(settings.model_copy(update={"allow_private_networks": False})) as full,
        await full.client() as client,
    ):
        tools = [
            {"name": "ticket", "description": "Open", "http": {"url": receiver.url.replace("127.0.0.1", "inside.test")}}
        ]
        agent_id = await make_agent(client, {**BOOKING, "tools": tools})
        answer = await client.post(f"/v1/agents/{agent_id}/tools/ticket/try", json={"arguments": {}})
        assert receiver.requests == []
    assert answer.status_code == 200, answer.text
    assert answer.json()["ok"] is False
    assert answer.json()["reason"] in ("blocked_address", "unreachable")
