from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.cli.keywords import keyword_matcher
from greenroom.model.errors import UserMistake

NAME = "Moves a booking [hindi] #2 Northline Dental"


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        ("booking", True),
        ("BOOKING", True),
        ("moves a booking", True),
        ("a moves booking", False),
        ("refund", False),
        ("not refund", True),
        ("not not booking", True),
        ("booking and hindi", True),
        ("booking and not hindi", False),
        ("refund or hindi", True),
        ("refund or booking and angry", False),
        ("(refund or booking) and dental", True),
        ("not (refund or booking)", False),
        ("NOT refund AND booking", True),
        ("[hindi]", True),
        ("'moves a booking'", True),
        ('"and"', False),
        ("#2", True),
        ("booking and(hindi)", True),
    ],
)
def test_an_expression_fits_a_name_by_its_words(expression: str, fits: bool) -> None:
    assert keyword_matcher(expression)(NAME) is fits


def test_quotes_make_words_of_the_operators() -> None:
    assert keyword_matcher("'this and that'")("Does this and that")
    assert not keyword_matcher("'this and that'")("Does that and this")


def test_capitals_of_any_script_do_not_count() -> None:
    assert keyword_matcher("STRASSE")("Fragt nach der straße")


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("", "column 1: a word is missing at the end"),
        ("booking and", "column 12: a word is missing at the end"),
        ("and booking", "column 1: a word is missing before `and`"),
        ("booking or or x", "column 12: a word is missing before `or`"),
        ("(booking", "column 1: a parenthesis is opened and never closed"),
        ("booking )", "column 9: `)` does not fit here"),
        ("booking 'x", "column 9: a quote is opened and never closed"),
        ("()", "column 2: a word is missing before `)`"),
        ("(" * 500, "nested too deeply"),
    ],
)
def test_an_expression_that_cannot_be_read_says_where(expression: str, sentence: str) -> None:
    with pytest.raises(UserMistake) as caught:
        keyword_matcher(expression)
    assert sentence in str(caught.value)
    assert "for example" in str(caught.value)


@given(st.text(alphabet=st.sampled_from("ab ()'\"andornot")), st.text(max_size=20))
def test_any_expression_is_read_or_refused_in_a_sentence(expression: str, name: str) -> None:
    with suppress(UserMistake):
        assert keyword_matcher(expression)(name) in (True, False)


@given(st.from_regex(r"[b-z]{1,8}", fullmatch=True), st.text(max_size=30))
def test_not_turns_every_answer_around(word: str, name: str) -> None:
    if word not in ("or", "not", "and"):
        assert keyword_matcher(f"not {word}")(name) is not keyword_matcher(word)(name)
