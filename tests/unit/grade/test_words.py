"""What the agent said: `says`, `matches`, `components`, `max_words`."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.grading import a_talk, agent_says, caller_says, tool_ran

from greenroom.grade.lines import Settled
from greenroom.grade.words import count_words, settle_components, settle_matches, settle_max_words, settle_says
from greenroom.model.checks import Components, Matches, MaxWords, NeverMatches, NeverSays, Says
from greenroom.model.run import Card
from greenroom.model.text import fold

GREETING = agent_says("Northline Dental, this is Maya.", turn=0)
BOOKED = agent_says("Your visit is on Monday at ten.", turn=2)


def says(text: str, *lines: object, where: str = "any") -> bool | None:
    check = Says.model_validate({"text": text, "where": where})
    return settle_says(check, a_talk(*lines)).result.passed  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("See you MONDAY.", "monday"),
        ("Termin: 10\u00a0Uhr", "10 Uhr"),
        ("Termin: 10 Uhr", "10\u00a0Uhr"),
        (unicodedata.normalize("NFD", "Müller, Café"), unicodedata.normalize("NFC", "müller, café")),
        (unicodedata.normalize("NFC", "Zoë"), unicodedata.normalize("NFD", "zoë")),
        ("आपकी अपॉइंटमेंट सोमवार को है।", "सोमवार को"),
        ("您的预约是星期一。", "星期一"),
        ("ＡＢＣ１２３", "abc123"),
        ("GROSSE STRASSE", "große Straße"),
        ("Great 👍🏽 see you", "👍🏽"),
        ("موعدك يوم الاثنين\u200f الساعة", "الاثنين الساعة"),
        ("Mon\u200bday", "Monday"),
        ("line one\nline two", "one line"),
    ],
)
def test_says_looks_past_capitals_spacing_and_unicode_form(said: str, wanted: str) -> None:
    assert says(wanted, agent_says(said)) is True


def test_says_finds_text_that_runs_over_two_lines_of_one_turn() -> None:
    lines = (agent_says("Your visit is on"), tool_ran("book_slot"), agent_says("Monday at ten."))
    assert says("visit is on Monday", *lines) is True


def test_says_does_not_join_lines_of_different_turns() -> None:
    assert says("on Monday", agent_says("It is on", turn=1), agent_says("Monday", turn=2)) is False


def test_says_passes_over_the_caller_and_what_was_laid_down_before_the_talk() -> None:
    history = agent_says("See you Monday.", from_history=True)
    assert says("Monday", history, caller_says("Monday?"), agent_says("Yes.")) is False


def test_says_last_and_first_look_at_the_replies_of_the_last_and_first_turn_with_words() -> None:
    ending = (caller_says("Bye", turn=3), tool_ran("end_call", turn=3))
    lines = (GREETING, agent_says("One moment.", turn=2), tool_ran("book_slot", turn=2), BOOKED, *ending)
    assert says("one moment", *lines, where="last") is True
    assert says("Monday", *lines, where="last") is True
    assert says("Maya", *lines, where="last") is False
    assert says("Maya", *lines, where="first") is True


def test_a_failed_says_shows_what_was_said_instead() -> None:
    result = settle_says(Says(text="Tuesday"), a_talk(GREETING, BOOKED)).result
    assert result.detail == "No agent line contains “Tuesday”; the last one was “Your visit is on Monday at ten.”"
    assert (result.turn, result.line) == (2, 1)


def test_a_failed_says_last_shows_the_last_reply() -> None:
    result = settle_says(Says(text="Maya", where="last"), a_talk(GREETING, BOOKED)).result
    assert result.detail == "The last reply does not contain “Maya”; it was “Your visit is on Monday at ten.”"


def test_says_about_an_agent_that_said_nothing_fails_without_a_line() -> None:
    result = settle_says(Says(text="Monday"), a_talk(caller_says("Hello?"))).result
    assert (result.passed, result.line) == (False, None)
    assert "said nothing" in result.detail


def test_says_with_nothing_to_look_for_fails_and_says_why() -> None:
    result = settle_says(Says(text=" \u200b"), a_talk(BOOKED)).result
    assert result.passed is False
    assert "only spaces or invisible characters" in result.detail


def test_never_says_quotes_the_offending_line() -> None:
    result = settle_says(NeverSays(text="monday"), a_talk(GREETING, BOOKED)).result
    assert (result.passed, result.turn, result.line) == (False, 2, 1)
    assert result.detail == "“monday” was not to be said, but was: “Your visit is on Monday at ten.”"


def test_never_says_quotes_the_offending_sentence_of_a_long_line() -> None:
    text = "We talk of many things here. " * 20 + "Our price is secret. " + "And of more things. " * 20
    result = settle_says(NeverSays(text="secret"), a_talk(agent_says(text))).result
    assert result.detail.endswith("“Our price is secret.”")


def test_never_says_holds_for_an_agent_that_said_nothing() -> None:
    assert settle_says(NeverSays(text="x"), a_talk()).result.passed is True


@given(st.text(), st.text())
def test_never_says_is_the_opposite_of_says(text: str, line: str) -> None:
    talk = a_talk(agent_says(line))
    if fold(text):
        positive = settle_says(Says.model_construct(text=text, where="any"), talk).result.passed
        assert settle_says(NeverSays.model_construct(text=text, where="any"), talk).result.passed is not positive


@given(st.text(min_size=1))
def test_says_finds_every_text_in_itself_in_any_form(text: str) -> None:
    if fold(text):
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            assert says(text, agent_says(unicodedata.normalize(form, text))) is True


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def matches(pattern: str, *lines: object, where: str = "any") -> Settled:
    check = Matches.model_validate({"pattern": pattern, "where": where})
    return settle_matches(check, a_talk(*lines))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("said", "pattern"),
    [
        ("Your code is AB-1234.", r"ab-\d{4}"),
        ("10\u00a0Uhr", r"10 Uhr"),
        ("आपका समय दस बजे है", r"दस\s+बजे"),
        (unicodedata.normalize("NFD", "café"), r"^caf.$"),
        ("ＡＢＣ", r"^abc$"),
        ("Mon\u200bday", r"\bmonday\b"),
        ("one\ntwo", r"one two"),
        ("one\ntwo", r"one\ntwo"),
    ],
)
def test_matches_searches_the_line_as_written_and_as_it_reads(said: str, pattern: str) -> None:
    assert matches(pattern, agent_says(said)).result.passed is True


def test_matches_finds_what_runs_over_two_lines_of_one_turn() -> None:
    assert matches(r"on monday", agent_says("It is on"), agent_says("Monday.")).result.passed is True


def test_a_pattern_that_is_not_re2_is_not_graded_and_named_in_the_error() -> None:
    settled = matches(r"a(?=b)", agent_says("ab"))
    assert settled.result.passed is None
    assert settled.error is not None
    assert "`a(?=b)`" in settled.error
    assert settled.result.detail == settled.error


def test_a_pattern_that_hangs_other_engines_is_answered() -> None:
    assert matches(r"^(a+)+$", agent_says("a" * 4000 + "!")).result.passed is False


def test_matches_survives_half_of_a_character() -> None:
    assert matches(r"book", agent_says("book\ud83d")).result.passed is True


def test_never_matches_quotes_the_offending_line() -> None:
    result = settle_matches(NeverMatches(pattern=r"\d+ euros"), a_talk(agent_says("It is 80 euros."))).result
    assert (result.passed, result.line) == (False, 0)
    assert "“It is 80 euros.”" in result.detail


CARDS = agent_says("Here you are.", turn=2, components=[Card(kind="link"), Card(kind="booking")])


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        (Components(any_of=["link", "contact"]), True),
        (Components(all_of=["link", "booking"]), True),
        (Components(all_of=["link", "contact"]), False),
        (Components(any_of=["contact"]), False),
        (Components(any_of=["link"], all_of=["contact"]), False),
    ],
)
def test_components_looks_at_all_cards_of_the_last_reply(check: Components, passed: bool) -> None:
    talk = a_talk(GREETING, CARDS, agent_says("Anything else?", turn=2))
    assert settle_components(check, talk).result.passed is passed


def test_components_passes_over_cards_of_earlier_replies() -> None:
    result = settle_components(Components(any_of=["link"]), a_talk(CARDS, agent_says("Bye.", turn=3))).result
    assert result.passed is False
    assert result.detail == "The last reply carries no card: none of `link`."


def test_max_words_names_the_longest_line() -> None:
    result = settle_max_words(MaxWords(max=6), a_talk(GREETING, BOOKED)).result
    assert (result.passed, result.line) == (False, 1)
    assert result.detail == "A line has 7 words, more than 6: “Your visit is on Monday at ten.”"
    assert settle_max_words(MaxWords(max=7), a_talk(GREETING, BOOKED)).result.passed is True


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Don't be late, it's 10:00!", 5),
        ("您的预约是星期一", 8),
        ("预约 Monday 10:00", 4),
        ("मैं आपकी मदद करूँगी।", 4),
        ("สวัสดี", 4),
        ("👍 … —", 0),
        ("مرحبا كيف حالك", 3),
    ],
)
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    assert count_words(text) == count
