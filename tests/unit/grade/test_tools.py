"""Tool calls: which count, whether their arguments fit, in what order they ran, where the talk was handed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.grading import a_talk, tool_ran

from greenroom.grade.lines import Settled
from greenroom.grade.tools import (
    places_in_order,
    settle_calls_tool,
    settle_hands_off,
    settle_never_calls_tool,
    settle_tool_order,
)
from greenroom.model.checks import CallsTool, HandsOffTo, NeverCallsTool, ToolOrder
from greenroom.model.run import Line, Source


def calls(*lines: Line, **check: Any) -> Settled | None:
    return settle_calls_tool(CallsTool.model_validate({"tool": "book_slot", **check}), a_talk(*lines))


def passed(*lines: Line, **check: Any) -> bool | None:
    settled = calls(*lines, **check)
    assert settled is not None
    return settled.result.passed


def detail(*lines: Line, **check: Any) -> str:
    settled = calls(*lines, **check)
    assert settled is not None
    assert settled.result.passed is False
    return settled.result.detail


MONDAY = tool_ran("book_slot", {"day": "Monday", "time": "10:00"}, {"ok": True})
RAN: list[Source] = ["canned", "webhook", "mcp", "knowledge", "engine", "handoff", "recorded"]


@pytest.mark.parametrize("source", RAN)
def test_a_call_that_was_answered_counts(source: Source) -> None:
    assert passed(tool_ran("book_slot", source=source)) is True


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (tool_ran("book_slot", source="refused", reason="unknown_tool"), "was called, but refused (unknown tool)"),
        (
            tool_ran("book_slot", result={"error": "There is no tool book_slot."}, source="refused"),
            "refused (There is no tool book_slot)",
        ),
        (tool_ran("book_slot", "{", source="canned", reason="bad_arguments"), "its arguments were not valid"),
        (tool_ran("book_slot", source="planned"), "was only planned"),
        (tool_ran("book_slot", source="webhook", reason="blocked_address"), "its address is blocked"),
        (tool_ran("book_slot", from_history=True), "was never called; the agent called no tool"),
        (tool_ran("find_slot"), "was never called; the agent called `find_slot`"),
    ],
)
def test_a_call_that_did_not_run_does_not_count_and_the_detail_says_why(line: Line, words: str) -> None:
    assert words in detail(line)


def test_a_planned_call_counts_where_the_check_expects_it() -> None:
    assert passed(tool_ran("book_slot", {"day": "Monday"}, source="planned"), expect_planned=True) is True


def test_a_planned_call_with_broken_arguments_does_not_count() -> None:
    line = tool_ran("book_slot", "{", source="planned", reason="bad_arguments")
    assert passed(line, expect_planned=True) is False


def test_argument_names_must_be_present_and_not_null() -> None:
    assert passed(MONDAY, arguments=["day", "time"]) is True
    line = tool_ran("book_slot", {"day": None, "time": "10:00"})
    assert detail(line, arguments=["day", "time"]) == "`book_slot` ran 1 time, but without `day`."


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (" monday ", "Monday"),
        ("ﬁne", "FINE"),
        (3, 3.0),
        (3, "3"),
        ("3", 3),
        (0.1, "0.1"),
        (True, True),
        ([1, "a"], [1.0, "A"]),
        ({"a": 1}, {"a": 1, "b": 2}),
        (None, None),
        ("१०", "१०"),
    ],
)
def test_equal_values_in_any_writing_fit(wanted: Any, got: Any) -> None:
    assert passed(tool_ran("book_slot", {"value": got, "more": 1}), arguments={"value": wanted}) is True


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("Monday", "Sunday"),
        (3, 4),
        (True, 1),
        (1, True),
        ([1], [1, 2]),
        ({"a": 1}, {"b": 1}),
        (3, "three"),
        ("x", None),
    ],
)
def test_other_values_do_not_fit(wanted: Any, got: Any) -> None:
    assert passed(tool_ran("book_slot", {"value": got}), arguments={"value": wanted}) is False


def test_an_expected_null_takes_an_absent_argument() -> None:
    assert passed(tool_ran("book_slot", {}), arguments={"note": None}) is True


def test_the_detail_of_a_wrong_value_shows_both() -> None:
    line = tool_ran("book_slot", {"day": "Sunday"})
    assert detail(line, arguments={"day": "Monday"}) == "`book_slot` ran 1 time, but with `day` “Sunday”, not “Monday”."


def test_the_detail_is_about_the_call_that_comes_nearest() -> None:
    far = tool_ran("book_slot", {"day": "Sunday", "time": "9:00"}, turn=1)
    near = tool_ran("book_slot", {"day": "Monday", "time": "9:00"}, turn=2)
    settled = calls(far, near, arguments={"day": "Monday", "time": "10:00"})
    assert settled is not None
    assert (settled.result.turn, settled.result.line) == (2, 1)
    assert "`time` “9:00”, not “10:00”" in settled.result.detail


def test_one_fitting_call_among_others_is_enough() -> None:
    assert passed(tool_ran("book_slot", {"day": "Sunday"}), MONDAY, arguments={"day": "monday"}) is True


@pytest.mark.parametrize(("times", "holds"), [(0, False), (1, False), (2, True), (3, False)])
def test_times_is_exact(times: int, holds: bool) -> None:
    assert passed(MONDAY, MONDAY, times=times) is holds


def test_times_counts_only_calls_whose_arguments_fit() -> None:
    other = tool_ran("book_slot", {"day": "Sunday"})
    assert passed(MONDAY, other, arguments={"day": "Monday"}, times=1) is True
    assert passed(other, arguments={"day": "Monday"}, times=0) is True
    assert detail(MONDAY, MONDAY, times=1) == "`book_slot` ran 2 times, not 1 time."


def test_too_few_fitting_calls_are_counted_in_the_detail() -> None:
    assert detail(MONDAY, arguments={"day": "Monday"}, times=2) == "`book_slot` ran 1 time like that, not 2 times."
    other = tool_ran("book_slot", {"day": "Sunday"})
    assert "(2 times wanted, 1 fit)" in detail(MONDAY, other, arguments={"day": "Monday"}, times=2)


def test_times_zero_holds_for_a_tool_that_was_never_called() -> None:
    assert passed(times=0) is True


@pytest.mark.parametrize(
    ("pattern", "got", "fits"),
    [
        (r"^mon", "Monday", True),
        (r"^\d+$", 42, True),
        (r"^sun", "Monday", False),
        (r"x", None, False),
        (r"\"a\": 1", {"a": 1}, True),
    ],
)
def test_patterns_are_searched_in_the_text_of_a_value(pattern: str, got: Any, fits: bool) -> None:
    assert passed(tool_ran("book_slot", {"day": got}), arguments={"day": pattern}, match="regex") is fits


def test_a_broken_pattern_is_not_graded() -> None:
    settled = calls(MONDAY, arguments={"day": "("}, match="regex")
    assert settled is not None
    assert settled.result.passed is None
    assert settled.error is not None


def test_by_meaning_asks_nobody_where_values_are_equal_already() -> None:
    assert passed(MONDAY, arguments={"day": "monday"}, match="judge") is True


def test_by_meaning_asks_nobody_where_the_tool_did_not_run_or_lacks_an_argument() -> None:
    assert passed(arguments={"day": "Monday"}, match="judge") is False
    assert "without `note`" in detail(MONDAY, arguments={"note": "urgent"}, match="judge")


def test_by_meaning_leaves_only_the_meaning_to_the_judge() -> None:
    assert calls(MONDAY, arguments={"day": "the first day of the week"}, match="judge") is None


@pytest.mark.parametrize(
    ("times", "holds"),
    [(0, False), (1, True), (2, False)],
)
def test_by_meaning_with_times_asks_nobody_where_counting_settles_it(times: int, holds: bool) -> None:
    assert passed(MONDAY, arguments={"day": "Monday"}, match="judge", times=times) is holds


def test_by_meaning_with_times_is_open_while_other_calls_may_mean_the_same() -> None:
    other = tool_ran("book_slot", {"day": "the day after Sunday"})
    assert calls(MONDAY, other, arguments={"day": "Monday"}, match="judge", times=1) is None


def test_by_meaning_with_names_alone_needs_no_judge() -> None:
    assert passed(MONDAY, arguments=["day"], match="judge") is True


def test_never_calls_tool_fails_only_when_it_ran() -> None:
    check = NeverCallsTool(tool="book_slot")
    assert settle_never_calls_tool(check, a_talk(MONDAY)).result.passed is False
    refused = settle_never_calls_tool(check, a_talk(tool_ran("book_slot", source="refused"))).result
    assert refused.passed is True
    assert "never ran" in refused.detail
    assert settle_never_calls_tool(check, a_talk()).result.passed is True


def test_tool_order_lets_others_stand_between() -> None:
    talk = a_talk(tool_ran("find"), tool_ran("log"), tool_ran("book"), tool_ran("skip", source="refused"))
    assert settle_tool_order(ToolOrder(tools=["find", "book"]), talk).result.passed is True
    result = settle_tool_order(ToolOrder(tools=["book", "find"]), talk).result
    assert result.passed is False
    assert result.detail == "`find` did not run after `book`; the tools that ran: `find` → `log` → `book`."
    assert settle_tool_order(ToolOrder(tools=["find", "skip"]), talk).result.passed is False


names = st.sampled_from(["a", "b", "c"])


@given(st.lists(names, max_size=8), st.data())
def test_every_subsequence_of_the_tools_that_ran_is_in_order(order: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    wanted = [name for name, keep in zip(order, kept, strict=True) if keep]
    assert len(places_in_order(wanted, order)) == len(wanted)


@given(st.lists(names, max_size=5), st.lists(names, max_size=8))
def test_places_in_order_are_true_and_rising(wanted: list[str], order: list[str]) -> None:
    places = places_in_order(wanted, order)
    assert places == sorted(set(places))
    assert [order[place] for place in places] == wanted[: len(places)]


MOVED = tool_ran(
    "hand_off_to_agent", {"agent": "billing"}, {"agent": "Billing Desk", "agent_id": "agt_2"}, source="handoff"
)


@pytest.mark.parametrize("agent", ["Billing Desk", "billing desk", " BILLING ", "agt_2"])
def test_hands_off_to_knows_the_target_by_name_and_id(agent: str) -> None:
    assert settle_hands_off(HandsOffTo(agent=agent), a_talk(MOVED)).result.passed is True


def test_hands_off_to_says_where_the_talk_went_instead() -> None:
    result = settle_hands_off(HandsOffTo(agent="Sales"), a_talk(MOVED)).result
    assert (result.passed, result.detail) == (False, "The talk moved to `Billing Desk`, not to `Sales`.")


def test_a_refused_hand_off_does_not_count_and_the_reason_is_shown() -> None:
    refused = tool_ran(
        "hand_off_to_agent",
        {"agent": "Sales"},
        {"error": "Sales is switched off."},
        source="refused",
        reason="not_allowed",
    )
    result = settle_hands_off(HandsOffTo(agent="Sales"), a_talk(refused)).result
    assert result.passed is False
    assert "Sales is switched off" in result.detail


def test_no_hand_off_at_all_is_said_so() -> None:
    assert "never handed" in settle_hands_off(HandsOffTo(agent="Sales"), a_talk()).result.detail
