"""Drafting tests over the API: from a prompt, a call and a failed run; held and charged like a run."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.full_service import FullService, make_agent, open_full
from tests.support.service import BOOKING, VISIT

from greenroom.server.settings import Settings

DRAFT = {
    "name": "Wants Tuesday",
    "kind": "simulation",
    "persona": "Ana, who can only come on Tuesday.",
    "criteria": [{"text": "The agent offers Tuesday or says that it is full.", "required": True}],
}
SAYS: Any = BOOKING["llm"]
AUTHOR: dict[str, Any] = {
    **BOOKING,
    "llm": {**SAYS, "script": [{"role": "author", "say": json.dumps({"tests": [DRAFT]})}, *SAYS["script"]]},
}
FAILS: dict[str, Any] = {**VISIT, "name": "Wants Sunday", "checks": [{"type": "says", "text": "Sunday"}]}


@pytest.fixture
async def service(settings: Settings) -> AsyncGenerator[FullService]:
    async with open_full(settings) as opened:
        yield opened


async def test_tests_are_drafted_from_the_prompt_and_kept_where_asked(service: FullService) -> None:
    client = await service.client()
    agent = await make_agent(client, AUTHOR)
    path = f"/v1/agents/{agent}/tests"
    drafted = await client.post(f"{path}/generate", json={"count": 1})
    assert drafted.status_code == 200, drafted.text
    assert [test["name"] for test in drafted.json()["tests"]] == ["Wants Tuesday"]
    assert (await client.get(path)).json()["items"] == []
    saved = (await client.post(f"{path}/generate", json={"count": 1, "save": True})).json()
    assert saved["tests"][0]["id"].startswith("tst_")
    again = (await client.post(f"{path}/generate", json={"count": 1, "save": True})).json()
    assert again["tests"][0]["name"] == "Wants Tuesday (2)"
    assert len((await client.get(path)).json()["items"]) == 2


async def test_tests_are_drafted_from_a_real_call(service: FullService) -> None:
    client = await service.client()
    agent = await make_agent(client, AUTHOR)
    path = f"/v1/agents/{agent}/tests/generate"
    for call in (
        "Agent: Hello.\nCaller: A visit on Tuesday?",
        [{"role": "agent", "text": "Hello."}, {"role": "caller", "text": "A visit on Tuesday?"}],
    ):
        drafted = await client.post(path, json={"count": 1, "transcript": call})
        assert drafted.status_code == 200, drafted.text
        assert len(drafted.json()["tests"]) == 1
    wrong = await client.post(path, json={"transcript": "nothing of a call"})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["field"] == "transcript"


async def test_tests_are_drafted_from_a_run_that_failed_and_from_no_other(service: FullService) -> None:
    client = await service.client()
    agent = await make_agent(client, AUTHOR, FAILS, VISIT)
    started = (await client.post(f"/v1/agents/{agent}/runs", json={"wait": 60})).json()
    by_status = {run["status"]: run["id"] for run in started["runs"]}
    path = f"/v1/agents/{agent}/tests/generate"
    drafted = await client.post(path, json={"count": 1, "run_id": by_status["failed"]})
    assert drafted.status_code == 200, drafted.text
    passed = await client.post(path, json={"run_id": by_status["passed"]})
    assert passed.status_code == 422
    assert "this one is passed" in passed.json()["detail"]
    theirs = await service.client(project_id=await service.other_project())
    mine = await make_agent(theirs, AUTHOR)
    stolen = await theirs.post(f"/v1/agents/{mine}/tests/generate", json={"run_id": by_status["failed"]})
    assert stolen.status_code == 404


async def test_an_answer_without_tests_is_told_and_lets_go_of_what_was_held(service: FullService) -> None:
    client = await service.client()
    broken = {**BOOKING, "llm": {**SAYS, "script": [{"role": "author", "say": "No."}, *SAYS["script"]]}}
    agent = await make_agent(client, broken)
    refused = await client.post(f"/v1/agents/{agent}/tests/generate", json={"count": 1})
    assert refused.status_code == 502
    assert "drafted no usable test" in refused.json()["detail"]
    assert (await service.credits()).month_expected == 0
    assert await service.is_balanced()


async def test_drafts_on_a_platform_credential_are_paid_with_credits(settings: Settings) -> None:
    prices = {"scripted:desk": {"input": 1_000_000, "output": 1_000_000}}
    paid = settings.model_copy(
        update={
            "platform_credentials": SecretStr('{"house": {"api_key": "k"}}'),
            "platform_prices": json.dumps(prices),
        }
    )
    async with open_full(paid) as service:
        client = await service.client()
        agent = await make_agent(client, {**AUTHOR, "llm": {**AUTHOR["llm"], "credential": "house"}})
        path = f"/v1/agents/{agent}/tests/generate"
        poor = await client.post(path, json={"count": 1})
        assert poor.status_code == 402
        await service.add_credits(10_000_000)
        drafted = await client.post(path, json={"count": 1})
        assert drafted.status_code == 200, drafted.text
        assert drafted.json()["charged"] > 0
        standing = await service.credits()
        assert standing.held == 0
        assert standing.balance == 10_000_000 - round(drafted.json()["charged"] * 1_000_000)
        assert await service.is_balanced()
        used = (await client.get("/v1/usage")).json()
        assert used["total"]["drafts"] == 1
        assert used["total"]["charged"] == drafted.json()["charged"]
