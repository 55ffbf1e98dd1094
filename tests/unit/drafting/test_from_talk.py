"""Tests made of talks, without a model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.talks import make_agent, make_test, play

from greenroom.drafting.from_talk import free_name, lines_of, prepare, reply_of, script_of, suggested_checks
from greenroom.drafting.transcript import read_transcript
from greenroom.model.errors import UserMistake
from greenroom.model.run import AgentLine, CallerLine, Line, ToolLine

BOOK = {"name": "book_slot", "parameters": {"type": "object", "properties": {"day": {"type": "string"}}}}


def called(result: Any = True, arguments: Any = None, name: str = "book_slot", **fields: Any) -> ToolLine:
    values: dict[str, Any] = {"turn": 1, "agent": "Front desk", "source": "canned", "arguments": arguments or {}}
    return ToolLine(name=name, result=result, **{**values, **fields})


def a_talk(*tools: ToolLine) -> list[Line]:
    return [
        AgentLine(turn=0, agent="Front desk", text="Front desk, hello."),
        CallerLine(turn=1, text="I need Monday."),
        *tools,
        AgentLine(turn=1, agent="Front desk", text="Done."),
        CallerLine(turn=2, text="Thanks, bye."),
        called(name="end_call", source="engine", turn=2),
        AgentLine(turn=2, agent="Front desk", text="Bye."),
    ]


def test_a_script_says_what_the_caller_said_and_its_tools_answer_as_they_did() -> None:
    test = script_of(a_talk(called({"ok": True, "slot": "10:00"}, {"day": "Monday"})))
    assert test.name == "I need Monday."
    assert [message.text for message in test.caller.messages or ()] == ["I need Monday.", "Thanks, bye."]
    assert test.tool_results == {"book_slot": {"ok": True, "slot": "10:00"}}
    assert test.tool_mocks == []


def test_a_reply_test_has_the_talk_before_it_and_only_its_own_tools() -> None:
    test = reply_of(
        [*a_talk(called("early")), CallerLine(turn=3, text="One more."), called("late", turn=3)], (), "More"
    )
    history = [(line.role, line.text) for line in test.caller.history or ()]
    assert history[0] == ("agent", "Front desk, hello.")
    assert history[-1] == ("caller", "One more.")
    assert test.name == "More"
    assert test.tool_results == {"book_slot": "late"}


@pytest.mark.parametrize("make", [script_of, reply_of])
def test_a_talk_in_which_the_caller_said_nothing_makes_no_test(make: Any) -> None:
    with pytest.raises(UserMistake, match="said nothing yet"):
        make([AgentLine(turn=0, agent="Front desk", text="Hello?")])


def test_what_speech_noise_changed_is_saved_as_it_was_said() -> None:
    test = script_of([CallerLine(turn=1, text="i need to Monday", said="I need two, Monday.")])
    assert [message.text for message in test.caller.messages or ()] == ["I need two, Monday."]


def test_different_arguments_with_different_answers_become_mocks_the_more_exact_first() -> None:
    prepared = prepare([called("free", {}), called("taken", {"day": "Monday"}), called("taken", {"day": "Monday"})], ())
    assert [(mock.when, mock.times, mock.result) for mock in prepared.mocks] == [
        ({"day": "Monday"}, None, "taken"),
        ({}, None, "free"),
    ]


def test_the_same_arguments_with_different_answers_become_mocks_in_order() -> None:
    prepared = prepare([called(result, {"day": "Monday"}) for result in ("wait", "wait", "done")], ())
    assert [(mock.when, mock.times, mock.result) for mock in prepared.mocks] == [
        ({}, 1, "wait"),
        ({}, 1, "wait"),
        ({}, None, "done"),
    ]


def test_failures_are_prepared_as_failures() -> None:
    prepared = prepare(
        [
            called({"error": "It did not answer."}, name="a", reason="timeout"),
            called({"error": "No such day."}, name="b", reason="tool_error"),
            called({"status": 404}, name="c", reason="bad_status", source="webhook"),
        ],
        (),
    )
    assert prepared.results == {}
    assert [(mock.tool, mock.timeout, mock.error) for mock in prepared.mocks] == [
        ("a", True, None),
        ("b", False, "No such day."),
        ("c", False, '{"status": 404}'),
    ]


def test_the_answer_of_an_http_tool_is_prepared_without_the_status_around_it() -> None:
    tool = {"name": "look_up", "http": {"url": "http://127.0.0.1/"}}
    agent = make_agent(tools=[tool, BOOK])
    line = called({"status": 200, "result": {"free": 2}}, name="look_up", source="webhook")
    same = called({"status": 200, "result": {"free": 2}})
    assert prepare([line, same], [agent]).results == {
        "look_up": {"free": 2},
        "book_slot": {"status": 200, "result": {"free": 2}},
    }


@pytest.mark.parametrize("fields", [{"source": "engine"}, {"source": "refused"}, {"reason": "bad_arguments"}])
def test_what_no_test_could_answer_is_not_prepared(fields: dict[str, Any]) -> None:
    prepared = prepare([called(**fields)], ())
    assert prepared.results == {}
    assert prepared.mocks == []


def test_a_dry_run_is_saved_as_one() -> None:
    lines = a_talk(called(None, {"day": "Monday"}, source="planned"))
    assert script_of(lines).tools == "plan"
    (planned, _) = suggested_checks(lines)
    assert planned.model_dump(exclude_unset=True) == {
        "tool": "book_slot",
        "arguments": ["day"],
        "expect_planned": True,
    }


def test_checks_are_suggested_for_what_ran_once_each_and_for_how_it_ended() -> None:
    lines = a_talk(
        called(arguments={"day": "Monday", "time": None}),
        called(arguments={"day": "Tuesday"}),
        called(name="no_such", source="refused", reason="unknown_tool"),
        called(name="remember", source="engine"),
        called({"ok": True, "agent": "Billing"}, name="hand_off_to_agent", source="handoff"),
    )
    assert [check.model_dump(exclude_unset=True) for check in suggested_checks(lines)] == [
        {"tool": "book_slot", "arguments": ["day"]},
        {"agent": "Billing"},
        {},
    ]
    assert [check.type for check in suggested_checks(lines)] == ["calls_tool", "hands_off_to", "ends_call"]


async def test_a_saved_test_passes_when_the_agent_does_the_same_again() -> None:
    script: list[dict[str, Any]] = [
        {"when": {"tool": "book_slot"}, "say": "Booked."},
        {"when": "monday", "call": {"tool": "book_slot", "arguments": {"day": "Monday"}}},
        {"when": "bye", "say": "Bye!", "hang_up": True},
    ]
    agent = make_agent(script, tools=[BOOK], can_end_call=True)
    mocks = [{"tool": "book_slot", "when": {"day": "Monday"}, "result": {"ok": True}}]
    played = await play(agent, make_test("Monday please", "bye", tool_mocks=mocks))
    saved = script_of(played.run.transcript, [agent])
    saved = saved.model_copy(update={"checks": suggested_checks(played.run.transcript)})
    again = await play(agent, saved)
    assert again.run.status == "passed"
    assert again.run.transcript == played.run.transcript


def test_a_real_call_becomes_the_lines_of_a_talk() -> None:
    lines = lines_of(read_transcript("Agent: Hi.\nCaller: Book it.\nAgent: Done.\nCaller: Bye."), "Desk")
    assert [(line.role, line.turn) for line in lines] == [("agent", 0), ("caller", 1), ("agent", 1), ("caller", 2)]


@given(st.lists(st.sampled_from(["A", "A (2)", "A (3)", "B"]), max_size=6))
def test_a_free_name_is_never_taken_and_starts_with_the_wish(taken: list[str]) -> None:
    found = free_name("A", taken)
    assert found not in taken
    assert found.startswith("A")
    assert (found == "A") == ("A" not in taken)
