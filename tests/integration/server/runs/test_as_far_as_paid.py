"""Runs that are started as far as they can be paid, in order, and what is told of the others."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import SecretStr
from tests.support.full_service import make_agent, open_full
from tests.support.service import BOOKING, VISIT, Service, open_service

from greenroom.server.credits import service as credits
from greenroom.server.credits.service import CannotPay
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Conflict
from greenroom.server.runs.starting import Started
from greenroom.server.settings import Settings

PRICED = Policy(name="priced", charge="run", run_price=100, active_per_project=4)


async def start(service: Service, *prices: int) -> Started:
    """Start a run for each price, as far as they can be paid."""
    parts = [
        service.part(policy=PRICED.model_copy(update={"run_price": price}), name=f"Test {place}")
        for place, price in enumerate(prices)
    ]
    return await service.starter.start(service.owner, parts, PRICED, as_far_as_paid=True)


async def test_runs_start_up_to_the_first_that_cannot_be_paid(settings: Settings) -> None:
    async with open_service(settings, PRICED) as service:
        await service.add_credits(250)
        started = await start(service, 100, 100, 100, 10)
        assert [run.test for run in started.runs] == ["Test 0", "Test 1"]
        assert [plan.test.name for plan in started.not_started] == ["Test 2", "Test 3"], "a cheap one does not go ahead"
        standing = await service.credits()
        assert (standing.balance, standing.held) == (250, 200)
        assert await service.balanced()
        with pytest.raises(CannotPay, match="not enough credits"):
            await start(service, 100, 10)
        rest = await start(service, 10, 0)
        assert (len(rest.runs), rest.not_started) == (2, [])


async def test_what_can_be_paid_in_full_starts_in_full(settings: Settings) -> None:
    async with open_service(settings, PRICED) as service:
        await service.add_credits(300)
        started = await start(service, 100, 100, 100)
        assert (len(started.runs), started.not_started) == (3, [])


async def test_runs_that_cost_nothing_start_without_credits(settings: Settings) -> None:
    async with open_service(settings, PRICED) as service:
        started = await start(service, 0, 0, 100)
        assert (len(started.runs), len(started.not_started)) == (2, 1)


async def test_what_may_wait_is_counted_of_those_that_start(settings: Settings) -> None:
    async with open_service(settings, PRICED) as service:
        await service.add_credits(300)
        started = await start(service, *[100] * 6)
        assert (len(started.runs), len(started.not_started)) == (3, 3), "6 would be more than may wait"
        await service.add_credits(1000)
        with pytest.raises(Conflict, match="At most 4 runs"):
            await start(service, 100, 100)
        assert (await service.credits()).held == 300


async def test_the_month_s_budget_and_the_cap_of_a_batch_end_a_request_too(settings: Settings) -> None:
    async with open_service(settings, PRICED) as service:
        await service.add_credits(10_000_000)
        estimate = settings.run_hold
        project_id = service.owner.project_id
        for bounds, sentence in (
            ({"monthly_budget": 2 * estimate, "batch_cap": None}, "budget for this month"),
            ({"monthly_budget": None, "batch_cap": estimate}, "allows one batch"),
        ):
            async with service.context.database.writing() as session:
                await credits.set_bounds(session, project_id, **bounds)
            started = await start(service, *[100] * 3)
            assert len(started.runs) == (2 if bounds["monthly_budget"] else 1)
            async with service.context.database.writing() as session:
                nothing = {name: value and estimate - 1 for name, value in bounds.items()}
                await credits.set_bounds(session, project_id, **nothing)
            with pytest.raises(CannotPay, match=sentence):
                await start(service, 100)


async def test_requests_side_by_side_never_spend_the_same_credits(settings: Settings) -> None:
    async with open_service(settings, PRICED) as service:
        await service.add_credits(350)
        answers = await asyncio.gather(*(start(service, 100, 100) for _ in range(4)), return_exceptions=True)
        started = [each for each in answers if isinstance(each, Started)]
        assert sum(len(each.runs) for each in started) == 3
        assert all(isinstance(each, Started | CannotPay) for each in answers)
        assert (await service.credits()).held == 300


async def test_over_the_api_the_others_are_told(settings: Settings) -> None:
    prices = {"scripted:desk": {"input": 1_000_000, "output": 1_000_000}}
    paid = settings.model_copy(
        update={
            "platform_credentials": SecretStr('{"house": {"api_key": "k"}}'),
            "platform_prices": json.dumps(prices),
            "run_hold": 100_000,
        }
    )
    llm = BOOKING["llm"]
    assert isinstance(llm, dict)
    async with open_full(paid) as service:
        client = await service.client()
        tests = [{**VISIT, "name": name} for name in ("One", "Two", "Three")]
        agent_id = await make_agent(client, {**BOOKING, "llm": {**llm, "credential": "house"}}, *tests)
        await service.add_credits(200_000)
        whole = await client.post(f"/v1/agents/{agent_id}/runs", json={})
        assert whole.status_code == 402, "all or none, where nothing is said"
        wanted = {"as_far_as_paid": True, "reason_language": "French", "wait": 60}
        started = (await client.post(f"/v1/agents/{agent_id}/runs", json=wanted)).json()
        assert [run["test"] for run in started["runs"]] == ["One", "Two"]
        [rest] = started["not_started"]
        assert rest["test_id"].startswith("tst_")
        assert rest == {
            "test_id": rest["test_id"],
            "test": "Three",
            "variation": None,
            "variant": None,
            "repeat_index": 0,
        }
        run = (await client.get(f"/v1/runs/{started['runs'][0]['id']}")).json()
        assert run["reason_language"] == "French"
        assert (await client.get("/v1/credits")).json()["held"] == 0
        assert await service.is_balanced()
