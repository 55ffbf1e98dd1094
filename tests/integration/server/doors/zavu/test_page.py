"""The page of the other platform, sent as it stands there with only host, key and ids replaced, over a real port."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.support.full_service import make_agent
from tests.support.webhook_receiver import Answer, WebhookReceiver
from tests.support.zavu_door import LOOK_UP, MESSAGE, PICKS, TYPES, Guest, agent_with

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def native(guest: Guest, url: str) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=url, headers=guest.native.headers, timeout=60) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def door(guest: Guest, url: str) -> AsyncGenerator[httpx.AsyncClient]:
    key = (await guest.web.key(["agents:test"], guest.project_id))["key"]
    async with httpx.AsyncClient(
        base_url=f"{url}/zavu", headers={"Authorization": f"Bearer {key}"}, timeout=60
    ) as client:
        yield client


def assert_as_documented(answer: dict[str, Any]) -> None:
    """Every field of the page is there, in its order and of its type, and no other."""
    assert list(answer) == list(TYPES)
    for name, kind in TYPES.items():
        assert isinstance(answer[name], kind), name
        assert kind is bool or not isinstance(answer[name], bool), name
    for call in answer["executedToolCalls"]:
        assert list(call) == ["name", "ok", "error"]
        assert isinstance(call["ok"], bool)
    for call in answer["plannedToolCalls"]:
        assert list(call) == ["name", "arguments"]
        assert isinstance(call["arguments"], str)
    assert all(isinstance(warning, str) for warning in answer["warnings"])


async def test_the_example_of_the_page_is_answered_as_documented(
    native: httpx.AsyncClient, door: httpx.AsyncClient
) -> None:
    agent = await make_agent(native, agent_with())
    answer = await door.post(
        f"/v2/agents/{agent}/test",
        headers={"Content-Type": "application/json"},
        content='{\n  "message": "Where is order ORD-12345?"\n}',
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert_as_documented(body)
    assert body["success"] is True
    assert body["text"] == "It is on its way."
    assert body["error"] is None
    assert body["inputTokens"] > 0
    assert body["outputTokens"] > 0
    assert body["latencyMs"] >= 0
    assert body["cost"] == 0
    assert (body["knowledgeChunksUsed"], body["executedToolCalls"], body["plannedToolCalls"]) == (0, [], [])


async def test_nothing_is_recorded_as_a_run(native: httpx.AsyncClient, door: httpx.AsyncClient) -> None:
    agent = await make_agent(native, agent_with())
    assert (await door.post(f"/v2/agents/{agent}/test", json=MESSAGE)).status_code == 200
    assert (await native.get("/v1/runs")).json()["items"] == []
    assert (await native.get(f"/v1/agents/{agent}/tests")).json()["items"] == []


async def test_by_default_the_reply_stops_at_the_tool_that_is_picked_and_nothing_is_called(
    native: httpx.AsyncClient, door: httpx.AsyncClient
) -> None:
    async with WebhookReceiver() as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        agent = await make_agent(native, agent_with(PICKS, tools=[LOOK_UP], tool_webhook=webhook))
        body = (await door.post(f"/v2/agents/{agent}/test", json=MESSAGE)).json()
        assert receiver.requests == []
    assert_as_documented(body)
    assert body["success"] is True
    assert body["text"] == "Let me look."
    assert [call["name"] for call in body["plannedToolCalls"]] == ["look_up_order"]
    assert json.loads(body["plannedToolCalls"][0]["arguments"]) == {"order": "ORD-12345"}
    assert body["executedToolCalls"] == []


async def test_with_execute_tools_the_real_handler_answers_and_the_model_replies_with_the_result(
    native: httpx.AsyncClient, door: httpx.AsyncClient
) -> None:
    async with WebhookReceiver(Answer({"day": "Monday"})) as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        agent = await make_agent(native, agent_with(PICKS, tools=[LOOK_UP], tool_webhook=webhook))
        body = (await door.post(f"/v2/agents/{agent}/test", json={**MESSAGE, "executeTools": True})).json()
        (received,) = receiver.requests
    assert received.signed
    assert received.json["arguments"] == {"order": "ORD-12345"}
    assert_as_documented(body)
    assert body["text"] == "Let me look.\nIt arrives on Monday."
    assert body["executedToolCalls"] == [{"name": "look_up_order", "ok": True, "error": None}]
    assert body["plannedToolCalls"] == []


async def test_every_parameter_of_the_page_is_taken(native: httpx.AsyncClient, door: httpx.AsyncClient) -> None:
    agent = await make_agent(native, agent_with())
    body = {
        "message": "Where is it?",
        "history": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello, how can I help?"}],
        "useKnowledgeBase": False,
        "executeTools": False,
    }
    answer = await door.post(f"/v2/agents/{agent}/test", json=body)
    assert answer.status_code == 200, answer.text
    assert_as_documented(answer.json())


async def test_a_refusal_has_a_code_a_sentence_and_the_field_that_it_is_about(door: httpx.AsyncClient) -> None:
    answer = await door.post("/v2/agents/agt_00000000000000000000000000/test", json={})
    assert answer.status_code == 400
    assert answer.json() == {
        "code": "invalid_request",
        "message": "`message` is missing",
        "details": {"errors": [{"path": ["message"], "message": "`message` is missing", "code": "required"}]},
    }
