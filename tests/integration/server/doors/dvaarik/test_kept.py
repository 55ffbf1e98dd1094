"""Tests and runs as they are kept, listed, stopped and refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.dvaarik_door import AGENT, TEST, Clients, sentence

pytestmark = pytest.mark.asyncio(loop_scope="session")


# What is refused in a sentence


async def test_a_realtime_agent_keeps_its_tests_and_runs_none(alone: Clients) -> None:
    agent = await alone.agent({**AGENT, "pipeline_mode": "realtime"})
    test = await alone.test(agent)
    for address in (f"{test}/run", f"{agent}/tests/run-all"):
        assert sentence(await alone.door.post(address), 422) == (
            "The agent Front desk is a realtime agent: it has no text step, so it cannot be tested."
        )
    await alone.native.patch(f"/v1/agents/{agent.rpartition('/')[2]}", json={"pipeline_mode": "cascade"})
    assert (await alone.door.post(f"{test}/run")).status_code == 202


async def test_an_agent_without_a_backup_brain_cannot_rehearse_it(alone: Clients) -> None:
    agent = await alone.agent()
    test = await alone.test(agent)
    for address in (f"{test}/run", f"{agent}/tests/run-all"):
        refused = await alone.door.post(address, json={"force_primary_failure": True})
        assert "has no backup brain to rehearse" in sentence(refused, 422)


async def test_ends_call_needs_an_agent_that_can_end_the_call(alone: Clients) -> None:
    agent = await alone.agent({**AGENT, "can_end_call": False})
    refused = await alone.door.post(f"{agent}/tests", json={**TEST, "checks": [{"type": "ends_call"}]})
    assert refused.status_code == 422
    [told] = refused.json()["detail"]
    assert (told["field"], told["loc"]) == ("checks[0]", ["body", "checks", 0, "ends_call"])
    assert "can_end_call" in told["message"]


async def test_a_test_that_does_not_fit_its_agent_any_more_is_not_run(alone: Clients) -> None:
    agent = await alone.agent()
    test = await alone.test(agent, checks=[{"type": "ends_call"}])
    await alone.native.patch(f"/v1/agents/{agent.rpartition('/')[2]}", json={"can_end_call": False})
    told = sentence(await alone.door.post(f"{test}/run"), 422)
    assert told.startswith("The test `Moves a booking`: `ends_call` can never hold")


async def test_a_budget_that_is_used_up_refuses_a_run_in_a_sentence(alone: Clients) -> None:
    agent = await alone.agent({**AGENT, "llm": {"model": "openai:gpt-4.1-mini"}})
    test = await alone.test(agent)
    set_bounds = await alone.native.put("/v1/credits/bounds", json={"monthly_budget": 0})
    assert set_bounds.is_success, set_bounds.text
    assert sentence(await alone.door.post(f"{test}/run"), 402)


# Stopping what waits


async def test_a_run_that_waits_is_stopped_at_once(alone: Clients) -> None:
    agent = await alone.agent()
    run = await alone.started(await alone.test(agent))
    waiting = (await alone.door.get(run)).json()
    assert (waiting["status"], waiting["ended_by"], waiting["transcript"]) == ("queued", None, [])
    assert {(each["passed"], each["detail"]) for each in waiting["check_results"]} == {(None, "Not graded yet.")}
    answer = await alone.door.post(f"{run}/cancel")
    assert answer.status_code == 200
    stopped = answer.json()
    assert stopped == (await alone.door.get(run)).json()
    assert (stopped["status"], stopped["ended_by"]) == ("cancelled", "stopped")
    assert stopped["cancel_requested_at"] is not None
    assert (stopped["input_tokens"], stopped["output_tokens"], stopped["transcript"]) == (0, 0, [])
    assert [each["passed"] for each in stopped["check_results"]] == [None] * 4
    assert sentence(await alone.door.post(f"{run}/cancel"), 409) == (
        "This test run has already finished (cancelled), so there is nothing to stop."
    )


async def test_stop_all_stops_every_run_of_the_agent_and_of_no_other(house: Any) -> None:
    clients: Clients = house.clients
    agent, other = await clients.agent(), await clients.agent()
    runs = [await clients.started(await clients.test(agent)) for _ in range(3)]
    spared = await clients.started(await clients.test(other))
    house.web.clock.move(seconds=60)
    async with house.console() as console:
        address = f"{agent.removeprefix('/v2')}/test-runs/cancel-all"
        stopped = (await console.post(address)).json()["runs"]
        assert [run["id"] for run in stopped] == [run.rpartition("/")[2] for run in reversed(runs)]
        assert {(run["status"], run["ended_by"]) for run in stopped} == {("cancelled", "stopped")}
        assert (await console.post(address)).json() == {"runs": []}
    assert (await clients.door.get(spared)).json()["status"] == "queued"
    assert (await clients.door.post(f"{agent}/test-runs/cancel-all")).status_code in (404, 405)


# Lists


async def test_runs_are_listed_newest_first_without_their_transcripts_in_pages(alone: Clients) -> None:
    agent = await alone.agent()
    one, other = await alone.test(agent), await alone.test(agent, name="Another")
    runs = [(await alone.started(test)).rpartition("/")[2] for test in (one, other, one)]
    listed = (await alone.door.get(f"{agent}/test-runs")).json()
    assert [run["id"] for run in listed["runs"]] == runs[::-1]
    assert listed["next_cursor"] is None
    assert not {"transcript", "check_results"} & listed["runs"][0].keys()
    of_one = await alone.door.get(f"{agent}/test-runs", params={"test_id": one.rpartition("/")[2]})
    assert [run["id"] for run in of_one.json()["runs"]] == [runs[2], runs[0]]
    first = (await alone.door.get(f"{agent}/test-runs?limit=2")).json()
    rest = (await alone.door.get(f"{agent}/test-runs?limit=2&cursor={first['next_cursor']}")).json()
    assert [run["id"] for run in (*first["runs"], *rest["runs"])] == runs[::-1]
    tests = (await alone.door.get(f"{agent}/tests")).json()["tests"]
    assert [(test["name"], test["last_run"]["id"]) for test in tests] == [
        ("Moves a booking", runs[2]),
        ("Another", runs[1]),
    ]
    assert tests[0]["last_run"] == listed["runs"][0]


# Tests that are kept


async def test_a_test_is_saved_shown_replaced_and_deleted(alone: Clients) -> None:
    agent = await alone.agent()
    saved = await alone.door.post(f"{agent}/tests", json=TEST)
    assert saved.status_code == 201
    test = saved.json()
    assert {name: test[name] for name in TEST} == TEST
    assert test["agent_id"] == agent.rpartition("/")[2]
    address = f"{agent}/tests/{test['id']}"
    assert (await alone.door.get(address)).json() == test
    shorter = {"name": "Shorter", "caller_persona": "Ravi", "checks": [{"type": "calls_tool", "tool": "book_slot"}]}
    replaced = await alone.door.put(address, json=shorter)
    assert replaced.status_code == 200
    told = replaced.json()
    assert (told["name"], told["max_turns"], told["opening_line"], told["variables"]) == ("Shorter", 6, None, {})
    assert told["checks"] == [{"type": "calls_tool", "tool": "book_slot"}]
    assert (told["id"], told["created_at"]) == (test["id"], test["created_at"])
    deleted = await alone.door.delete(address)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert sentence(await alone.door.get(address), 404)
    assert sentence(await alone.door.delete(address), 404)


async def test_a_test_that_was_shown_can_be_sent_back_as_it_is(alone: Clients) -> None:
    test = await alone.test(await alone.agent())
    await alone.started(test)
    shown = (await alone.door.get(test)).json()
    again = await alone.door.put(test, json=shown)
    assert again.status_code == 200, again.text
    assert again.json() == {**shown, "updated_at": again.json()["updated_at"]}


async def test_deleting_a_test_deletes_its_runs(alone: Clients) -> None:
    agent = await alone.agent()
    test = await alone.test(agent)
    run = await alone.started(test)
    await alone.door.post(f"{run}/cancel")
    assert (await alone.door.delete(test)).status_code == 204
    assert sentence(await alone.door.get(run), 404)
    assert (await alone.door.get(f"{agent}/test-runs")).json()["runs"] == []


CARRIED: dict[str, Any] = {
    "name": "Native",
    "caller": {"persona": "Ravi", "opening_line": "Hello."},
    "max_turns": 3,
    "tools": "real",
    "tags": ["booking"],
    "checks": [{"type": "says", "text": "Monday"}, {"type": "calls_tool", "tool": "book_slot"}],
}
NOT_CARRIED: dict[str, dict[str, Any]] = {
    "a script": {"caller": {"messages": ["Hello."]}},
    "a talk so far": {"caller": {"history": [{"role": "caller", "text": "Hello."}]}},
    "facts": {"caller": {"persona": "Ravi", "facts": {"born": "1990"}}},
    "a temperament": {"caller": {"persona": "Ravi", "temperament": "angry"}},
    "mocks": {"tool_mocks": [{"tool": "book_slot", "result": 1}]},
    "a dry run": {"tools": "plan", "checks": []},
    "several judges": {"judges": 3},
    "repeats": {"repeat": 2},
    "variations": {"variations": [{"name": "Angry", "persona": "Meera"}]},
    "a judge of its own": {"judge_llm": {"model": "openai:gpt-4.1-mini"}},
    "another kind of check": {"checks": [{"type": "matches", "pattern": "Mon"}]},
    "a check that is not required": {"checks": [{"type": "says", "text": "Monday", "required": False}]},
    "a check of the last reply": {"checks": [{"type": "says", "text": "Monday", "where": "last"}]},
    "arguments by value": {"checks": [{"type": "calls_tool", "tool": "book_slot", "arguments": {"day": "Monday"}}]},
    "a count of calls": {"checks": [{"type": "calls_tool", "tool": "book_slot", "times": 2}]},
    "more turns": {"max_turns": 13},
    "more checks": {"checks": [{"type": "says", "text": "Monday"}] * 11},
}


async def test_a_native_test_is_shown_where_its_shape_can_be_carried(alone: Clients) -> None:
    agent = await alone.agent()
    native = f"/v1/agents/{agent.rpartition('/')[2]}/tests"
    carried = (await alone.native.post(native, json=CARRIED)).json()["id"]
    others: dict[str, str] = {}
    for why, changes in NOT_CARRIED.items():
        made = await alone.native.post(native, json={**CARRIED, "tools": "canned", **changes, "name": why})
        assert made.status_code == 201, made.text
        others[why] = made.json()["id"]
    [shown] = (await alone.door.get(f"{agent}/tests")).json()["tests"]
    assert (shown["id"], shown["caller_persona"], shown["opening_line"]) == (carried, "Ravi", "Hello.")
    assert shown["use_real_tool_webhook"] is True
    for why, test_id in others.items():
        for answer in (
            await alone.door.get(f"{agent}/tests/{test_id}"),
            await alone.door.put(f"{agent}/tests/{test_id}", json=TEST),
            await alone.door.delete(f"{agent}/tests/{test_id}"),
            await alone.door.post(f"{agent}/tests/{test_id}/run"),
        ):
            assert sentence(answer, 404) == "This agent has no such test.", why
    started = await alone.native.post(
        f"/v1/agents/{agent.rpartition('/')[2]}/runs", json={"test_ids": [others["mocks"]]}
    )
    assert sentence(await alone.door.get(f"{agent}/test-runs/{started.json()['runs'][0]['id']}"), 404)
    assert (await alone.door.get(f"{agent}/test-runs")).json()["runs"] == []


async def test_what_this_door_does_not_show_of_a_native_test_stays(alone: Clients) -> None:
    agent = await alone.agent()
    native = f"/v1/agents/{agent.rpartition('/')[2]}/tests"
    test_id = (await alone.native.post(native, json=CARRIED)).json()["id"]
    assert (await alone.door.put(f"{agent}/tests/{test_id}", json=TEST)).status_code == 200
    kept = (await alone.native.get(f"{native}/{test_id}")).json()
    assert (kept["name"], kept["tags"], kept["policy"]) == ("Moves a booking", ["booking"], "native")


async def test_a_run_that_was_started_natively_is_told_here_too(alone: Clients) -> None:
    agent = await alone.agent()
    test = await alone.test(agent)
    body = {"test_ids": [test.rpartition("/")[2]]}
    started = (await alone.native.post(f"/v1/agents/{agent.rpartition('/')[2]}/runs", json=body)).json()["runs"][0]
    assert started["policy"] == "dvaarik", "a test keeps the policy of the door that made it"
    told = (await alone.door.get(f"{agent}/test-runs/{started['id']}")).json()
    assert (told["id"], told["status"], told["provider"], told["model"]) == (
        started["id"],
        "queued",
        "scripted",
        "desk",
    )
