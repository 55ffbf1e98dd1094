"""Each limit of the door `evasay`: what is just allowed, what is one too many, and what is no test at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.evasay_door import AGENT, CHAT, DRAFTS, NEXT_REPLY, SIMULATION, TOOL_CALL, VOICE, Clients, refusal

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG_CHAT = [{"role": "caller", "text": "t" * 4000}] * 200


@pytest.mark.parametrize(
    "test",
    [
        {**SIMULATION, "name": "n" * 200, "scenario": "s" * 8000, "success_criteria": "c" * 4000, "max_turns": 20},
        {**SIMULATION, "max_turns": 1},
        {**NEXT_REPLY, "chat_history": LONG_CHAT},
        {**TOOL_CALL, "chat_history": [{"role": "caller", "text": "é"}]},
        {**TOOL_CALL, "expected_tool": {"name": "book_slot", "arguments": {"a": None, "b": [1, {"c": True}]}}},
        {**SIMULATION, "name": "💬 مرحبا नमस्ते", "scenario": "你好\n\tمرحبا"},
    ],
)
async def test_everything_may_be_as_large_as_it_may_be_and_is_told_as_it_was_sent(
    mine: Clients, test: dict[str, Any]
) -> None:
    agent_id = await mine.agent({**AGENT, "tools": [{"name": "book_slot"}]})
    made = await mine.test(agent_id, test)
    written = {name: value for name, value in test.items() if name != "expected_tool"}
    assert {name: made[name] for name in written} == written
    if "expected_tool" in test:
        assert made["expected_tool"] == {"match": "exact", "arguments": {}} | test["expected_tool"]


WRONG: list[tuple[Any, str]] = [
    ({**SIMULATION, "max_turns": 0}, "`max_turns` is at least 1."),
    ({**SIMULATION, "max_turns": 21}, "`max_turns` is at most 20."),
    ({**SIMULATION, "max_turns": "8"}, "`max_turns` is a whole number."),
    ({**SIMULATION, "max_turns": 8.5}, "`max_turns` is a whole number."),
    ({**SIMULATION, "max_turns": True}, "`max_turns` is a whole number."),
    ({**SIMULATION, "name": "n" * 201}, "`name` has more than 200 characters."),
    ({**SIMULATION, "name": " "}, "`name` is empty: fill it in."),
    ({**SIMULATION, "name": ""}, "`name` is empty: fill it in."),
    ({**SIMULATION, "name": 5}, "`name` is text."),
    ({**SIMULATION, "name": "a\x00b"}, "`name`: this text holds a NUL"),
    ({**SIMULATION, "scenario": "s" * 8001}, "`scenario` has more than 8,000 characters."),
    ({**SIMULATION, "scenario": "\n"}, "`scenario` is empty: fill it in."),
    ({**SIMULATION, "scenario": "a\x00b"}, "`scenario`: this text holds a NUL"),
    ({**SIMULATION, "success_criteria": "c" * 4001}, "`success_criteria` has more than 4,000 characters."),
    ({**SIMULATION, "success_criteria": "\u200b\x00"}, "`success_criteria`: this text holds a NUL"),
    ({**SIMULATION, "chat_history": CHAT}, "Unknown field `chat_history`: take it out."),
    ({**SIMULATION, "voice": "x"}, "Unknown field `voice`: take it out."),
    ({}, "`name` is missing; `scenario` is missing; `success_criteria` is missing."),
    ({"type": "simulation"}, "`name` is missing; `scenario` is missing; `success_criteria` is missing."),
    ({**SIMULATION, "type": "script"}, "`type` is one of `simulation`, `next_reply`, `tool_call`."),
    ({**SIMULATION, "type": 3}, "`type` is one of `simulation`, `next_reply`, `tool_call`."),
    ({**SIMULATION, "type": None}, "`type` is one of `simulation`, `next_reply`, `tool_call`."),
    ({**NEXT_REPLY, "chat_history": []}, "`chat_history` is empty: fill it in."),
    ({**NEXT_REPLY, "chat_history": None}, "`chat_history` is missing."),
    ({**NEXT_REPLY, "chat_history": "Hello"}, "`chat_history` is a list."),
    ({**NEXT_REPLY, "chat_history": [*LONG_CHAT, *LONG_CHAT[:1]]}, "`chat_history` has more than 200 items."),
    ({**NEXT_REPLY, "chat_history": CHAT[:2]}, "`chat_history` ends with the caller, whose last line"),
    ({**NEXT_REPLY, "chat_history": ["Hello"]}, "`chat_history[0]` is an object: write its fields."),
    ({**NEXT_REPLY, "chat_history": [{"text": "Hi"}]}, "`chat_history[0].role` is missing."),
    ({**NEXT_REPLY, "chat_history": [{"role": "caller"}]}, "`chat_history[0].text` is missing."),
    (
        {**NEXT_REPLY, "chat_history": [{"role": "system", "text": "Hi"}, CHAT[0]]},
        "`chat_history[0].role` is one of 'caller' or 'agent'.",
    ),
    (
        {**NEXT_REPLY, "chat_history": [{**CHAT[0], "text": "t" * 4001}]},
        "`chat_history[0].text` has more than 4",
    ),
    (
        {**NEXT_REPLY, "chat_history": [{**CHAT[0], "text": " "}]},
        "`chat_history[0].text` is empty: fill it in.",
    ),
    ({**NEXT_REPLY, "chat_history": [{**CHAT[0], "text": "\x00"}]}, "`chat_history[0].text`: this text holds a NUL"),
    ({**NEXT_REPLY, "chat_history": [{**CHAT[0], "at": 1}]}, "Unknown field `chat_history[0].at`: take it out."),
    ({**NEXT_REPLY, "scenario": "x"}, "Unknown field `scenario`: take it out."),
    ({**NEXT_REPLY, "max_turns": 3}, "Unknown field `max_turns`: take it out."),
    ({**TOOL_CALL, "success_criteria": "x"}, "Unknown field `success_criteria`: take it out."),
    ({**TOOL_CALL, "expected_tool": None}, "`expected_tool` is missing."),
    ({**TOOL_CALL, "expected_tool": "book_slot"}, "`expected_tool` is an object: write its fields."),
    ({**TOOL_CALL, "expected_tool": {}}, "`expected_tool.name` is missing."),
    ({**TOOL_CALL, "expected_tool": {"name": ""}}, "`expected_tool.name` is empty: fill it in."),
    (
        {**TOOL_CALL, "expected_tool": {"name": "bok_slot"}},
        "`expected_tool.name`: `Front desk` has no tool `bok_slot`; did you mean `book_slot`?",
    ),
    (
        {**TOOL_CALL, "expected_tool": {"name": "book_slot", "match": "regex"}},
        "`expected_tool.match` is one of 'exact' or 'judge'.",
    ),
    (
        {**TOOL_CALL, "expected_tool": {"name": "book_slot", "arguments": ["day"]}},
        "`expected_tool.arguments` is an object: write its fields.",
    ),
    (
        {**TOOL_CALL, "expected_tool": {"name": "book_slot", "arguments": {"day": "a\x00"}}},
        "`expected_tool.arguments.day`: this text holds a NUL",
    ),
]


@pytest.fixture(scope="module")
def kept() -> dict[str, str]:
    return {}


@pytest.mark.parametrize(("body", "message"), WRONG)
async def test_what_is_no_test_is_told_at_its_field(
    mine: Clients, kept: dict[str, str], body: Any, message: str
) -> None:
    agent_id = kept.setdefault("agent_id", "") or await mine.agent()
    kept["agent_id"] = agent_id
    answer = await mine.door.post(f"{VOICE}/agents/{agent_id}/tests", json=body)
    assert refusal(answer, 422, "invalid_request").startswith(message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "The body is missing: send a JSON object."),
        (b"{", "The body is not JSON: check its quotes, commas and brackets."),
        (b"[]", "The body is a JSON object: send `{…}`."),
        (b'{"name": NaN}', "The body is not JSON: check its quotes, commas and brackets."),
        (b'{"name": "\xff"}', "The body is not JSON: check its quotes, commas and brackets."),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "The body is nested more than 60 levels deep: make it flatter."),
        (
            b'{"name": "\\ud800", "scenario": "s", "success_criteria": "c"}',
            "`name` holds half of a character: take it out.",
        ),
    ],
)
async def test_a_body_that_cannot_be_read_is_told_as_one(mine: Clients, body: bytes, message: str) -> None:
    for path in (f"/agents/{await mine.agent()}/tests", "/tools/x.y/test"):
        if not body and path.startswith("/tools"):
            continue
        if path.startswith("/tools") and message.startswith("`"):
            continue
        answer = await mine.door.post(f"{VOICE}{path}", content=body)
        assert refusal(answer, 422, "invalid_request").startswith(message)


async def test_a_body_that_is_too_large_is_refused(mine: Clients) -> None:
    answer = await mine.door.post(f"{VOICE}/agents/{await mine.agent()}/tests", content=b" " * (2 * 1024 * 1024 + 1))
    assert answer.status_code == 413


async def test_an_agent_has_up_to_30_tests_and_a_project_so_many_runs(house: Any) -> None:
    own = await house.of_project(await house.web.other_project())
    agent_id = await own.agent()
    address = f"{VOICE}/agents/{agent_id}"
    tests = [await own.test(agent_id) for _ in range(30)]
    full = await own.door.post(f"{address}/tests", json=SIMULATION)
    assert refusal(full, 409, "conflict") == "This agent has 30 tests, which is the most: delete one first."
    assert len((await own.started(agent_id))["runs"]) == 30, "all of them run at once"
    again = await own.door.post(f"{address}/test-runs", json={})
    assert refusal(again, 409, "conflict").startswith("At most 59 runs may wait or run at once in this project")
    await own.door.delete(f"{address}/tests/{tests[0]['id']}")
    drafts = f"{address}/tests/generate"
    some = refusal(await own.door.post(drafts, json={"save": True, "count": 2}), 409, "conflict")
    assert some.startswith("This agent has 29 tests and may have 30, so 2 more cannot be saved")
    assert (await own.door.post(drafts, json={"count": 2})).status_code == 200, "they need not be saved"
    assert len((await own.door.post(drafts, json={"save": True, "count": 1})).json()["tests"]) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"count": 0}, "`count` is at least 1."),
        ({"count": 11}, "`count` is at most 10."),
        ({"count": "5"}, "`count` is a whole number."),
        ({"types": []}, "`types` is empty: fill it in."),
        ({"types": ["script"]}, "`types[0]` is one of"),
        ({"types": "simulation"}, "`types` is a list."),
        ({"focus": "f" * 2001}, "`focus` has more than 2,000 characters."),
        ({"focus": "a\x00"}, "`focus` does not have the form it needs."),
        ({"language": "de"}, "`language` is one of 'en' or 'zh'."),
        ({"save": "yes"}, "`save` is `true` or `false`."),
        ({"model": "x"}, "Unknown field `model`: take it out."),
    ],
)
async def test_wishes_for_drafts_have_their_bounds(mine: Clients, body: Any, message: str) -> None:
    answer = await mine.door.post(f"{VOICE}/agents/{await mine.agent()}/tests/generate", json=body)
    assert refusal(answer, 422, "invalid_request").startswith(message)


async def test_up_to_ten_drafts_come_of_the_types_that_are_wanted(mine: Clients) -> None:
    many = [{**DRAFTS[0], "name": f"Draft {number}"} for number in range(12)]
    script = [{"role": "author", "say": json.dumps({"tests": many})}, *AGENT["llm"]["script"]]
    agent_id = await mine.agent({**AGENT, "llm": {"model": "scripted:desk", "script": script}})
    drafts = f"{VOICE}/agents/{agent_id}/tests/generate"
    assert len((await mine.door.post(drafts, json={"count": 10})).json()["tests"]) == 10
    assert len((await mine.door.post(drafts)).json()["tests"]) == 5, "five where nothing is said"
    some = f"{VOICE}/agents/{await mine.agent()}/tests/generate"
    for kind in ("simulation", "next_reply"):
        told = (await mine.door.post(some, json={"types": [kind]})).json()
        assert {test["type"] for test in told["tests"]} == {kind}


async def test_calls_are_drafted_only_for_an_agent_that_can_call_something(mine: Clients) -> None:
    agent_id = await mine.agent({**AGENT, "tools": [], "can_end_call": False, "can_transfer": None})
    drafts = f"{VOICE}/agents/{agent_id}/tests/generate"
    refused = refusal(await mine.door.post(drafts, json={"types": ["tool_call"]}), 422, "invalid_request")
    assert refused == "`types`: Front desk has no function to call, so that no test of the type `tool_call` fits it."
    answer = await mine.door.post(drafts, json={"count": 2})
    assert [test["type"] for test in answer.json()["tests"]] == ["simulation", "next_reply"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"test_ids": []}, "`test_ids` is empty: fill it in."),
        ({"test_ids": "tst_1"}, "`test_ids` is a list."),
        ({"test_ids": [1]}, "`test_ids[0]` is text."),
        ({"reason_language": "fr"}, "`reason_language` is one of 'en' or 'zh'."),
        ({"tests": []}, "Unknown field `tests`: take it out."),
    ],
)
async def test_which_tests_to_run_is_said_in_one_way(mine: Clients, body: Any, message: str) -> None:
    answer = await mine.door.post(f"{VOICE}/agents/{await mine.agent()}/test-runs", json=body)
    assert refusal(answer, 422, "invalid_request").startswith(message)


async def test_requests_a_minute_are_those_of_the_project(house: Any) -> None:
    web = house.web
    project_id = await web.other_project()
    clients = await house.of_project(project_id)
    agent_id = await clients.agent()
    bounded = await clients.native.patch("/v1/project", json={"requests_per_minute": 4})
    assert bounded.status_code == 200, bounded.text
    web.clock.move(seconds=60)
    for _ in range(4):
        assert (await clients.door.get(f"{VOICE}/agents/{agent_id}/tests")).status_code == 200
    refused = await clients.door.get(f"{VOICE}/agents/{agent_id}/tests")
    assert "requests of this project" in refusal(refused, 429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
