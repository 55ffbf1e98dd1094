"""How a foreign file is read so that nothing of it is lost silently."""

from __future__ import annotations

import pytest

from greenroom.importers.checks import in_order, literal, one_of, parsed
from greenroom.importers.source import Fields, Notes, written
from greenroom.importers.templates import rendered
from greenroom.model.case import ToolMock
from greenroom.model.patterns import found


def _said(notes: Notes) -> list[str]:
    notes.close()
    return [str(entry) for entry in notes.listed()]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), "the file"),
        (("tests", 2, "assert", 0), "tests[2].assert[0]"),
        ((3, "name"), "[3].name"),
        (("line 4", "messages", 0), "line 4: messages[0]"),
        (("two\nlines",), "two lines"),
    ],
)
def test_a_path_is_written_as_people_write_it(path: tuple[str | int, ...], text: str) -> None:
    assert written(path) == text


def test_a_field_that_nobody_asks_for_is_listed() -> None:
    notes = Notes()
    fields = Fields({"name": "A", "color": "red", "nothing": None, "empty": []}, ("tests", 0), notes)

    assert fields.text("name") == "A"
    assert _said(notes) == ["tests[0].color: `color`: Greenroom has no counterpart for it"]


@pytest.mark.parametrize("name", ["max_turns", "maxTurns"])
def test_a_field_is_found_in_snake_case_and_in_camel_case(name: str) -> None:
    notes = Notes()

    assert Fields({name: 3}, (), notes).whole("max_turns") == 3
    assert Fields({name: 3}, (), notes).whole("maxTurns") == 3
    assert _said(notes) == []


def test_a_value_of_another_kind_is_listed_and_counts_as_absent() -> None:
    notes = Notes()
    fields = Fields({"a": [1], "b": "x", "c": 1.5, "d": 1, "e": "text"}, (), notes)

    assert fields.text("a") is None
    assert fields.flag("b") is None
    assert fields.whole("c") is None
    assert fields.child("d") is None
    assert fields.children("e") == []
    assert _said(notes) == [
        "a: `a`: it is a list, where text is expected",
        "b: `b`: it is text, where true or false is expected",
        "c: `c`: it is a number, where a whole number is expected",
        "d: `d`: it is a number, where an object is expected",
        "e: this item: it is text, where an object is expected",
    ]


def test_the_same_at_places_that_differ_by_number_is_told_once_with_how_often() -> None:
    notes = Notes()
    for index in range(3):
        Fields({"at": 1}, ("lines", index), notes).drop("at", "lines have no times")
    notes.add(("lines", 0, "at"), "`at`", "lines have no times")

    assert _said(notes) == ["lines[0].at: `at` (3 times): lines have no times"]


def test_a_field_that_is_dropped_after_it_was_taken_is_not_listed() -> None:
    notes = Notes()
    fields = Fields({"a": 1}, (), notes)
    fields.take("a")
    fields.drop("a", "never")

    assert _said(notes) == []


def test_variables_are_single_values() -> None:
    notes = Notes()
    fields = Fields({"vars": {"a": 1, "b": True, "c": None, "d": {"e": 1}}}, (), notes)

    assert fields.scalars("vars") == {"a": "1", "b": "true"}
    assert _said(notes) == ["vars.d: `d`: a variable is a single value, and this is an object"]


@pytest.mark.parametrize("text", ["a.b (c)?", "x|y", "[z]", "50 $ + 3^2", "\\d{2}", "ö_ä", "two  spaces\nand a line"])
def test_a_text_is_found_as_it_is_by_its_pattern(text: str) -> None:
    assert found(literal(text), f"so: {text}!")
    assert found(one_of(["other", text]), text)


def test_capitals_count_in_a_literal_pattern_unless_they_should_not() -> None:
    assert not found(literal("Yes"), "yes")
    assert found(one_of(["Yes"], any_capitals=True), "yes")


@pytest.mark.parametrize(("text", "value"), [('{"a": 1}', {"a": 1}), ("[1]", [1]), ("4", "4"), ("{oops", "{oops")])
def test_json_objects_and_lists_in_a_text_are_read_and_all_else_is_text(text: str, value: object) -> None:
    assert parsed(text) == value


def test_answers_in_a_row_are_counted_before_the_next_one_comes() -> None:
    first, second = ToolMock(tool="f", result=1), ToolMock(tool="f", result=2)
    other = ToolMock(tool="g", result=1)

    assert in_order([first, first, second, other]) == [first.model_copy(update={"times": 2}), second, other]


def test_variables_are_filled_in_once_and_what_is_more_is_listed() -> None:
    notes = Notes()

    assert rendered("{{a}} and {{ b }} and {{c}}", {"a": "{{b}}", "b": "2"}, notes, ("x",)) == "{{b}} and 2 and {{c}}"
    assert _said(notes) == []
    rendered("{% if a %}{{ a | upper }}", {}, notes, ("x",))
    assert len(_said(notes)) == 1
