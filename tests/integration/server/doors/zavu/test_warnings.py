"""What a test run cannot prove: a sentence for each case of the page that is true of the agent, and no other."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.webhook_receiver import Answer, WebhookReceiver
from tests.support.zavu_door import LOOK_UP, PICKS, Guest, agent_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

CRM = {"name": "crm", "url": "http://127.0.0.1:9/mcp", "tools": [{"name": "find"}]}


async def test_an_agent_of_which_all_is_proven_has_no_warnings(guest: Guest) -> None:
    assert (await guest.answer(agent_with()))["warnings"] == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"enabled": False}, ["Order desk is switched off"]),
        ({"tools": [LOOK_UP]}, ["none is run", "look_up_order"]),
        ({"can_end_call": True, "can_reschedule": True}, ["none is run", "end_call, reschedule_call"]),
        ({"mcp_servers": [CRM]}, ["none is run", "those of the MCP server crm"]),
        ({"channels": ["whatsapp", "sms"], "connected_channels": ["email"]}, ["whatsapp, sms", "connected"]),
        ({"channels": ["whatsapp"], "connected_channels": []}, ["whatsapp", "connected"]),
        ({"prompt": "Greet {{first_name}}."}, ["first_name"]),
        ({"prompt": "Greet {{contact.first_name}}."}, ["{{contact.first_name}}", "only a real conversation"]),
    ],
    ids=["disabled", "tools", "own tools", "mcp", "channels", "no channels", "variable", "contact"],
)
async def test_what_is_true_of_the_agent_is_one_warning(guest: Guest, fields: dict[str, Any], words: list[str]) -> None:
    body = await guest.answer(agent_with(**fields))
    assert len(body["warnings"]) == 1
    for word in words:
        assert word in body["warnings"][0]
    assert body["success"] is True


@pytest.mark.parametrize(
    "fields",
    [
        {"enabled": True},
        {"tools": [{**LOOK_UP, "enabled": False}]},
        {"channels": ["whatsapp"], "connected_channels": ["WhatsApp", "sms"]},
        {"channels": ["whatsapp"]},
        {"prompt": "Greet {{first_name}}.", "variables": {"first_name": "Ana"}},
        {"components": ["link"]},
    ],
)
async def test_what_is_not_true_of_the_agent_is_no_warning(guest: Guest, fields: dict[str, Any]) -> None:
    assert (await guest.answer(agent_with(**fields)))["warnings"] == []


async def test_memory_tools_are_warned_of_whether_tools_run_or_not(guest: Guest) -> None:
    agent = agent_with(memory_tools=True)
    for execute in (False, True):
        body = await guest.answer(agent, executeTools=execute)
        (warning,) = [each for each in body["warnings"] if "memory tools" in each]
        assert "recall, remember, save_record" in warning


async def test_tools_that_ran_for_real_are_named_and_those_that_failed_too(guest: Guest) -> None:
    async with WebhookReceiver() as receiver:
        agent = agent_with(PICKS, tools=[LOOK_UP], tool_webhook={"url": receiver.url, "secret": receiver.secret})
        well = await guest.answer(agent, executeTools=True)
        receiver.answer = Answer(status=503)
        badly = await guest.answer(agent, executeTools=True)
    assert len(well["warnings"]) == 1
    assert "ran for real" in well["warnings"][0]
    assert "look_up_order" in well["warnings"][0]
    assert len(badly["warnings"]) == 2
    assert "look_up_order (bad_status)" in badly["warnings"][1]
    assert "failed" in badly["warnings"][1]


async def test_with_execute_tools_nothing_is_said_of_tools_that_were_not_called(guest: Guest) -> None:
    webhook = {"url": "http://127.0.0.1:9/hook", "secret": "whsec_Z3JlZW5yb29tLXRlc3Qtc2VjcmV0LWtleQ=="}
    body = await guest.answer(agent_with(tools=[LOOK_UP], tool_webhook=webhook), executeTools=True)
    assert (body["warnings"], body["executedToolCalls"]) == ([], [])


async def test_several_cases_are_several_sentences(guest: Guest) -> None:
    agent = agent_with(
        enabled=False, tools=[LOOK_UP], memory_tools=True, channels=["sms"], connected_channels=[], prompt="Hi {{x}}."
    )
    body = await guest.answer(agent)
    assert len(body["warnings"]) == 5
    assert all(warning.endswith(".") for warning in body["warnings"])
