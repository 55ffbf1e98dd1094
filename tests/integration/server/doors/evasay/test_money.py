"""What runs and drafts at the door `evasay` cost, and that the ledger says the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from tests.support.door_service import DoorService, open_door_service
from tests.support.dvaarik_door import settings_in
from tests.support.evasay_door import (
    AGENT,
    BREAKS,
    NEXT_REPLY,
    PLATFORM,
    SIMULATION,
    TOOL_CALL,
    VOICE,
    calling,
    purse,
    refusal,
    scripted,
)
from tests.support.model_server import Answer, Heard, ModelServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

CREDITS, PRICE = 2, 2_500
"""What a run costs here: 2 credits of 0.0025 each."""
COST = CREDITS * PRICE
NO = {"role": "judge", "answer": "no", "reason": "It did not.", "quote": ""}
FAILS: dict[str, Any] = {**AGENT, "llm": {"model": "scripted:desk", "script": [{"say": "Hello."}, NO]}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def priced(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[DoorService]:
    """A service in which a run costs something."""
    prices = {"evasay_credits_per_run": CREDITS, "evasay_credit_price": PRICE}
    settings = settings_in(tmp_path_factory.mktemp("priced"), **PLATFORM, **prices)
    async with open_door_service(settings) as opened:
        yield opened


async def test_a_run_costs_its_credits_whether_it_passes_or_fails(priced: DoorService) -> None:
    async with purse(priced, 10 * COST) as own:
        [passed] = await own.clients.played(AGENT, TOOL_CALL)
        [failed] = await own.clients.played(FAILS, NEXT_REPLY)
        assert [(run["status"], run["credits"]) for run in (passed, failed)] == [("passed", 2), ("failed", 2)]
        assert await own.standing() == (8 * COST, 0)
        assert await own.charges() == [-COST, -COST]


async def test_a_run_that_cannot_run_is_refunded(priced: DoorService) -> None:
    async with purse(priced, 3 * COST) as own:
        [broken] = await own.clients.played(BREAKS, NEXT_REPLY)
        assert (broken["status"], broken["credits"]) == ("error", 0)
        assert await own.standing() == (3 * COST, 0)
        assert await own.charges() == []


async def test_runs_stop_at_the_first_that_the_balance_cannot_pay(priced: DoorService) -> None:
    async with purse(priced, 3 * COST - 1) as own:
        agent_id = await own.clients.agent()
        ids = [(await own.clients.test(agent_id, test))["id"] for test in (TOOL_CALL, NEXT_REPLY, SIMULATION)]
        started = await own.clients.started(agent_id)
        assert [run["test_id"] for run in started["runs"]] == ids[:2]
        assert [(run["status"], run["credits"]) for run in started["runs"]] == [("running", 2)] * 2
        assert started["not_started"] == ids[2:]
        runs = await own.clients.all_over(started["runs"])
        assert [run["credits"] for run in runs] == [2, 2]
        assert await own.standing() == (COST - 1, 0)
        poor = await own.clients.door.post(f"{VOICE}/agents/{agent_id}/test-runs", json={"test_ids": ids[:1]})
        assert "not enough credits" in refusal(poor, 402, "insufficient_credits")
        assert len((await own.clients.native.get("/v1/runs")).json()["items"]) == 2
        assert await own.charges() == [-COST, -COST]


async def test_runs_that_start_side_by_side_never_spend_the_same_credits(priced: DoorService) -> None:
    async with purse(priced, 5 * COST) as own:
        agent_id = await own.clients.agent()
        for _ in range(3):
            await own.clients.test(agent_id, TOOL_CALL)
        address = f"{VOICE}/agents/{agent_id}/test-runs"
        answers = await asyncio.gather(*(own.clients.door.post(address, json={}) for _ in range(4)))
        started = [run for answer in answers if answer.status_code == 201 for run in answer.json()["runs"]]
        assert sorted({answer.status_code for answer in answers}) == [201, 402]
        assert len(started) == 5
        await own.clients.all_over(started)
        assert await own.standing() == (0, 0)
        assert await own.charges() == [-COST] * 5


async def test_a_run_that_somebody_stops_is_told_as_an_error_and_refunded(priced: DoorService) -> None:
    release = asyncio.Event()
    async with ModelServer() as server, purse(priced, 2 * COST) as own:

        async def wait(_heard: Heard) -> Answer:
            await release.wait()
            return Answer(text="Hello.")

        server.answer = wait
        llm = {"model": "openai-compatible:desk", "base_url": server.openai_url}
        agent_id = await own.clients.agent({**AGENT, "llm": llm})
        await own.clients.test(agent_id, SIMULATION)
        [run] = (await own.clients.started(agent_id))["runs"]
        await server.arrived(1)
        assert await own.standing() == (2 * COST, COST)
        stopped = await own.clients.native.post(f"/v1/runs/{run['id']}/cancel")
        assert stopped.status_code == 200
        release.set()
        over = await own.clients.over(run["id"])
        assert (over["status"], over["reason"], over["credits"]) == ("error", "The run was stopped.", 0)
        assert await own.standing() == (2 * COST, 0)
        assert await own.charges() == []


async def test_drafts_cost_what_a_run_costs_and_nothing_where_nothing_comes_of_them(priced: DoorService) -> None:
    async with purse(priced, COST) as own:
        agent_id = await own.clients.agent()
        useless = await own.clients.agent(scripted({"role": "author", "say": "No."}))
        refused = await own.clients.door.post(f"{VOICE}/agents/{useless}/tests/generate", json={})
        assert "drafted no usable test" in refusal(refused, 502, "model_failed")
        assert await own.standing() == (COST, 0)
        drafted = await own.clients.door.post(f"{VOICE}/agents/{agent_id}/tests/generate", json={"count": 3})
        assert drafted.status_code == 200, drafted.text
        assert drafted.json()["credits"] == 2
        assert await own.charges() == [-COST]
        poor = await own.clients.door.post(f"{VOICE}/agents/{agent_id}/tests/generate", json={"count": 3})
        assert "not enough credits" in refusal(poor, 402, "insufficient_credits")
        assert await own.standing() == (0, 0)


async def test_a_run_has_one_price_whoever_s_account_its_models_are_on(priced: DoorService) -> None:
    async with purse(priced, COST) as own:
        agent = calling("book_slot", day="Saturday")
        [run] = await own.clients.played({**agent, "llm": {**agent["llm"], "credential": "house"}}, TOOL_CALL)
        assert (run["status"], run["credits"]) == ("passed", 2)
        assert await own.charges() == [-COST]


async def test_the_budget_that_a_project_sets_itself_stops_runs_too(priced: DoorService) -> None:
    async with purse(priced, 10 * COST) as own:
        agent_id = await own.clients.agent()
        for _ in range(3):
            await own.clients.test(agent_id, TOOL_CALL)
        estimate = priced.context.settings.run_hold
        bounds = await own.clients.native.put("/v1/credits/bounds", json={"monthly_budget": 2 * estimate})
        assert bounds.status_code == 200, bounds.text
        started = await own.clients.started(agent_id)
        assert (len(started["runs"]), len(started["not_started"])) == (2, 1)
        await own.clients.all_over(started["runs"])
        await own.clients.native.put("/v1/credits/bounds", json={"monthly_budget": 0})
        refused = await own.clients.door.post(f"{VOICE}/agents/{agent_id}/test-runs", json={})
        assert "budget for this month" in refusal(refused, 402, "insufficient_credits")
