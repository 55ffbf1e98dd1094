"""Each limit of the page: what is just allowed, and what is one too many."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from tests.support.dvaarik_door import AGENT, TEST, Clients, add_project, items, sentence

from greenroom.server.accounts import service as accounts
from greenroom.server.doors.dvaarik.policy import POLICY
from greenroom.server.projects import service as projects

pytestmark = pytest.mark.asyncio(loop_scope="session")

JUDGE = {"type": "judge", "question": "q" * 300}
LONGEST: dict[str, Any] = {
    "name": "n" * 200,
    "caller_persona": "p" * 2000,
    "opening_line": "o" * 500,
    "max_turns": 12,
    "variables": {"one": 1, "half": 0.5, "yes": True, "text": "é" * 3000},
    "tool_results": {f"tool_{number}": "x" * 1998 for number in range(20)},
    "checks": [
        *[JUDGE] * 5,
        {"type": "says", "text": "s" * 200},
        {"type": "never_says", "text": "s" * 200},
        {"type": "calls_tool", "tool": "tool_0", "arguments": list("abcdefghij")},
        {"type": "never_calls_tool", "tool": "tool_1"},
        {"type": "ends_call"},
    ],
}
SMALL = {"name": "Small", "caller_persona": "Ravi"}


async def test_everything_may_be_as_large_as_the_page_says(alone: Clients) -> None:
    agent = await alone.agent({**AGENT, "tools": [{"name": f"tool_{number}"} for number in range(20)]})
    saved = (await alone.door.get(await alone.test(agent, LONGEST))).json()
    variables = {"one": "1", "half": "0.5", "yes": "true", "text": "é" * 3000}
    assert {name: saved[name] for name in LONGEST} == {**LONGEST, "variables": variables}


async def test_a_canned_answer_is_measured_as_the_shortest_json_of_it(alone: Clients) -> None:
    agent = await alone.agent()
    fits = {"book_slot": {"text": "é" * 1989}}
    assert len(json.dumps(fits["book_slot"], ensure_ascii=False, separators=(",", ":"))) == 2000
    await alone.test(agent, tool_results=fits)
    [told] = items(
        await alone.door.post(f"{agent}/tests", json={**TEST, "tool_results": {"book_slot": {"text": "é" * 1990}}})
    )
    assert told["field"] == "tool_results.book_slot"


async def test_what_is_not_given_is_as_the_page_says(alone: Clients) -> None:
    agent = await alone.agent()
    saved = (await alone.door.get(await alone.test(agent, SMALL))).json()
    assert saved["max_turns"] == 6
    assert (saved["opening_line"], saved["variables"], saved["tool_results"]) == (None, {}, {})
    assert (saved["use_real_tool_webhook"], saved["checks"], saved["last_run"]) == (False, [], None)


async def test_an_agent_has_at_most_50_tests(alone: Clients) -> None:
    agent = await alone.agent()
    for _ in range(49):
        await alone.native.post(f"/v1/agents/{agent.rpartition('/')[2]}/tests", json=NATIVE)
    last = await alone.test(agent, SMALL)
    refused = await alone.door.post(f"{agent}/tests", json=SMALL)
    assert sentence(refused, 422) == "This agent has 50 tests, which is the most: delete one first."
    assert (await alone.door.delete(last)).status_code == 204
    await alone.test(agent, SMALL)


NATIVE: dict[str, Any] = {"name": "Native", "caller": {"persona": "Ravi"}, "max_turns": 2}


async def test_one_request_runs_at_most_six_tests(alone: Clients) -> None:
    agent = await alone.agent()
    nothing = await alone.door.post(f"{agent}/tests/run-all")
    assert sentence(nothing, 422) == "This agent has no tests: save one first."
    ids = [(await alone.test(agent, SMALL)).rpartition("/")[2] for _ in range(6)]
    six = await alone.door.post(f"{agent}/tests/run-all")
    assert six.status_code == 202
    assert [run["test_id"] for run in six.json()["runs"]] == ids
    ids.append((await alone.test(agent, SMALL)).rpartition("/")[2])
    seven = await alone.door.post(f"{agent}/tests/run-all", json={})
    assert sentence(seven, 422) == ("This agent has 7 tests, and one request runs at most 6: name up to 6 in test_ids.")
    named = await alone.door.post(f"{agent}/tests/run-all", json={"test_ids": [ids[6], ids[0], ids[6]]})
    assert [run["test_id"] for run in named.json()["runs"]] == [ids[6], ids[0]]
    [told] = items(await alone.door.post(f"{agent}/tests/run-all", json={"test_ids": ids}))
    assert (told["field"], told["message"]) == ("test_ids", "test_ids can have at most 6 entries")


async def test_12_runs_of_a_project_may_wait_or_run(alone: Clients) -> None:
    agent = await alone.agent()
    test, *_ = [await alone.test(agent, SMALL) for _ in range(6)]
    for _ in range(2):
        assert (await alone.door.post(f"{agent}/tests/run-all")).status_code == 202
    refused = await alone.door.post(f"{test}/run")
    assert "12 runs" in sentence(refused, 409)
    run = (await alone.door.get(f"{agent}/test-runs")).json()["runs"][0]
    assert (await alone.door.post(f"{agent}/test-runs/{run['id']}/cancel")).status_code == 200
    assert (await alone.door.post(f"{test}/run")).status_code == 202
    assert sentence(await alone.door.post(f"{agent}/tests/run-all"), 409)
    runs = (await alone.door.get(f"{agent}/test-runs")).json()["runs"]
    assert sum(run["status"] == "queued" for run in runs) == 12, "a request is carried out whole or not at all"


async def test_24_runs_of_a_developer_s_projects_may_wait_or_run(house: Any) -> None:
    context = house.web.context
    async with context.database.writing() as session:
        developer_id = accounts.add_developer(session, context, "many@example.com", None).id
    owners = [await house.of_project(await add_project(context, developer_id)) for _ in range(3)]
    for clients in owners[:2]:
        agent = await clients.agent()
        for _ in range(6):
            await clients.test(agent, SMALL)
        for _ in range(2):
            assert (await clients.door.post(f"{agent}/tests/run-all")).status_code == 202
    test = await owners[2].test(await owners[2].agent(), SMALL)
    refused = await owners[2].door.post(f"{test}/run")
    assert "24 runs" in sentence(refused, 409)


async def test_two_runs_of_a_developer_play_at_once_for_90_and_30_seconds_and_are_kept_30_days() -> None:
    assert (POLICY.running, POLICY.running_per) == (2, "developer")
    assert (POLICY.limits.chat_seconds, POLICY.limits.judge_seconds) == (90, 30)
    assert not POLICY.limits.time_out_is_error
    assert POLICY.retention_days == 30


async def test_stops_at_the_console_door_are_30_a_minute_of_an_account_and_nothing_of_the_project_s_own(
    house: Any,
) -> None:
    clients: Clients = house.clients
    agent = await clients.agent()
    address = agent.removeprefix("/v2")
    test = await clients.test(agent, SMALL)
    run = (await clients.started(test)).removeprefix("/v2")
    house.web.clock.move(seconds=60 - house.web.clock.time.second)
    async with house.console() as console, house.console(house.viewer) as viewer:
        codes = [(await console.post(f"{run}/cancel")).status_code for _ in range(29)]
        assert codes == [200, *[409] * 28]
        assert (await console.post(f"{address}/test-runs/cancel-all")).status_code == 200
        refused = await console.post(f"{run}/cancel")
        assert sentence(refused, 429) == "More than 30 stops of this account in one minute: wait 60 seconds."
        assert refused.headers["Retry-After"] == "60"
        assert (await console.post(f"{address}/test-runs/cancel-all")).status_code == 429
        assert (await console.get(f"{address}/tests")).status_code == 200, "reading is not stopping"
        assert (await viewer.post(f"{run}/cancel")).status_code == 403, "everybody has stops of their own"
        assert (await clients.door.post(f"/v2{run}/cancel")).status_code == 409, "the machine door has no such limit"
        house.web.clock.move(seconds=60)
        assert (await console.post(f"{run}/cancel")).status_code == 409


async def test_the_machine_door_counts_against_the_project_s_requests_and_stops_at_the_console_do_not(
    house: Any,
) -> None:
    project_id = house.web.project_id
    context = house.web.context
    clients = await house.of_project(project_id)
    agent = await clients.agent()
    run = await clients.started(await clients.test(agent, SMALL))
    house.web.clock.move(seconds=60 - house.web.clock.time.second)
    await _set_rate(context, project_id, 3)
    try:
        codes = [(await clients.door.get(f"{agent}/tests")).status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        refused = await clients.door.get(run)
        assert sentence(refused, 429)
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        async with house.console() as console:
            assert (await console.get(run.removeprefix("/v2"))).status_code == 429
            assert (await console.post(f"{run.removeprefix('/v2')}/cancel")).status_code == 200
    finally:
        await _set_rate(context, project_id, None)
        house.web.clock.move(seconds=60)


async def _set_rate(context: Any, project_id: str, rate: int | None) -> None:
    async with context.database.writing() as session:
        row = await projects.read(session, project_id)
        assert row is not None
        row.requests_per_minute = rate


async def test_runs_are_deleted_after_30_days(house: Any) -> None:
    from greenroom.server.runs import service as runs

    clients: Clients = house.clients
    run = await clients.started(await clients.test(await clients.agent(), SMALL))
    await clients.door.post(f"{run}/cancel")
    now = house.web.clock.time
    context, run_id = house.web.context, run.rpartition("/")[2]
    assert run_id not in await runs.due_for_deletion(context, POLICY, now, 1000)
    assert run_id in await runs.due_for_deletion(context, POLICY, now + timedelta(seconds=1), 1000)


async def test_a_body_of_more_than_two_mebibytes_is_refused(house: Any) -> None:
    agent = await house.clients.agent()
    refused = await house.clients.door.post(f"{agent}/tests", content=b" " * (2 * 1024 * 1024 + 1))
    assert refused.status_code == 413
    assert "larger" in refused.json()["detail"]
