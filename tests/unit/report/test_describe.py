from __future__ import annotations

import pytest
from pydantic import TypeAdapter
from tests.support.runs import a_run

from greenroom.model.checks import Check
from greenroom.model.run import ToolLine
from greenroom.report.describe import describe_call, describe_check, describe_end, describe_source

CHECK: TypeAdapter[Check] = TypeAdapter(Check)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"type": "says", "text": "Monday"}, 'says "Monday"'),
        ({"type": "never_says", "text": "a\n b", "where": "last"}, 'never_says "a b" in the last line'),
        ({"type": "matches", "pattern": r"\d+"}, r"matches /\d+/"),
        ({"type": "calls_tool", "tool": "book_slot"}, "calls_tool book_slot"),
        ({"type": "calls_tool", "tool": "book", "arguments": ["day", "time"]}, "calls_tool book(day, time)"),
        (
            {"type": "calls_tool", "tool": "book", "arguments": {"day": "Mon"}, "times": 1},
            'calls_tool book(day: "Mon") once',
        ),
        (
            {"type": "calls_tool", "tool": "b", "times": 3, "expect_planned": True},
            "calls_tool b 3 times (planned counts)",
        ),
        ({"type": "never_calls_tool", "tool": "refund"}, "never_calls_tool refund"),
        ({"type": "tool_order", "tools": ["find", "book"]}, "tool_order find, book"),
        ({"type": "ends_call"}, "ends_call"),
        ({"type": "ended_by", "any_of": ["transferred", "agent_hung_up"]}, "ended_by transferred or agent_hung_up"),
        ({"type": "hands_off_to", "agent": "Billing"}, "hands_off_to Billing"),
        ({"type": "grounded"}, "grounded"),
        ({"type": "components", "all_of": ["link", "booking"]}, "components all of: link, booking"),
        ({"type": "max_words", "max": 40}, "max_words 40"),
        ({"type": "language", "code": "hi"}, "language hi"),
        ({"type": "judge", "question": "Was it polite?"}, 'judge "Was it polite?"'),
        ({"type": "criterion", "text": "Stays calm"}, 'criterion "Stays calm"'),
        ({"type": "reply_meets", "criteria": "Names a day"}, 'reply_meets "Names a day"'),
    ],
)
def test_a_check_reads_as_it_is_written_in_a_file(check: dict[str, object], words: str) -> None:
    assert describe_check(CHECK.validate_python(check)) == words


def a_call(**fields: object) -> ToolLine:
    return ToolLine.model_validate({"turn": 1, "agent": "A", "name": "book", "source": "canned", **fields})


def test_a_call_shows_its_arguments_by_name() -> None:
    assert describe_call(a_call(arguments={"day": "Monday", "count": 2})) == 'book(day: "Monday", count: 2)'


def test_arguments_that_were_no_json_show_as_the_model_wrote_them() -> None:
    assert describe_call(a_call(arguments='{"day": Mon', source="refused")) == 'book("{\\"day\\": Mon")'


def test_a_call_without_arguments_has_empty_parentheses() -> None:
    assert describe_call(a_call()) == "book()"


def test_long_arguments_are_cut() -> None:
    assert len(describe_call(a_call(arguments={"a": "x" * 90, "b": "y" * 90, "c": "z" * 90}))) < 180


def test_a_failed_call_says_who_answered_and_why_it_failed() -> None:
    assert describe_source(a_call(source="webhook", reason="bad_status", latency_ms=31)) == "webhook, bad status, 31 ms"


def test_the_end_of_a_run_reads_as_a_clause_with_its_detail() -> None:
    assert describe_end(a_run(ended_by="transferred", end_detail="the front desk")) == (
        "the call was transferred (the front desk)"
    )
    assert describe_end(a_run("running", ended_by=None)) == "running"
