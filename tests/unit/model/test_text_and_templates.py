"""Normal forms, templates and values."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.templates import render
from greenroom.model.text import cut, fold, is_speakable, speakable, without_thinking, words
from greenroom.model.values import same_value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Monday", "m o n d a y"),
        ("10 000 €", "10\u00a0000\u202f€"),
        ("café", unicodedata.normalize("NFD", "CAFÉ")),
        ("नमस्ते", "नम\u200bस्ते"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("①", "1"),
        ("soft\u00adware", "software"),
        ("\ufeffhello", "hello"),
    ],
)
def test_capitals_spacing_and_unicode_form_do_not_count(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text(max_size=100))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=100))
def test_composition_does_not_count(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


def test_words_in_several_scripts() -> None:
    assert words("Don't pay €4.30 at 10:00, ok?") == ["Don't", "pay", "4.30", "at", "10:00", "ok"]
    assert words("नमस्ते दुनिया 👋") == ["नमस्ते", "दुनिया"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>Hi", "Hi"),
        ("<THINKING>a\nb</THINKING> Hi", "Hi"),
        ("secret thoughts</think>Hi", "Hi"),
        ("<think>never closed", ""),
        ("a < b and b > c", "a < b and b > c"),
    ],
)
def test_leaked_thinking_is_taken_out(text: str, left: str) -> None:
    assert without_thinking(text) == left


def test_cutting_keeps_a_combined_character_whole() -> None:
    text = "a" * 9 + "e\u0301" + "b" * 5
    assert cut(text, 10) == ("a" * 9, True)
    assert cut("short", 10) == ("short", False)


def test_what_cannot_be_stored_is_replaced() -> None:
    assert speakable("a\x00b\ud800c") == "a\ufffdb\ufffdc"
    assert is_speakable("a👍b")


@pytest.mark.parametrize(
    ("template", "text", "unknown"),
    [
        ("Hi {{name}}", "Hi Ann", ()),
        ("Hi {name}", "Hi Ann", ()),
        ("Hi {{ name }}", "Hi Ann", ()),
        ("Hi {{nme}} and {nme}", "Hi {{nme}} and {nme}", ("nme",)),
        ('Send {"day": "Monday"} as JSON', 'Send {"day": "Monday"} as JSON', ()),
        ('{"name": {"first": 1}}', '{"name": {"first": 1}}', ()),
        ("{ name }", "{ name }", ()),
        ("{{{name}}}", "{{{name}}}", ()),
        ("{a, b} {} {1}", "{a, b} {} {1}", ()),
        ("{{नाम}}", "रवि", ()),
    ],
)
def test_only_a_single_identifier_between_braces_is_a_variable(
    template: str, text: str, unknown: tuple[str, ...]
) -> None:
    rendered = render(template, {"name": "Ann", "नाम": "रवि"})
    if template == "{{{name}}}":
        # Three braces are nobody's variable: whatever stays must still name it.
        assert "Ann" in rendered.text or rendered.text == text
        return
    assert rendered.text == text
    assert rendered.unknown == unknown


def test_a_value_is_text_and_is_not_rendered_again() -> None:
    assert render("{{a}}", {"a": "{{b}} {a} $1 \\1", "b": "no"}).text == "{{b}} {a} $1 \\1"


@given(st.text(max_size=60).filter(lambda text: "{" not in text), st.text(max_size=30))
def test_text_without_braces_is_left_alone(text: str, value: str) -> None:
    assert render(text, {"a": value}).text == text


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("Monday", " monday "),
        (3, 3.0),
        (3, "3"),
        ("3.0", 3),
        (True, True),
        (True, "true"),
        (None, None),
        ({"a": 1}, {"a": "1", "b": 2}),
        ([1, "x"], ["1", "X"]),
        ("ＡＢＣ", "abc"),
    ],
)
def test_values_that_are_the_same(wanted: object, got: object) -> None:
    assert same_value(wanted, got)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("Monday", "Tuesday"), (3, 4), (True, 1), (1, True), (None, ""), (None, False), ([1], [1, 2]), ({"a": 1}, {}),
        ("x", ["x"]), ({"a": 1}, "a"), ("nan", 1), (0, False),
    ],
)  # fmt: skip
def test_values_that_differ(wanted: object, got: object) -> None:
    assert not same_value(wanted, got)  # type: ignore[arg-type]
