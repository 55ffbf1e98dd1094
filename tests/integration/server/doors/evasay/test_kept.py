"""Tests as they are kept, changed and deleted at the door `evasay`, and which native ones it shows."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from tests.support.evasay_door import AGENT, CHAT, NEXT_REPLY, SIMULATION, TOOL_CALL, VOICE, Clients, refusal

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIELDS = [
    *("id", "agent_id", "type", "name", "scenario", "success_criteria", "max_turns"),
    *("chat_history", "expected_tool", "created_at", "updated_at"),
]
KINDS = {"simulation": SIMULATION, "next_reply": NEXT_REPLY, "tool_call": TOOL_CALL}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_test_of_each_type_is_made_shown_listed_and_deleted(mine: Clients, kind: str) -> None:
    agent_id = await mine.agent()
    address = f"{VOICE}/agents/{agent_id}/tests"
    test = await mine.test(agent_id, KINDS[kind])
    assert list(test) == FIELDS
    written: dict[str, Any] = {"type": kind, **KINDS[kind]}
    if kind == "tool_call":
        written["expected_tool"] = {**TOOL_CALL["expected_tool"], "match": "exact"}
    assert {name: test[name] for name in written} == written
    assert [name for name in FIELDS[2:9] if test[name] is None] == [name for name in FIELDS[2:9] if name not in written]
    assert (await mine.door.get(f"{address}/{test['id']}")).json() == test
    other = await mine.test(agent_id, SIMULATION)
    assert (await mine.door.get(address)).json() == {"tests": [test, other], "credits_per_run": 3}
    gone = await mine.door.delete(f"{address}/{test['id']}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert refusal(await mine.door.get(f"{address}/{test['id']}"), 404, "not_found") == "This agent has no such test."
    assert (await mine.door.get(address)).json()["tests"] == [other]


async def test_what_is_not_given_is_what_the_page_says(mine: Clients) -> None:
    agent_id = await mine.agent()
    usual = await mine.test(agent_id, {name: SIMULATION[name] for name in ("name", "scenario", "success_criteria")})
    assert (usual["type"], usual["max_turns"]) == ("simulation", 8)
    call = await mine.test(agent_id, {**TOOL_CALL, "expected_tool": {"name": "end_call"}})
    assert call["expected_tool"] == {"name": "end_call", "arguments": {}, "match": "exact"}


async def test_a_test_may_be_sent_as_it_was_answered(mine: Clients) -> None:
    agent_id = await mine.agent()
    for written in KINDS.values():
        told = await mine.test(agent_id, written)
        again = await mine.test(agent_id, told)
        assert {name: again[name] for name in FIELDS[2:9]} == {name: told[name] for name in FIELDS[2:9]}
        assert again["id"] != told["id"]
        changed = await mine.door.patch(f"{VOICE}/agents/{agent_id}/tests/{told['id']}", json={"name": "Other"})
        assert changed.json() == {**told, "name": "Other", "updated_at": changed.json()["updated_at"]}


async def test_the_runs_of_a_test_go_with_it(mine: Clients) -> None:
    agent_id = await mine.agent()
    test_id = (await mine.test(agent_id))["id"]
    [run] = (await mine.started(agent_id))["runs"]
    assert (await mine.door.get(f"{VOICE}/test-runs/{run['id']}")).status_code == 200
    assert (await mine.door.delete(f"{VOICE}/agents/{agent_id}/tests/{test_id}")).status_code == 204
    gone = refusal(await mine.door.get(f"{VOICE}/test-runs/{run['id']}"), 404, "not_found")
    assert gone.endswith("with this id.")


# What a test was, what is sent, and what it is then.
CHANGES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (SIMULATION, {"max_turns": 3}, {"max_turns": 3, "scenario": SIMULATION["scenario"]}),
    (SIMULATION, {"max_turns": None}, {"max_turns": 8}),
    (SIMULATION, {}, {"max_turns": 8, "name": SIMULATION["name"]}),
    (SIMULATION, {"scenario": "Another.", "success_criteria": "Anything."}, {"scenario": "Another.", "max_turns": 8}),
    (
        SIMULATION,
        {"type": "next_reply", "chat_history": CHAT},
        {"type": "next_reply", "scenario": None, "max_turns": None, "chat_history": CHAT}
        | {"success_criteria": SIMULATION["success_criteria"]},
    ),
    (
        NEXT_REPLY,
        {"type": "tool_call", "expected_tool": {"name": "end_call"}},
        {"type": "tool_call", "chat_history": CHAT, "success_criteria": None},
    ),
    (
        TOOL_CALL,
        {"expected_tool": {"name": "book_slot", "match": "judge"}},
        {"expected_tool": {"name": "book_slot", "arguments": {}, "match": "judge"}},
    ),
    (
        TOOL_CALL,
        {"type": "simulation", "scenario": "S", "success_criteria": "C"},
        {"max_turns": 8, "chat_history": None},
    ),
]


@pytest.mark.parametrize(("before", "patch", "after"), CHANGES)
async def test_a_change_is_of_what_is_given_alone(
    mine: Clients, before: dict[str, Any], patch: dict[str, Any], after: dict[str, Any]
) -> None:
    agent_id = await mine.agent()
    test = await mine.test(agent_id, before)
    address = f"{VOICE}/agents/{agent_id}/tests/{test['id']}"
    answer = await mine.door.patch(address, json=patch)
    assert answer.status_code == 200, answer.text
    assert list(answer.json()) == FIELDS
    assert {name: answer.json()[name] for name in after} == after
    assert (await mine.door.get(address)).json() == answer.json()


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"max_turns": 21}, "`max_turns` is at most 20."),
        ({"name": None}, "`name` is missing."),
        ({"type": "next_reply"}, "`chat_history` is missing."),
        ({"chat_history": CHAT}, "Unknown field `chat_history`: take it out."),
        ({"title": "x"}, "Unknown field `title`: take it out."),
        ({"type": "tool_call", "chat_history": CHAT, "expected_tool": {"name": "fly"}}, "`expected_tool.name`: "),
    ],
)
async def test_a_change_that_does_not_fit_changes_nothing(mine: Clients, patch: dict[str, Any], message: str) -> None:
    agent_id = await mine.agent()
    test = await mine.test(agent_id)
    address = f"{VOICE}/agents/{agent_id}/tests/{test['id']}"
    assert refusal(await mine.door.patch(address, json=patch), 422, "invalid_request").startswith(message)
    assert (await mine.door.get(address)).json() == test


async def test_changes_that_cross_are_a_conflict_and_none_that_was_taken_is_lost(mine: Clients) -> None:
    patches: list[dict[str, Any]] = [{"name": "N"}, {"scenario": "S"}, {"success_criteria": "C"}, {"max_turns": 2}]
    crossed: list[httpx.Response] = []
    for _ in range(20):
        agent_id = await mine.agent()
        address = f"{VOICE}/agents/{agent_id}/tests/{(await mine.test(agent_id))['id']}"
        answers = await asyncio.gather(*(mine.door.patch(address, json=patch) for patch in patches))
        test = (await mine.door.get(address)).json()
        for patch, answer in zip(patches, answers, strict=True):
            taken = answer.status_code == 200
            assert (test | patch == test) == taken, "what was taken is there, and nothing else"
        crossed = [answer for answer in answers if answer.status_code != 200]
        if crossed:
            break
    assert crossed, "they never came at the same moment"
    assert all("changed since" in refusal(answer, 409, "conflict") for answer in crossed)


# Native tests

CRITERION = {"type": "criterion", "text": "Is friendly."}
NATIVE: dict[str, Any] = {"name": "Native", "caller": {"persona": "Ravi."}, "checks": [CRITERION], "tags": ["a", "b"]}
REPLY: dict[str, Any] = {"name": "Reply", "caller": {"history": CHAT}}
MEETS = {"type": "reply_meets", "criteria": "Is friendly."}
CALLS = {"type": "calls_tool", "tool": "book_slot", "arguments": {"day": "x"}, "expect_planned": True}
CARRIED: list[dict[str, Any]] = [
    NATIVE,
    {**REPLY, "checks": [MEETS]},
    {**REPLY, "checks": [CALLS], "tools": "plan"},
    {**REPLY, "checks": [{**CALLS, "tool": "hand_off_to_agent", "match": "judge"}], "tools": "plan"},
]
NOT_CARRIED: list[dict[str, Any]] = [
    {**NATIVE, "checks": []},
    {**NATIVE, "checks": [CRITERION, CRITERION]},
    {**NATIVE, "checks": [{**CRITERION, "required": False}]},
    {**NATIVE, "checks": [{"type": "says", "text": "hello"}]},
    {**NATIVE, "checks": [{"type": "judge", "question": "Was it friendly?"}]},
    {**NATIVE, "caller": {"persona": "Ravi.", "opening_line": "Hi."}},
    {**NATIVE, "caller": {"persona": "Ravi.", "temperament": "angry"}},
    {**NATIVE, "caller": {"messages": ["Hello."]}},
    {**NATIVE, "max_turns": 21},
    {**NATIVE, "variables": {"company": "x"}},
    {**NATIVE, "tool_results": {"book_slot": 1}},
    {**NATIVE, "tools": "plan"},
    {**NATIVE, "repeat": 2},
    {**NATIVE, "variations": [{"name": "late", "persona": "Late."}]},
    {**NATIVE, "reason_language": "German"},
    {**REPLY, "checks": [MEETS], "tools": "plan"},
    {**REPLY, "checks": [CRITERION]},
    {**REPLY, "checks": [CALLS]},
    {**REPLY, "checks": [{**CALLS, "times": 1}], "tools": "plan"},
    {**REPLY, "checks": [{**CALLS, "match": "regex"}], "tools": "plan"},
    {**REPLY, "checks": [{**CALLS, "arguments": ["day"]}], "tools": "plan"},
]


async def test_a_native_test_is_shown_if_all_of_it_can_be(mine: Clients) -> None:
    agent_id = await mine.agent()
    ids: list[str] = []
    for test in [*CARRIED, *NOT_CARRIED]:
        made = await mine.native.post(f"/v1/agents/{agent_id}/tests", json=test)
        assert made.status_code == 201, made.text
        ids.append(made.json()["id"])
    address = f"{VOICE}/agents/{agent_id}/tests"
    shown = (await mine.door.get(address)).json()["tests"]
    assert [test["id"] for test in shown] == ids[: len(CARRIED)]
    assert [test["type"] for test in shown] == ["simulation", "next_reply", "tool_call", "tool_call"]
    assert shown[3]["expected_tool"] == {"name": "handoff_to_agent", "arguments": {"day": "x"}, "match": "judge"}
    for test_id in ids[len(CARRIED) :]:
        for method in ("GET", "PATCH", "DELETE"):
            answer = await mine.door.request(method, f"{address}/{test_id}", json={})
            assert refusal(answer, 404, "not_found") == "This agent has no such test."
        named = await mine.door.post(f"{VOICE}/agents/{agent_id}/test-runs", json={"test_ids": [test_id]})
        assert test_id in refusal(named, 404, "not_found")
    every = await mine.started(agent_id)
    assert [run["test_id"] for run in every["runs"]] == ids[: len(CARRIED)]


async def test_what_a_native_test_has_beside_stays_when_it_is_changed_here(mine: Clients) -> None:
    agent_id = await mine.agent()
    test_id = (await mine.native.post(f"/v1/agents/{agent_id}/tests", json=NATIVE)).json()["id"]
    changed = await mine.door.patch(f"{VOICE}/agents/{agent_id}/tests/{test_id}", json={"max_turns": 4})
    assert changed.status_code == 200
    native = (await mine.native.get(f"/v1/agents/{agent_id}/tests/{test_id}")).json()
    assert (native["tags"], native["max_turns"], native["policy"]) == (["a", "b"], 4, "native")
    assert native["checks"] == [CRITERION]


async def test_a_test_made_here_is_a_native_one_that_says_how_it_is_graded(mine: Clients) -> None:
    agent_id = await mine.agent()
    wanted = {
        "simulation": ("simulation", "canned", [{"type": "criterion", "text": SIMULATION["success_criteria"]}]),
        "next_reply": ("next_reply", "canned", [{"type": "reply_meets", "criteria": NEXT_REPLY["success_criteria"]}]),
        "tool_call": ("next_reply", "plan", [{**CALLS, "arguments": {"day": "saturday"}, "match": "exact"}]),
    }
    for name, (kind, tools, checks) in wanted.items():
        test_id = (await mine.test(agent_id, KINDS[name]))["id"]
        native = (await mine.native.get(f"/v1/agents/{agent_id}/tests/{test_id}")).json()
        assert (native["policy"], native["tools"], native["checks"]) == ("evasay", tools, checks)
        assert ("persona" if kind == "simulation" else "history") in native["caller"]


async def test_a_realtime_agent_is_refused_in_a_sentence(mine: Clients) -> None:
    agent_id = await mine.agent(pipeline_mode="realtime")
    answer = await mine.door.post(f"{VOICE}/agents/{agent_id}/tests", json=SIMULATION)
    assert "realtime agent" in refusal(answer, 422, "invalid_request")


async def test_a_test_that_does_not_fit_its_agent_any_more_is_named_when_it_is_to_run(mine: Clients) -> None:
    agent_id = await mine.agent(AGENT)
    await mine.test(agent_id, TOOL_CALL)
    changed = await mine.native.patch(f"/v1/agents/{agent_id}/draft", json={"tools": []})
    assert changed.status_code == 200
    answer = await mine.door.post(f"{VOICE}/agents/{agent_id}/test-runs", json={})
    message = refusal(answer, 422, "invalid_request")
    assert message == "The test `Books the slot`: `Front desk` has no tool `book_slot`."


async def test_an_agent_without_tests_has_nothing_to_run(mine: Clients) -> None:
    answer = await mine.door.post(f"{VOICE}/agents/{await mine.agent()}/test-runs", json={})
    assert refusal(answer, 422, "invalid_request") == "This agent has no tests: make one first."
