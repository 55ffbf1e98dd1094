"""What a test run costs: as much as its model, on the operator's account alone, and never more than there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.support.model_server import Answer, Broken, Call, ModelServer, Status, Tokens
from tests.support.web_service import open_web
from tests.support.webhook_receiver import WebhookReceiver
from tests.support.zavu_door import LOOK_UP, MESSAGE, PRICE, Guest, agent_on, agent_with, guest_of, settings_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

EACH = 120
"""What one answer of the model server is charged: 100 tokens in, 20 out."""


@pytest_asyncio.fixture(loop_scope="session")
async def paid(guest: Guest, model: ModelServer) -> str:
    """An agent of the guest's on the operator's account."""
    return await guest.agent(agent_on(model.openai_url, credential="house"))


async def ledger(guest: Guest) -> list[dict[str, Any]]:
    return (await guest.native.get("/v1/credits/ledger")).json()["items"]


async def test_a_run_on_the_operator_s_account_is_charged_and_told_in_dollars(guest: Guest, paid: str) -> None:
    await guest.add_credits(1_000_000)
    body = (await guest.ask(paid)).json()
    assert body["cost"] == EACH / 1_000_000
    standing = await guest.credits()
    assert (standing.balance, standing.held, standing.month_expected) == (1_000_000 - EACH, 0, 0)
    row = (await ledger(guest))[0]
    assert (row["amount"], row["note"]) == (-EACH, "reply of Order desk")
    assert await guest.is_balanced()


async def test_a_run_is_counted_in_the_project_s_usage_and_in_no_list_of_runs(guest: Guest, paid: str) -> None:
    await guest.add_credits(1_000_000)
    await guest.ask(paid)
    total = (await guest.native.get("/v1/usage")).json()["total"]
    assert (total["replies"], total["runs"], total["input_tokens"], total["output_tokens"]) == (1, 0, 100, 20)
    assert total["charged"] == EACH / 1_000_000
    assert (await guest.native.get("/v1/runs")).json()["items"] == []


async def test_at_a_balance_of_zero_a_run_on_the_operator_s_account_is_refused_and_nobody_is_asked(
    guest: Guest, model: ModelServer, paid: str
) -> None:
    answer = await guest.ask(paid)
    assert answer.status_code == 402
    body = answer.json()
    assert body["code"] == "insufficient_balance"
    assert "no credits left" in body["message"]
    assert "recommendation" in body["details"]
    assert model.count == 0
    assert await guest.is_balanced()


@pytest.mark.parametrize("balance", [0, 1_000])
async def test_an_agent_on_a_key_of_the_project_s_own_costs_nothing_here(
    guest: Guest, model: ModelServer, balance: int
) -> None:
    if balance:
        await guest.add_credits(balance)
    made = await guest.native.post("/v1/credentials", json={"name": "mine", "api_key": "sk-EXAMPLE"})
    assert made.status_code == 201
    body = await guest.answer(agent_on(model.openai_url, credential="mine"))
    assert (body["success"], body["cost"]) == (True, 0)
    assert (await guest.credits()).balance == balance


async def test_what_the_balance_covers_is_charged_and_the_next_run_is_refused(guest: Guest, paid: str) -> None:
    await guest.add_credits(50)
    body = (await guest.ask(paid)).json()
    assert (body["success"], body["cost"]) == (True, 0.00005)
    standing = await guest.credits()
    assert (standing.balance, standing.held) == (0, 0)
    assert (await guest.ask(paid)).status_code == 402
    assert (await ledger(guest))[0]["amount"] == -50
    assert await guest.is_balanced()


async def test_a_balance_that_is_just_enough_is_charged_to_zero(guest: Guest, paid: str) -> None:
    await guest.add_credits(EACH)
    assert (await guest.ask(paid)).json()["cost"] == EACH / 1_000_000
    assert (await guest.credits()).balance == 0
    assert (await guest.ask(paid)).status_code == 402


async def test_a_run_that_costs_more_than_is_held_at_first_is_charged_whole(
    guest: Guest, model: ModelServer, paid: str
) -> None:
    await guest.add_credits(1_000_000)
    model.queue(Answer(text="Long.", usage=Tokens(input=90_000, output=10_000)))
    assert (await guest.ask(paid)).json()["cost"] == 0.1
    assert (await guest.credits()).balance == 900_000
    assert await guest.is_balanced()


async def test_every_request_of_a_run_is_charged(guest: Guest, model: ModelServer) -> None:
    await guest.add_credits(1_000_000)
    async with WebhookReceiver() as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        agent = agent_on(model.openai_url, credential="house", tools=[LOOK_UP], tool_webhook=webhook)
        model.queue(Answer(calls=[Call("look_up_order", {"order": "1"})]), Answer(text="Monday."))
        body = await guest.answer(agent, executeTools=True)
    assert body["cost"] == 2 * EACH / 1_000_000
    assert (await guest.credits()).balance == 1_000_000 - 2 * EACH


@pytest.mark.parametrize(("answered", "charged"), [(0, 0), (1, EACH)])
async def test_a_run_whose_model_fails_is_charged_for_what_it_used(
    guest: Guest, model: ModelServer, answered: int, charged: int
) -> None:
    await guest.add_credits(1_000_000)
    async with WebhookReceiver() as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        agent = agent_on(model.openai_url, credential="house", tools=[LOOK_UP], tool_webhook=webhook)
        model.queue(*[Answer(calls=[Call("look_up_order", {"order": "1"})])] * answered, Status(400))
        body = await guest.answer(agent, executeTools=True)
    assert (body["success"], body["cost"]) == (False, charged / 1_000_000)
    standing = await guest.credits()
    assert (standing.balance, standing.held) == (1_000_000 - charged, 0)
    assert await guest.is_balanced()


async def test_a_model_without_a_price_is_not_asked_on_the_operator_s_account(guest: Guest, model: ModelServer) -> None:
    await guest.add_credits(1_000_000)
    agent = agent_on(model.openai_url)
    agent["llm"] = {**agent["llm"], "model": "openai-compatible:unheard-of", "credential": "house"}
    body = await guest.answer(agent)
    assert (body["success"], body["cost"], model.count) == (False, 0, 0)
    assert "price" in body["error"]


async def test_a_backup_brain_on_the_operator_s_account_is_not_free_at_a_balance_of_zero(
    guest: Guest, model: ModelServer
) -> None:
    backup = agent_on(model.openai_url, credential="house")["llm"]
    agent = await guest.agent({**agent_with([{"when": "never", "say": "No."}]), "llm_fallback": backup})
    poor = (await guest.ask(agent)).json()
    assert (poor["success"], model.count) == (False, 0)
    assert "credits" in poor["error"]
    await guest.add_credits(50)
    covered = (await guest.ask(agent)).json()
    assert (covered["success"], covered["cost"]) == (True, 0.00005)
    assert await guest.is_balanced()


async def test_runs_at_once_never_take_more_than_there_is(guest: Guest, paid: str) -> None:
    await guest.add_credits(200)
    answers = await asyncio.gather(*(guest.ask(paid) for _ in range(6)))
    assert {answer.status_code for answer in answers} <= {200, 402}
    costs = [round(answer.json()["cost"] * 1_000_000) for answer in answers if answer.status_code == 200]
    standing = await guest.credits()
    assert costs
    assert standing.balance == 200 - sum(costs)
    assert standing.balance >= 0
    assert standing.held == 0
    assert await guest.is_balanced()


async def test_credits_that_are_held_for_others_are_not_taken(guest: Guest, model: ModelServer, paid: str) -> None:
    await guest.add_credits(60_000)
    model.queue(Broken("hang"))
    first = asyncio.create_task(guest.ask(paid))
    await model.arrived(1)
    model.queue(Answer(text="Long.", usage=Tokens(input=90_000, output=0)))
    second = (await guest.ask(paid)).json()
    model.release()
    assert second["cost"] == 0.01  # all but what the first one holds
    assert (await first).json()["cost"] == EACH / 1_000_000
    assert (await guest.credits()).balance == 60_000 - 10_000 - EACH
    assert await guest.is_balanced()


async def test_what_was_used_is_charged_even_where_whoever_asked_has_gone(guest: Guest, model: ModelServer) -> None:
    await guest.add_credits(1_000_000)
    async with WebhookReceiver() as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        agent = await guest.agent(agent_on(model.openai_url, credential="house", tools=[LOOK_UP], tool_webhook=webhook))
        model.queue(Answer(calls=[Call("look_up_order", {"order": "1"})]), Broken("hang"))
        asked = asyncio.create_task(guest.ask(agent, {**MESSAGE, "executeTools": True}))
        await model.arrived(2)
        asked.cancel()
        await asyncio.wait([asked])
    standing = await guest.credits()
    assert (standing.balance, standing.held) == (1_000_000 - EACH, 0)
    assert (await guest.native.get("/v1/usage")).json()["total"]["input_tokens"] == 100
    assert await guest.is_balanced()


async def test_the_project_s_own_budget_bounds_runs_and_is_told_as_such(guest: Guest, paid: str) -> None:
    await guest.add_credits(1_000_000)
    bounded = await guest.native.put("/v1/credits/bounds", json={"monthly_budget": 10_000})
    assert bounded.status_code == 200, bounded.text
    answer = await guest.ask(paid)
    assert answer.status_code == 402
    assert answer.json()["code"] == "budget_exceeded"
    assert "budget" in answer.json()["message"]


@pytest_asyncio.fixture(loop_scope="session")
async def in_rupees(tmp_path: Path, house: ModelServer) -> AsyncGenerator[Guest]:
    """A project whose credits are rupees, 83.5 to the dollar."""
    settings = settings_in(tmp_path, house.openai_url, currency="INR", currency_rate="83.5")
    async with open_web(settings, with_runs=True) as web:
        yield await guest_of(web)


async def test_the_cost_is_told_in_dollars_whatever_the_currency(in_rupees: Guest, model: ModelServer) -> None:
    await in_rupees.add_credits(1_000_000)
    model.queue(Answer(text="Long.", usage=Tokens(input=10_000, output=2_345)))
    body = await in_rupees.answer(agent_on(model.openai_url, credential="house"))
    charged = 12_345 * PRICE["openai-compatible:m"]["input"] // 1_000_000
    assert (await in_rupees.credits()).balance == 1_000_000 - charged
    assert body["cost"] == 0.000148  # 0.012345 rupees
