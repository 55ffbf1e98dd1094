"""How the talk ended and how long it took."""

from __future__ import annotations

import pytest
from tests.support.grading import a_talk, agent_says, caller_says

from greenroom.grade.ends import settle_ended_by, settle_ends_call, settle_max_latency, settle_max_turns
from greenroom.model.checks import EndedBy, EndedByCheck, EndsCall, MaxLatency, MaxTurnsUsed


@pytest.mark.parametrize(("ended_by", "passed"), [("agent_hung_up", True), ("caller_hung_up", False)])
def test_ends_call_holds_when_the_agent_hung_up_itself(ended_by: EndedBy, passed: bool) -> None:
    assert settle_ends_call(EndsCall(), a_talk(agent_says("Bye."), ended_by=ended_by)).result.passed is passed


def test_ends_call_says_how_the_talk_ended_instead() -> None:
    result = settle_ends_call(EndsCall(), a_talk(ended_by="turns_ran_out")).result
    assert result.detail == "The agent did not hang up: the turns ran out."


def test_ended_by_takes_any_of_the_ways() -> None:
    check = EndedByCheck(any_of=["transferred", "rescheduled"])
    assert settle_ended_by(check, a_talk(ended_by="rescheduled")).result.passed is True
    result = settle_ended_by(check, a_talk(ended_by="replied")).result
    assert result.passed is False
    assert result.detail.endswith("not with `transferred` or `rescheduled`.")


def test_max_turns_counts_caller_lines_of_the_talk_itself() -> None:
    talk = a_talk(caller_says("a", from_history=True), caller_says("b"), caller_says("c", turn=2))
    assert settle_max_turns(MaxTurnsUsed(max=2), talk).result.passed is True
    result = settle_max_turns(MaxTurnsUsed(max=1), talk).result
    assert (result.passed, result.detail) == (False, "The talk took 2 caller turns, more than 1.")


def test_max_latency_names_the_slowest_reply() -> None:
    talk = a_talk(agent_says("Hello."), agent_says("Well.", turn=2, latency_ms=1200), agent_says("Ok.", latency_ms=90))
    result = settle_max_latency(MaxLatency(max=1000), talk).result
    assert (result.passed, result.line, result.turn) == (False, 1, 2)
    assert result.detail == "A reply took 1200 ms, more than 1000: “Well.”"
    assert settle_max_latency(MaxLatency(max=1200), talk).result.passed is True


def test_max_latency_holds_where_nothing_was_timed() -> None:
    assert settle_max_latency(MaxLatency(max=1), a_talk(agent_says("Hello."))).result.passed is True
