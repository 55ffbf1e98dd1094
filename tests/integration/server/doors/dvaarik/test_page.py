"""The page from top to bottom: each request as it is shown there, and what it promises of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest
import pytest_asyncio
from tests.support.dvaarik_door import BOOK_SLOT, SCRIPT, TEST, Clients, sentence

pytestmark = pytest.mark.asyncio(loop_scope="module")

BACKUP = [{"when": "change my booking", "say": "Monday it is, says the backup."}, {"say": "Goodbye.", "hang_up": True}]
AGENT: dict[str, Any] = {
    "name": "Northline",
    "prompt": "You book visits for {{company}}.",
    "greeting": "{{company}}, hello.",
    "can_end_call": True,
    "tools": [BOOK_SLOT],
    "llm": {"model": "scripted:desk", "script": SCRIPT},
    "llm_fallback": {"model": "scripted:backup", "script": BACKUP},
}
TEXT, NUMBER, SWITCH, MOMENT = str, int, bool, datetime
# Every field of a run in a list, and what it is; the second says whether it may be null.
SHORT: Mapping[str, tuple[type, bool]] = {
    "id": (TEXT, False),
    "agent_id": (TEXT, False),
    "test_id": (TEXT, False),
    "test_name": (TEXT, False),
    "status": (TEXT, False),
    "ended_by": (TEXT, True),
    "detail": (TEXT, True),
    "error": (TEXT, True),
    "passed_checks": (NUMBER, False),
    "total_checks": (NUMBER, False),
    "input_tokens": (NUMBER, False),
    "output_tokens": (NUMBER, False),
    "provider": (TEXT, False),
    "model": (TEXT, False),
    "agent_version": (NUMBER, False),
    "overrides_used": (SWITCH, False),
    "force_primary_failure": (SWITCH, False),
    "cancel_requested_at": (MOMENT, True),
    "created_at": (MOMENT, False),
    "started_at": (MOMENT, True),
    "finished_at": (MOMENT, True),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def agent(clients: Clients) -> str:
    return await clients.agent(AGENT)


def check_fields(run: Mapping[str, Any], more: set[str] = frozenset()) -> None:  # pyright: ignore[reportArgumentType] - an empty set
    """Make sure that a run has exactly the fields of a run, each of its type."""
    assert run.keys() == SHORT.keys() | more
    for name, (kind, may_be_null) in SHORT.items():
        value = run[name]
        if value is None:
            assert may_be_null, name
        elif kind is datetime:
            assert datetime.fromisoformat(value).tzinfo is not None, name
        else:
            assert type(value) is kind, name


async def test_a_test_is_saved_run_and_read(clients: Clients, agent: str) -> None:
    # 1. Save a test
    saved = await clients.door.post(f"{agent}/tests", json=TEST)
    assert saved.status_code == 201
    test = saved.json()
    assert {name: test[name] for name in TEST} == TEST
    assert test["id"]

    # 2. Run it
    queued = await clients.door.post(f"{agent}/tests/{test['id']}/run")
    assert queued.status_code == 202
    assert list(queued.json()) == ["runs"]
    [run] = queued.json()["runs"]
    check_fields(run)
    assert (run["status"], run["ended_by"], run["test_id"]) == ("queued", None, test["id"])

    # 3. Ask until it is over
    whole = await clients.over(f"{agent}/test-runs/{run['id']}")
    check_fields(whole, {"transcript", "check_results", "warnings"})
    assert (whole["status"], whole["ended_by"], whole["error"]) == ("passed", "agent_hung_up", None)
    assert (whole["passed_checks"], whole["total_checks"]) == (4, 4)
    assert whole["input_tokens"] > 0
    assert whole["output_tokens"] > 0
    assert (whole["provider"], whole["model"], whole["agent_version"]) == ("scripted", "desk", 1)
    assert (whole["overrides_used"], whole["force_primary_failure"]) == (False, False)
    assert whole["cancel_requested_at"] is None
    assert whole["transcript"] == [
        agent_line(0, "Northline Dental, hello."),
        caller_line(1, "Hi, I need to change my booking."),
        {
            "role": "tool",
            "turn": 1,
            "agent": "Northline",
            "name": "book_slot",
            "arguments": {"day": "Monday"},
            "result": {"ok": True, "slot": "Monday 10:00"},
            "source": "canned",
        },
        agent_line(1, "You are booked for Monday at ten."),
        caller_line(2, "Thank you."),
        agent_line(2, "Goodbye."),
        {
            "role": "tool",
            "turn": 2,
            "agent": "Northline",
            "name": "end_call",
            "arguments": {},
            "result": {"ok": True},
            "source": "engine",
        },
    ]
    for written, result in zip(TEST["checks"], whole["check_results"], strict=True):
        assert result == {**written, "passed": True, "detail": result["detail"]}
        assert result["detail"]
        assert "\n" not in result["detail"]
    assert whole["check_results"][3]["detail"] == "It said Monday at ten."

    # The test with its last run, and the runs of the agent
    [listed] = (await clients.door.get(f"{agent}/tests")).json()["tests"]
    check_fields(listed["last_run"])
    assert listed["last_run"] == {name: whole[name] for name in SHORT}
    for query in ("", f"?test_id={test['id']}"):
        [short] = (await clients.door.get(f"{agent}/test-runs{query}")).json()["runs"]
        assert short == listed["last_run"]

    # Stop it, too late
    stopped = await clients.door.post(f"{agent}/test-runs/{run['id']}/cancel")
    assert sentence(stopped, 409) == "This test run has already finished (passed), so there is nothing to stop."


async def test_changes_are_tried_before_they_are_saved(clients: Clients, agent: str) -> None:
    prompt = "You book visits for {{company}}. Always read the time back."
    started = await clients.door.post(f"{agent}/tests/run-all", json={"overrides": {"prompt": prompt}})
    assert started.status_code == 202
    runs = started.json()["runs"]
    assert runs
    for run in runs:
        check_fields(run)
        assert run["overrides_used"] is True
        over = await clients.over(f"{agent}/test-runs/{run['id']}")
        assert (over["status"], over["overrides_used"], over["agent_version"]) == ("passed", True, 1)
    native = (await clients.native.get(f"/v1/agents/{agent.rpartition('/')[2]}")).json()
    assert (native["prompt"], native["version"]) == (AGENT["prompt"], 1)


async def test_the_backup_brain_is_rehearsed(clients: Clients, agent: str) -> None:
    started = await clients.door.post(f"{agent}/tests/run-all", json={"force_primary_failure": True})
    assert started.status_code == 202
    [run] = started.json()["runs"]
    over = await clients.over(f"{agent}/test-runs/{run['id']}")
    assert over["force_primary_failure"] is True
    assert (over["provider"], over["model"]) == ("scripted", "desk"), "the main brain"
    spoken = [(line["text"], line["fallback"]) for line in over["transcript"] if line["role"] == "agent"]
    assert spoken == [
        ("Northline Dental, hello.", False),
        ("Monday it is, says the backup.", True),
        ("Goodbye.", True),
    ]
    assert [line["text"] for line in over["transcript"] if line["role"] == "caller"][1] == "Thank you."
    assert over["check_results"][3]["passed"] is True, "the judge is the main brain"


async def test_a_run_that_waits_is_stopped_before_anything_was_asked(clients: Clients) -> None:
    # Two play at once: whoever is behind six others waits.
    agent = await clients.agent(AGENT, name="Busy")
    tests = [await clients.test(agent) for _ in range(6)]
    runs = (await clients.door.post(f"{agent}/tests/run-all")).json()["runs"]
    last = f"{agent}/test-runs/{runs[-1]['id']}"
    answer = await clients.door.post(f"{last}/cancel")
    assert answer.status_code == 200
    stopped = answer.json()
    assert (stopped["status"], stopped["ended_by"], stopped["input_tokens"]) == ("cancelled", "stopped", 0)
    for run in runs[:-1]:
        assert (await clients.over(f"{agent}/test-runs/{run['id']}"))["status"] == "passed"
    assert (await clients.over(last))["status"] == "cancelled"
    assert len(tests) == 6


def agent_line(turn: int, text: str) -> dict[str, Any]:
    return {"role": "agent", "turn": turn, "agent": "Northline", "text": text, "truncated": False, "fallback": False}


def caller_line(turn: int, text: str) -> dict[str, Any]:
    return {"role": "caller", "turn": turn, "text": text, "truncated": False}
