"""What a test run plays: history, knowledge, tools, and a model that fails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.model_server import Answer, Call, ModelServer, Status, Tokens
from tests.support.webhook_receiver import Answer as HookAnswer
from tests.support.webhook_receiver import WebhookReceiver
from tests.support.zavu_door import LOOK_UP, MESSAGE, PICKS, Guest, agent_on, agent_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

HISTORY = [
    {"role": "user", "content": "First"},
    {"role": "assistant", "content": "Second"},
    {"role": "user", "content": "Third"},
    {"role": "assistant", "content": "Fourth"},
]
ROOMS = {"documents": [{"name": name, "text": f"{name} is open from nine to five."} for name in ("Cafe", "Shop")]}


def said(model: ModelServer, place: int = -1) -> list[tuple[str, str]]:
    """What a request put to the model as the talk."""
    return [(each.role, each.text) for each in model.requests[place].messages]


async def test_the_model_gets_prompt_history_and_message_in_order(guest: Guest, model: ModelServer) -> None:
    model.queue(Answer(text="Sixth", usage=Tokens(input=120, output=7)))
    body = await guest.answer(agent_on(model.openai_url), history=HISTORY, message="Fifth")
    assert "orders" in model.requests[0].system
    assert said(model) == [
        ("user", "First"),
        ("model", "Second"),
        ("user", "Third"),
        ("model", "Fourth"),
        ("user", "Fifth"),
    ]
    assert (body["text"], body["inputTokens"], body["outputTokens"]) == ("Sixth", 120, 7)


async def test_history_is_trimmed_to_the_agent_s_context_window_oldest_first(guest: Guest, model: ModelServer) -> None:
    await guest.answer(agent_on(model.openai_url, context_window=2), history=HISTORY, message="Fifth")
    assert said(model) == [("user", "Third"), ("model", "Fourth"), ("user", "Fifth")]


async def test_a_history_of_thousands_of_turns_is_trimmed_and_answered(guest: Guest, model: ModelServer) -> None:
    turns = [{"role": "assistant" if place % 2 else "user", "content": str(place % 10)} for place in range(30_000)]
    await guest.answer(agent_on(model.openai_url), history=turns, message="Now?")
    assert said(model)[-1] == ("user", "Now?")
    assert len(said(model)) == 201


async def test_the_last_published_state_of_the_agent_is_tested(guest: Guest) -> None:
    agent = await guest.agent()
    llm = agent_with([{"say": "Only in the draft."}])["llm"]
    changed = await guest.native.patch(f"/v1/agents/{agent}/draft", json={"llm": llm})
    assert changed.status_code == 200
    assert (await guest.ask(agent)).json()["text"] == "It is on its way."


async def test_inline_knowledge_is_counted_and_left_out_where_it_is_not_wanted(
    guest: Guest, model: ModelServer
) -> None:
    agent = await guest.agent(agent_on(model.openai_url, knowledge=ROOMS))
    used = (await guest.ask(agent)).json()
    left_out = (await guest.ask(agent, {**MESSAGE, "useKnowledgeBase": False})).json()
    assert [used["knowledgeChunksUsed"], left_out["knowledgeChunksUsed"]] == [2, 0]
    assert ["nine to five" in request.system for request in model.requests] == [True, False]


async def test_retrieval_runs_in_a_dry_run_and_not_where_it_is_not_wanted(guest: Guest, model: ModelServer) -> None:
    knowledge = {**ROOMS, "inline_limit": 0}
    agent = await guest.agent(agent_on(model.openai_url, knowledge=knowledge))
    model.queue(
        Answer(calls=[Call("search_knowledge_base", {"query": "cafe open"})]),
        Answer(text="From nine to five."),
    )
    used = (await guest.ask(agent)).json()
    left_out = (await guest.ask(agent, {**MESSAGE, "useKnowledgeBase": False})).json()
    assert used["knowledgeChunksUsed"] > 0
    assert used["text"] == "From nine to five."
    assert (used["plannedToolCalls"], used["executedToolCalls"]) == ([], [])
    assert left_out["knowledgeChunksUsed"] == 0
    assert [request.tools for request in model.requests] == [
        ("search_knowledge_base",),
        ("search_knowledge_base",),
        (),
    ]


async def test_passages_found_before_a_tool_was_picked_are_counted(guest: Guest, model: ModelServer) -> None:
    model.queue(
        Answer(calls=[Call("search_knowledge_base", {"query": "cafe open"})]),
        Answer(calls=[Call("look_up_order", {"order": "1"})]),
    )
    agent = agent_on(model.openai_url, knowledge={**ROOMS, "inline_limit": 0}, tools=[LOOK_UP])
    body = await guest.answer(agent)
    assert body["text"] is None
    assert body["knowledgeChunksUsed"] > 0
    assert [call["name"] for call in body["plannedToolCalls"]] == ["look_up_order"]


async def test_several_picks_of_one_reply_are_all_told_in_order(guest: Guest, model: ModelServer) -> None:
    model.queue(Answer(calls=[Call("look_up_order", {"order": "1"}), Call("end_call", {})]))
    body = await guest.answer(agent_on(model.openai_url, tools=[LOOK_UP], can_end_call=True))
    assert body["plannedToolCalls"] == [
        {"name": "look_up_order", "arguments": '{"order": "1"}'},
        {"name": "end_call", "arguments": "{}"},
    ]
    assert body["text"] is None
    assert body["success"] is True
    assert model.count == 1


async def test_arguments_that_are_no_json_are_told_as_the_model_wrote_them(guest: Guest, model: ModelServer) -> None:
    model.queue(Answer(calls=[Call("look_up_order", '{"order": ')]))
    body = await guest.answer(agent_on(model.openai_url, tools=[LOOK_UP]))
    assert body["plannedToolCalls"] == [{"name": "look_up_order", "arguments": '{"order": '}]


async def test_a_tool_that_is_switched_off_is_not_offered(guest: Guest, model: ModelServer) -> None:
    body = await guest.answer(agent_on(model.openai_url, tools=[{**LOOK_UP, "enabled": False}]))
    assert model.requests[0].tools == ()
    assert body["warnings"] == []


async def test_a_handler_that_fails_is_told_with_what_the_agent_saw(guest: Guest) -> None:
    async with WebhookReceiver(HookAnswer({"no": "way"}, status=500)) as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        body = await guest.answer(agent_with(PICKS, tools=[LOOK_UP], tool_webhook=webhook), executeTools=True)
    (call,) = body["executedToolCalls"]
    assert (call["name"], call["ok"]) == ("look_up_order", False)
    assert "500" in call["error"]
    assert body["success"] is True
    assert body["text"] == "Let me look.\nIt arrives on Monday."


async def test_tools_of_a_kind_run_for_real_with_execute_tools(guest: Guest, model: ModelServer) -> None:
    async with WebhookReceiver(HookAnswer({"ok": True})) as receiver:
        http = {**LOOK_UP, "name": "ticket", "http": {"url": receiver.url, "method": "POST"}}
        model.queue(
            Answer(calls=[Call("ticket", {"order": "1"}), Call("fly", {}), Call("ticket", {})]), Answer(text="Done.")
        )
        body = await guest.answer(agent_on(model.openai_url, tools=[http]), executeTools=True)
        assert len(receiver.requests) == 1
    assert [(call["name"], call["ok"]) for call in body["executedToolCalls"]] == [
        ("ticket", True),
        ("fly", False),
        ("ticket", False),
    ]
    assert "no tool named fly" in body["executedToolCalls"][1]["error"]
    assert "do not fit" in body["executedToolCalls"][2]["error"]


async def test_an_agent_without_a_handler_says_what_to_set(guest: Guest) -> None:
    body = await guest.answer(agent_with(PICKS, tools=[LOOK_UP]), executeTools=True)
    assert body["success"] is False
    assert "tool_webhook" in body["error"]


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_model_that_fails_is_a_200_with_the_error_and_the_rest_filled(
    guest: Guest, model: ModelServer, status: int
) -> None:
    model.queue(Status(status))
    agent = await guest.agent(agent_on(model.openai_url, tools=[LOOK_UP], enabled=False))
    answer = await guest.ask(agent)
    assert answer.status_code == 200
    body = answer.json()
    assert (body["success"], body["text"]) == (False, None)
    assert body["error"]
    assert "\n" not in body["error"]
    assert (body["inputTokens"], body["outputTokens"], body["cost"]) == (0, 0, 0)
    assert (body["knowledgeChunksUsed"], body["executedToolCalls"], body["plannedToolCalls"]) == (0, [], [])
    assert len(body["warnings"]) == 2


async def test_what_was_done_before_a_failure_is_told(guest: Guest, model: ModelServer) -> None:
    async with WebhookReceiver() as receiver:
        webhook = {"url": receiver.url, "secret": receiver.secret}
        model.queue(Answer(text="One moment.", calls=[Call("look_up_order", {"order": "1"})]), Status(400))
        agent = agent_on(model.openai_url, tools=[LOOK_UP], tool_webhook=webhook)
        body = await guest.answer(agent, executeTools=True)
    assert (body["success"], body["text"]) == (False, "One moment.")
    assert body["executedToolCalls"] == [{"name": "look_up_order", "ok": True, "error": None}]
    assert body["inputTokens"] == 100


async def test_the_backup_brain_answers_where_there_is_one(guest: Guest, model: ModelServer) -> None:
    model.queue(Status(400))
    backup = agent_with()["llm"]
    body = await guest.answer(agent_on(model.openai_url, llm_fallback=backup))
    assert (body["success"], body["text"]) == (True, "It is on its way.")
    assert any("backup brain" in warning for warning in body["warnings"])


async def test_an_agent_without_a_model_says_so(guest: Guest) -> None:
    agent: dict[str, Any] = {"name": "Bare", "prompt": "You are bare."}
    body = await guest.answer(agent)
    assert body["success"] is False
    assert "has no model" in body["error"]


async def test_an_agent_that_hands_over_is_followed_with_execute_tools(guest: Guest) -> None:
    await guest.agent(agent_with([{"say": "Billing here."}], name="Billing"))
    desk = agent_with(
        [{"say": "I connect you.", "call": {"tool": "hand_off_to_agent", "arguments": {"agent": "Billing"}}}],
        can_hand_off=["Billing"],
    )
    agent = await guest.agent(desk)
    planned = (await guest.ask(agent)).json()
    done = (await guest.ask(agent, {**MESSAGE, "executeTools": True})).json()
    assert [json.loads(call["arguments"]) for call in planned["plannedToolCalls"]] == [{"agent": "Billing"}]
    assert planned["text"] == "I connect you."
    assert done["text"] == "I connect you.\nBilling here."
    assert done["executedToolCalls"] == [{"name": "hand_off_to_agent", "ok": True, "error": None}]


async def test_texts_of_every_script_come_through_unchanged(guest: Guest, model: ModelServer) -> None:
    text = "हाँ 👩‍👩‍👧 שלום 你好 e\u0301\u200b"
    model.queue(Answer(text=text))
    body = await guest.answer(agent_on(model.openai_url), message=text)
    assert said(model) == [("user", text)]
    assert body["text"] == text
