"""Whether what the judge quotes was said."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.grading import agent_says, caller_says, tool_ran

from greenroom.grade.quotes import Quotable, has_words, normal, quotes_in, stands_in_any
from greenroom.model.run import Line
from greenroom.model.text import fold

TALK: tuple[Line, ...] = (
    agent_says("Northline Dental, this is Maya. How can I help?", turn=0),
    caller_says("Hi, I'd like to move my visit to Monday.", turn=1),
    agent_says("One moment.", turn=1),
    tool_ran("book_slot", {"day": "Monday"}, {"ok": True, "slot": "Monday 10:00"}),
    agent_says("Hmm... your visit is on Monday at ten — see you then!", turn=1),
    caller_says("danke, tschuss", turn=2, said="Danke, tschüss!"),
    agent_says("आपकी अपॉइंटमेंट सोमवार को है। 您的预约是星期一。", turn=2),
)


def line_of(quote: str) -> int | None:
    place = Quotable(TALK).find(quote)
    return place.line if place else None


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("How can I help?", 0),
        ("how  can i HELP", 0),
        ("I’d like to move my visit", 1),
        ("“your visit is on Monday at ten - see you then”", 4),
        ("Hmm... your visit", 4),
        ("One moment. Hmm", 2),
        ('book_slot {"day": "Monday"}', 3),
        ('{"ok":true,"slot":"Monday 10:00"}', 3),
        ("Monday 10:00", 3),
        ("Danke, tschüss!", 5),
        ("danke, tschuss", 5),
        ("सोमवार को है", 6),
        ("您的预约是星期一", 6),
        ("आपकी अपॉइंटमेंट 您的", None),
        ("Your visit is on Tuesday", None),
        ("Agent: your visit is on Monday", 4),
        ("[5] turn 1, agent Northline Dental: Hmm... your visit", 4),
        ("Hi, I'd like … to Monday.", 1),
        ("this is Maya [...] move my visit ... see you then", 0),
        ("One moment.\nHmm... your visit is on Monday", 2),
        ("see you then … this is Maya", None),
        ("How can I help? … this is Maya", None),
        ("visit to Monday. One moment", None),
        ("no", None),
        ("ten", 4),
        ("day", 3),
        ("dental", 0),
        ("ment", None),
        ("10:0", None),
        ("预约", 6),
        ("सोम", None),
        ("Maya … my … ten", None),
        ("your visit … ten", 4),
    ],
)
def test_a_quote_is_found_in_its_line_or_not_at_all(quote: str, line: int | None) -> None:
    assert line_of(quote) == line


@pytest.mark.parametrize("quote", ["", "  ", "…", "...", "“”", "—"])
def test_marks_alone_are_no_quote(quote: str) -> None:
    assert has_words(quote) is False
    assert line_of(quote) is None


@pytest.mark.parametrize(
    ("reason", "quotes"),
    [
        ("It said “your visit is on Monday”.", ["your visit is on Monday"]),
        ('It said "your visit is booked" twice.', ["your visit is booked"]),
        ("Er sagte „Ihr Termin ist Montag“ dazu.", ["Ihr Termin ist Montag"]),
        ("Il a dit « je ne sais pas ».", [" je ne sais pas "]),
        ("The “book_slot” tool and “not now” are no quotes.", []),
        ("It's the agent's fault.", []),
    ],
)
def test_a_reason_quotes_where_it_puts_three_words_or_more_in_quotation_marks(reason: str, quotes: list[str]) -> None:
    assert quotes_in(reason) == quotes


def test_a_quote_may_stand_in_the_question() -> None:
    assert stands_in_any("did it say Monday", ["Did it say “Monday”? … did it say  MONDAY?"]) is True
    assert stands_in_any("did it say Tuesday", ["Did it say Monday?"]) is False


words = st.text(st.characters(categories=["Ll", "Lu", "Lo", "Nd", "Zs"]), min_size=1, max_size=30)


@given(st.lists(words, min_size=1, max_size=5), st.data())
def test_any_words_of_a_line_stand_in_the_talk(texts: list[str], data: st.DataObject) -> None:
    lines = [agent_says(text, turn=turn) for turn, text in enumerate(texts)]
    text = data.draw(st.sampled_from(texts))
    said = text.split() or [text]
    start = data.draw(st.integers(0, len(said) - 1))
    piece = " ".join(said[start : data.draw(st.integers(start + 1, len(said)))])
    if has_words(piece) and fold(piece) in fold(text):
        assert Quotable(lines).find(piece) is not None


@given(words)
def test_a_quote_in_another_unicode_form_is_the_same_quote(text: str) -> None:
    if has_words(text):
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            assert Quotable([agent_says(text)]).find(unicodedata.normalize(form, text)) is not None


@given(st.lists(words, max_size=4), words)
def test_what_is_found_really_stands_in_the_line_that_is_named(texts: list[str], quote: str) -> None:
    lines = [agent_says(text, turn=turn) for turn, text in enumerate(texts)]
    place = Quotable(lines).find(quote)
    if place is not None:
        assert normal(quote) in normal(texts[place.line])
