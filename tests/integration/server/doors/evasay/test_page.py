"""The page from top to bottom: each request as it is shown there, and what it promises of the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import httpx
import pytest
from tests.support.evasay_door import (
    AGENT,
    CHAT,
    DRAFTS,
    NEXT_REPLY,
    SIMULATION,
    TOOL_CALL,
    VOICE,
    Clients,
    calling,
    scripted,
)
from tests.support.model_server import Answer, ModelServer
from tests.support.webhook_receiver import SECRET, WebhookReceiver

from greenroom.model.llm import ScriptRule

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLER = "caller"
# Every field of a run, and what it is; the second says whether it may be null.
RUN: Mapping[str, tuple[type, bool]] = {
    "id": (str, False),
    "agent_id": (str, False),
    "test_id": (str, False),
    "test_name": (str, False),
    "type": (str, False),
    "status": (str, False),
    "reason": (str, True),
    "transcript": (list, True),
    "credits": (int, False),
    "created_at": (datetime, False),
    "finished_at": (datetime, True),
}


def check_fields(run: Mapping[str, Any]) -> None:
    """Make sure that a run has exactly the fields of a run, each of its type."""
    assert list(run) == list(RUN)
    for name, (kind, may_be_null) in RUN.items():
        value = run[name]
        if value is None:
            assert may_be_null, name
        elif kind is datetime:
            assert datetime.fromisoformat(value).tzinfo is not None, name
        else:
            assert type(value) is kind, name


def said(text: str, *calls: tuple[str, Any]) -> dict[str, Any]:
    return {
        "role": "agent",
        "text": text,
        "tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls],
    }


def heard(text: str) -> dict[str, Any]:
    return {"role": "caller", "text": text}


async def test_a_test_is_made_by_the_page_s_own_request_run_and_asked_for_until_it_is_over(clients: Clients) -> None:
    agent_id = await clients.agent()
    # As it is shown: the method, two headers, and the body in its own words.
    headers = {"Authorization": clients.door.headers["Authorization"], "Content-Type": "application/json"}
    url = f"{clients.door.base_url}{VOICE.lstrip('/')}/agents/{agent_id}/tests"
    async with httpx.AsyncClient() as client:
        made = await client.post(url, headers=headers, content=json.dumps(SIMULATION))
    assert headers["Authorization"].startswith("Bearer sk-")
    assert made.status_code == 201, made.text
    test = made.json()
    assert {name: test[name] for name in SIMULATION} == SIMULATION
    assert (test["type"], test["agent_id"], test["chat_history"], test["expected_tool"]) == (
        "simulation",
        agent_id,
        None,
        None,
    )

    started = await clients.started(agent_id)
    assert list(started) == ["runs", "not_started"]
    assert started["not_started"] == []
    [run] = started["runs"]
    check_fields(run)
    assert (run["status"], run["test_id"], run["credits"]) == ("running", test["id"], 1)
    assert (run["reason"], run["transcript"], run["finished_at"]) == (None, None, None)

    over = await clients.over(run["id"])
    check_fields(over)
    assert (over["status"], over["type"], over["test_name"]) == ("passed", "simulation", SIMULATION["name"])
    assert over["reason"] == "It said “Saturday at ten is booked”."
    assert over["transcript"] == [
        said("Front desk, hello."),
        heard("May I come on Saturday?"),
        said("Saturday at ten is free."),
        heard("Book me for Saturday at ten."),
        said("One moment.", ("book_slot", {"day": " Saturday ", "time": "10:00"})),
        said("Saturday at ten is booked, Ana."),
        heard("Thank you, bye."),
        said("Goodbye.", ("end_call", {})),
    ]


async def test_all_tests_run_or_those_that_are_named_in_their_order(clients: Clients) -> None:
    agent_id = await clients.agent()
    tests = [await clients.test(agent_id, test) for test in (SIMULATION, NEXT_REPLY, TOOL_CALL)]
    ids = [test["id"] for test in tests]
    every = await clients.door.post(f"{VOICE}/agents/{agent_id}/test-runs")
    assert every.status_code == 201, "a body may be left out"
    assert [run["test_id"] for run in every.json()["runs"]] == ids
    assert [run["type"] for run in every.json()["runs"]] == ["simulation", "next_reply", "tool_call"]
    some = await clients.started(agent_id, {"test_ids": [ids[2], ids[1], ids[2]]})
    assert [run["test_id"] for run in some["runs"]] == [ids[2], ids[1]]
    runs = await clients.all_over([*every.json()["runs"], *some["runs"]])
    assert [run["status"] for run in runs] == ["passed"] * 5


async def test_the_draft_is_played_not_what_is_published(clients: Clients) -> None:
    agent_id = await clients.agent(scripted({"say": "Published."}, greeting="Published."))
    changed = await clients.native.patch(
        f"/v1/agents/{agent_id}/draft", json={"greeting": "Draft.", "llm": scripted({"say": "Draft."})["llm"]}
    )
    assert changed.status_code == 200, changed.text
    await clients.test(agent_id, SIMULATION, max_turns=1)
    [run] = await clients.all_over((await clients.started(agent_id))["runs"])
    assert [line["text"] for line in run["transcript"] if line["role"] == "agent"] == ["Draft.", "Draft."]


async def test_the_agent_answers_from_the_instructions_first_words_and_knowledge_of_its_draft(clients: Clients) -> None:
    rules = [
        {"say": "Hello."},
        {"role": "caller", "say": "Bye.", "hang_up": True},
        {"role": "judge", "answer": "yes", "reason": "So it was.", "quote": ""},
    ]
    async with ModelServer.playing([ScriptRule.model_validate(rule) for rule in rules]) as server:
        llm = {"model": "openai-compatible:desk", "base_url": server.openai_url}
        agent_id = await clients.agent({**AGENT, "llm": llm})
        draft = {
            "prompt": "You are new here.",
            "greeting": "First words of the draft.",
            "knowledge": {"documents": [{"name": "Hours", "text": "We close at noon on Saturdays."}]},
        }
        assert (await clients.native.patch(f"/v1/agents/{agent_id}/draft", json=draft)).status_code == 200
        await clients.test(agent_id, SIMULATION, max_turns=1)
        [run] = await clients.all_over((await clients.started(agent_id))["runs"])
        assert run["transcript"][0] == said("First words of the draft.")
        [answering] = [request for request in server.requests if "You are new here." in request.system]
        assert "We close at noon on Saturdays." in answering.system
        playing = [request.system for request in server.requests if SIMULATION["scenario"] in request.system]
        assert len(playing) == 1, "the caller is given the scenario, once for each of its lines"


async def test_one_reply_is_graded_by_what_it_must_meet(clients: Clients) -> None:
    passes, fails = await clients.played(AGENT, NEXT_REPLY, {**NEXT_REPLY, "name": "Again"})
    assert (passes["status"], fails["status"]) == ("passed", "passed")
    assert passes["transcript"] == [
        heard(CHAT[0]["text"]),
        said(CHAT[1]["text"]),
        heard(CHAT[2]["text"]),
        said("One moment.", ("book_slot", {"day": " Saturday ", "time": "10:00"})),
        said("Saturday at ten is booked, Ana."),
    ]
    no = {"role": "judge", "answer": "no", "reason": "It only said hello.", "quote": ""}
    strict = {**AGENT, "llm": {"model": "scripted:desk", "script": [{"say": "Hello."}, no]}}
    simulation = {**SIMULATION, "max_turns": 1, "success_criteria": "Books."}
    [reply] = await clients.played(strict, NEXT_REPLY)
    assert (reply["status"], reply["reason"]) == ("failed", "It only said hello.")
    [talk] = await clients.played(
        {**strict, "llm": {**strict["llm"], "script": [{"role": "caller", "say": "Hm."}, *strict["llm"]["script"]]}},
        simulation,
    )
    assert (talk["status"], talk["reason"]) == ("failed", "It only said hello.")


# What is expected, what the agent passes, and whether that is as expected.
EXACT = [
    ({"day": "saturday"}, {"day": "Saturday"}, True),
    ({"day": "  SATURDAY "}, {"day": "saturday"}, True),
    ({"day": "Saturday"}, {"day": "Saturday", "time": "10:00"}, True),
    ({"party": 4, "day": "x"}, {"party": "4", "day": "X "}, True),
    ({}, {"day": "Saturday"}, True),
    ({"day": "Saturday"}, {"day": "on Saturday"}, False),
    ({"day": "Saturday", "time": "10:00"}, {"day": "Saturday"}, False),
]


async def test_arguments_are_compared_trimmed_without_capitals_and_others_are_ignored(clients: Clients) -> None:
    cases = [
        (calling("book_slot", **passed), {**TOOL_CALL, "expected_tool": {"name": "book_slot", "arguments": expected}})
        for expected, passed, _ in EXACT
    ]
    runs = await asyncio.gather(
        *(clients.played({**agent, "tools": [{"name": "book_slot"}]}, test) for agent, test in cases)
    )
    assert [run["status"] for [run] in runs] == ["passed" if holds else "failed" for _, _, holds in EXACT]
    assert runs[0][0]["reason"] == 'The agent called `book_slot` with {"day": "Saturday"}.'
    assert runs[5][0]["reason"] == 'The agent called `book_slot`, but `day` was "on Saturday", not "Saturday".'
    assert runs[6][0]["reason"] == 'The agent called `book_slot`, but `time` was missing, not "10:00".'


async def test_arguments_are_compared_by_their_meaning_where_that_is_asked_for(clients: Clients) -> None:
    expected = {"name": "book_slot", "arguments": {"day": "Saturday"}, "match": "judge"}
    answers = {
        "yes": {"role": "judge", "answer": "yes", "reason": "The same day.", "quote": ""},
        "no": {"role": "judge", "answer": "no", "reason": "Another day.", "quote": ""},
    }
    found = {}
    for word, answer in answers.items():
        call = {"call": {"tool": "book_slot", "arguments": {"day": "the day after Friday"}}}
        [found[word]] = await clients.played(scripted(call, answer), {**TOOL_CALL, "expected_tool": expected})
    assert (found["yes"]["status"], found["yes"]["reason"]) == ("passed", "The same day.")
    assert (found["no"]["status"], found["no"]["reason"]) == ("failed", "Another day.")


@pytest.mark.parametrize(
    ("name", "call", "arguments"),
    [
        ("end_call", {"hang_up": True}, {}),
        ("transfer_call", {"call": {"tool": "transfer_call", "arguments": {"reason": "angry"}}}, {"reason": "Angry"}),
        (
            "handoff_to_agent",
            {"call": {"tool": "hand_off_to_agent", "arguments": {"agent": "Billing"}}},
            {"agent": "billing"},
        ),
    ],
)
async def test_what_the_engine_does_can_be_expected_too(
    clients: Clients, name: str, call: dict[str, Any], arguments: dict[str, Any]
) -> None:
    billing = await clients.agent({**AGENT, "name": "Billing"})
    agent = scripted({"when": "Saturday", "say": "So be it.", **call}, {"say": "?"}, can_hand_off=[billing])
    expected = {"name": name, "arguments": arguments}
    wrong = {"name": "book_slot", "arguments": {}}
    passes, fails = await clients.played(
        agent, {**TOOL_CALL, "expected_tool": expected}, {**TOOL_CALL, "expected_tool": wrong}
    )
    assert passes["status"] == "passed", passes
    [shown] = passes["transcript"][-1]["tool_calls"]
    assert shown["name"] == name
    assert passes["transcript"][-1]["text"] == "So be it."
    assert (fails["status"], fails["reason"]) == (
        "failed",
        f"The agent did not call `book_slot`; it called `{name}`.",
    )


async def test_every_call_of_the_first_reply_counts_and_what_would_come_later_does_not(clients: Clients) -> None:
    both = [{"tool": "find", "arguments": {}}, {"tool": "book_slot", "arguments": {"day": "Saturday"}}]
    tools = [{"name": "book_slot"}, {"name": "find"}]
    at_once = scripted({"call": both}, tools=tools)
    in_turn = scripted({"when": {"tool": "find"}, "call": both[1]}, {"call": both[0]}, tools=tools)
    [one], [other] = await clients.played(at_once, TOOL_CALL), await clients.played(in_turn, TOOL_CALL)
    assert one["status"] == "passed"
    assert [call["name"] for call in one["transcript"][-1]["tool_calls"]] == ["find", "book_slot"]
    assert other["status"] == "failed"
    assert [call["name"] for call in other["transcript"][-1]["tool_calls"]] == ["find"]


async def test_functions_are_never_called_by_a_run_and_once_by_a_preview(clients: Clients) -> None:
    async with WebhookReceiver(secret=SECRET) as receiver:
        webhook = {"url": receiver.url, "secret": SECRET}
        http = {"name": "ticket", "http": {"url": f"{receiver.url}/ticket", "method": "POST"}}
        call = {"call": [{"tool": "book_slot", "arguments": {}}, {"tool": "ticket", "arguments": {}}]}
        agent = scripted(
            {"when": {"tool": "ticket"}, "say": "Done."}, call, tools=[AGENT["tools"][0], http], tool_webhook=webhook
        )
        runs = await clients.played(
            agent, {**SIMULATION, "max_turns": 1}, NEXT_REPLY, {**TOOL_CALL, "expected_tool": {"name": "ticket"}}
        )
        assert [run["status"] for run in runs] == ["passed"] * 3
        assert all("ticket" in json.dumps(run["transcript"]) for run in runs)
        assert receiver.requests == []
        tool = f"{VOICE}/tools/{runs[0]['agent_id']}.book_slot/test"
        tried = await clients.door.post(tool, json={"arguments": {"day": "Saturday"}})
        assert tried.status_code == 200, tried.text
        assert [request.json["arguments"] for request in receiver.requests] == [{"day": "Saturday"}]


@pytest.mark.parametrize(
    ("body", "language"),
    [({}, "English"), ({"reason_language": "en"}, "English"), ({"reason_language": "zh"}, "Chinese")],
)
async def test_the_judge_is_asked_for_its_reason_in_the_language_that_is_wanted(
    clients: Clients, body: dict[str, Any], language: str
) -> None:
    rules = [
        {"say": "Hello."},
        {"role": "caller", "say": "Bye.", "hang_up": True},
        {"role": "judge", "answer": "yes", "reason": "很好。", "quote": ""},
    ]
    async with ModelServer.playing([ScriptRule.model_validate(rule) for rule in rules]) as server:
        llm = {"model": "openai-compatible:desk", "base_url": server.openai_url}
        runs = await clients.played({**AGENT, "llm": llm}, {**SIMULATION, "max_turns": 1}, NEXT_REPLY, **body)
        assert [(run["status"], run["reason"]) for run in runs] == [("passed", "很好。")] * 2
        asked = [request.system for request in server.requests if "You judge how" in request.system]
        assert len(asked) == 2, "one request a run"
        assert all(f"in this language: {language}." in system for system in asked)


async def test_without_a_judge_the_reason_is_in_the_language_that_is_wanted_too(clients: Clients) -> None:
    [chinese] = await clients.played(calling("book_slot", day="Sunday"), TOOL_CALL, reason_language="zh")
    assert chinese["reason"] == '智能体调用了 `book_slot`，但参数不符：`day` 为 "Sunday"，应为 "saturday"。'
    broken = {**AGENT, "llm": {"model": "scripted:desk", "script": [{"when": "never", "say": "?"}]}}
    [error] = await clients.played(broken, NEXT_REPLY, reason_language="zh")
    assert error["status"] == "error"
    assert error["reason"].startswith("测试未能完成：No rule of scripted:desk matches")


async def test_a_run_that_cannot_run_says_why(clients: Clients) -> None:
    broken = {**AGENT, "llm": {"model": "scripted:desk", "script": [{"when": "never", "say": "?"}]}}
    [run] = await clients.played(broken, NEXT_REPLY)
    assert run["status"] == "error"
    assert run["reason"].startswith("No rule of scripted:desk matches what the agent heard")
    assert run["credits"] == 0


async def test_tests_are_suggested_reviewed_and_sent_as_they_are(clients: Clients) -> None:
    agent_id = await clients.agent()
    address = f"{VOICE}/agents/{agent_id}/tests"
    drafted = await clients.door.post(f"{address}/generate", json={"count": 3, "focus": "late callers"})
    assert drafted.status_code == 200, drafted.text
    answer = drafted.json()
    assert list(answer) == ["tests", "dropped", "credits"]
    assert (answer["dropped"], answer["credits"]) == ([], 1)
    assert [test["type"] for test in answer["tests"]] == ["simulation", "next_reply", "tool_call"]
    assert (await clients.door.get(address)).json()["tests"] == []
    for draft in answer["tests"]:
        assert "id" not in draft
        kept = await clients.test(agent_id, draft)
        assert {name: kept[name] for name in draft} == draft
    saved = (await clients.door.post(f"{address}/generate", json={"count": 3, "save": True})).json()["tests"]
    listed = (await clients.door.get(address)).json()["tests"]
    assert listed[3:] == saved
    assert [test["name"] for test in saved] == ["Comes late (2)", "Asks for Sunday (2)", "Books Monday (2)"]
    assert [test["success_criteria"] for test in saved] == ["Stays friendly. Offers a later time.", "Says no.", None]


@pytest.mark.parametrize(("language", "named"), [("en", "English"), ("zh", "Chinese")])
async def test_suggestions_come_from_instructions_knowledge_and_functions_and_go_by_what_is_wanted(
    clients: Clients, language: str, named: str
) -> None:
    async with ModelServer(Answer(text=json.dumps({"tests": DRAFTS}))) as server:
        llm = {"model": "openai-compatible:desk", "base_url": server.openai_url}
        knowledge = {"documents": [{"name": "Hours", "text": "We close at noon on Saturdays."}]}
        agent_id = await clients.agent({**AGENT, "llm": llm, "knowledge": knowledge})
        await clients.test(agent_id, {**SIMULATION, "name": "There already"})
        wanted = {"count": 2, "types": ["next_reply", "tool_call"], "focus": "late callers", "language": language}
        drafted = await clients.door.post(f"{VOICE}/agents/{agent_id}/tests/generate", json=wanted)
        assert drafted.status_code == 200, drafted.text
        [request] = server.requests
        asked = json.dumps(request.body, ensure_ascii=False)
        for part in (
            *("You book visits.", "We close at noon on Saturdays.", "book_slot", "There already"),
            *("Write 2 tests.", "`next_reply`: one reply", "`tool_call`: one reply", "What to cover: late callers"),
            f"Write `name` and `criteria` in {named}, and all else in the agent's language.",
        ):
            assert part in asked, part
        assert "`simulation`: a whole talk" not in asked
