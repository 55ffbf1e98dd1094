"""What the door `dvaarik` makes of runs: its six ends, its seven sources, and its words for what was not graded."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from greenroom.model.checks import EndedBy
from greenroom.model.run import Source
from greenroom.server.doors.dvaarik import answers
from greenroom.server.doors.dvaarik.mapping import told_run, told_whole_run
from greenroom.server.runs.store import RunRow
from greenroom.server.runs.telling import in_short

ENDS = {
    "agent_hung_up": "agent_hung_up",
    "caller_hung_up": "caller_hung_up",
    "turns_ran_out": "turns_ran_out",
    "time_ran_out": "turns_ran_out",
    "transferred": "transferred",
    "rescheduled": "agent_hung_up",
    "script_ended": "turns_ran_out",
    "replied": "turns_ran_out",
    "error": "error",
    "stopped": "stopped",
}
SOURCES = {
    "canned": "canned",
    "webhook": "webhook",
    "mcp": "mcp",
    "knowledge": "knowledge",
    "engine": "engine",
    "handoff": "handoff",
    "recorded": "engine",
    "planned": "refused",
    "refused": "refused",
}


def a_run(**more: Any) -> dict[str, Any]:
    """A run as the room of runs tells it."""
    row = RunRow(id="run_1", agent_id="agt_1", test="Quick", status="passed", cost=0, charged=0)
    return {**in_short(row), "transcript": [], "checks": [], "warnings": [], **more}


def test_every_way_to_end_has_its_word_at_this_door() -> None:
    assert ENDS.keys() == set(get_args(EndedBy))
    told = {ended_by: told_run(a_run(ended_by=ended_by))["ended_by"] for ended_by in ENDS}
    assert told == ENDS
    assert set(told.values()) == set(get_args(answers.EndedBy))
    assert told_run(a_run())["ended_by"] is None


def test_only_a_run_whose_time_was_up_says_so() -> None:
    run = a_run(ended_by="time_ran_out", end_detail="the talk stopped after 90 seconds")
    assert told_run(run)["detail"] == "The time was up: the talk stopped after 90 seconds."
    assert told_run(a_run(ended_by="turns_ran_out"))["detail"] is None


def test_every_source_has_its_word_at_this_door() -> None:
    assert SOURCES.keys() == set(get_args(Source))
    lines = [
        {"role": "tool", "turn": 1, "agent": "Desk", "name": "x", "arguments": {}, "result": 1, "reason": None}
        | {"source": source}
        for source in SOURCES
    ]
    told = [line["source"] for line in told_whole_run(a_run(transcript=lines))["transcript"]]
    assert told == list(SOURCES.values())
    assert set(told) == set(get_args(answers.Source))


@pytest.mark.parametrize(
    ("status", "detail"),
    [
        ("queued", "Not graded yet."),
        ("running", "Not graded yet."),
        ("cancelled", "Not graded: the run was stopped first."),
        ("error", "Not graded: the run could not finish."),
    ],
)
def test_a_check_that_was_not_graded_says_why(status: str, detail: str) -> None:
    check = {
        "check": {"type": "says", "text": "Monday", "required": True, "where": "any"},
        "passed": None,
        "detail": "",
    }
    [told] = told_whole_run(a_run(status=status, checks=[check]))["check_results"]
    assert told == {"type": "says", "text": "Monday", "passed": None, "detail": detail}
