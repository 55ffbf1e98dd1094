"""The functions of an agent at the door `evasay`: listed, and called once for real."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.support.evasay_door import AGENT, BOOK_SLOT, VOICE, Clients, refusal
from tests.support.webhook_receiver import SECRET, Answer, WebhookReceiver

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIELDS = ["ok", "status", "response", "error", "duration_ms"]
MCP: dict[str, Any] = {
    "name": "crm",
    "url": "http://127.0.0.1:9/mcp",
    "tools": [{"name": "find", "description": "Find a customer"}],
}


async def agent_at(mine: Clients, url: str, **more: Any) -> str:
    """An agent whose functions are answered at an address."""
    tools = [BOOK_SLOT, {"name": "ticket", "description": "Make a ticket", "http": {"url": f"{url}/ticket"}}]
    return await mine.agent({**AGENT, "tools": tools, "tool_webhook": {"url": url, "secret": SECRET}, **more})


async def test_functions_are_listed_with_the_ids_that_they_are_tried_by(mine: Clients) -> None:
    off = {"name": "off", "enabled": False}
    agent_id = await mine.agent({**AGENT, "tools": [BOOK_SLOT, off], "mcp_servers": [MCP]})
    told = (await mine.door.get(f"{VOICE}/agents/{agent_id}/tools")).json()
    assert told == {
        "tools": [
            {"id": f"{agent_id}.book_slot", **BOOK_SLOT},
            {
                "id": f"{agent_id}.crm__find",
                "name": "crm__find",
                "description": "Find a customer",
                "parameters": {"type": "object", "properties": {}},
            },
        ]
    }


async def test_an_action_is_sent_to_the_webhook_signed_and_marked(mine: Clients) -> None:
    async with WebhookReceiver(secret=SECRET) as receiver:
        receiver.answer = Answer({"ok": True, "slot": "10:00"})
        agent_id = await agent_at(mine, receiver.url)
        path = f"{VOICE}/tools/{agent_id}.book_slot/test"
        answer = await mine.door.post(path, json={"arguments": {"day": "Saturday"}})
        assert answer.status_code == 200, answer.text
        assert list(answer.json()) == FIELDS
        told = answer.json()
        assert told.pop("duration_ms") >= 0
        assert told == {"ok": True, "status": 200, "response": {"ok": True, "slot": "10:00"}, "error": None}
        [sent] = receiver.requests
        assert sent.signed
        assert sent.headers["X-Greenroom-Test"] == "true"
        assert (sent.json["tool"], sent.json["arguments"], sent.json["test"]) == (
            "book_slot",
            {"day": "Saturday"},
            True,
        )


# What the service answers, and what is told of it: for the webhook, and for a request of the function's own.
CASES: list[tuple[Answer, Mapping[str, Any], Mapping[str, Any]]] = [
    (
        Answer({"id": 7}, status=201),
        {"ok": True, "status": 201, "response": {"id": 7}, "error": None},
        {"ok": True, "status": 201, "response": {"id": 7}, "error": None},
    ),
    (
        Answer({"why": "full"}, status=500),
        {"ok": False, "status": 500, "response": None, "error": "The service answered with status 500."},
        {
            "ok": False,
            "status": 500,
            "response": {"why": "full"},
            "error": "The service answered with status 500.",
        },
    ),
    (
        Answer(b"not JSON"),
        {"ok": False, "status": 200, "response": None, "error": "The service's answer is not JSON."},
        {"ok": True, "status": 200, "response": "not JSON", "error": None},
    ),
    (
        Answer(misbehave="reset"),
        {"ok": False, "status": None, "response": None},
        {"ok": False, "status": None, "response": None},
    ),
    (
        Answer(b"x" * 70_000),
        {"ok": False, "status": None, "response": None, "error": "The service's answer is larger than 64 KiB."},
        {"ok": False, "status": None, "response": None, "error": "The service's answer is larger than 64 KiB."},
    ),
]


async def test_what_a_function_answers_is_told_with_its_status(mine: Clients) -> None:
    async with WebhookReceiver(secret=SECRET) as receiver:
        agent_id = await agent_at(mine, receiver.url)
        for answers, of_webhook, of_http in CASES:
            receiver.answer = answers
            for name, wanted in (("book_slot", of_webhook), ("ticket", of_http)):
                told = (await mine.door.post(f"{VOICE}/tools/{agent_id}.{name}/test", json={})).json()
                assert list(told) == FIELDS
                assert {field: told[field] for field in wanted} == wanted, (name, told)
                assert (told["error"] is None) == told["ok"]


async def test_what_cannot_be_called_says_what_to_do(mine: Clients) -> None:
    agent_id = await mine.agent()
    tool = f"{VOICE}/tools/{agent_id}.book_slot/test"
    unset = refusal(await mine.door.post(tool, json={}), 422, "invalid_request")
    assert unset == "The agent's tool webhook has no URL or no signing secret: set `tool_webhook`."
    wrong = await mine.door.post(tool, json={"arguments": {"day": 5}})
    assert refusal(wrong, 422, "invalid_request").startswith("`arguments`")
    unusable = await mine.agent({**AGENT, "tool_webhook": {"url": "http://127.0.0.1:9", "secret": "whsec_é"}})
    answer = await mine.door.post(f"{VOICE}/tools/{unusable}.book_slot/test", json={})
    assert "signing secret that is not base64" in refusal(answer, 422, "invalid_request")
    for body in ({"arguments": []}, {"args": {}}):
        refusal(await mine.door.post(tool, json=body), 422, "invalid_request")


async def test_a_function_that_there_is_not_is_not_found(mine: Clients) -> None:
    agent_id = await mine.agent()
    for tool_id in (agent_id, f"{agent_id}.", f"{agent_id}.fly", f"{agent_id}.end_call", f".{agent_id}"):
        refusal(await mine.door.post(f"{VOICE}/tools/{tool_id}/test", json={}), 404, "not_found")
