"""The words by which knowledge is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.tools.words import index_words, loose_query_words, query_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't pay 4.30, café STRASSE straße", ["don't", "pay", "4.30", "cafe", "strasse", "strasse"]),
        ("नमस्ते, दुनिया की बुकिंग।", ["नमस्ते", "दुनिया", "की", "बुकिंग"]),
        ("مَرْحَبًا بالعالم", ["مرحبا", "بالعالم"]),
        ("שָׁלוֹם", ["שלום"]),
        ("退款政策", ["退款", "款政", "政策"]),
        ("iPhone退款 now", ["iphone", "退款", "now"]),
        ("退", ["退"]),
        ("예약을", ["예약", "약을"]),
        ("ｶﾞ", ["ガ"]),
        ("ﬁne\u200bly", ["finely"]),
        ("\x00a\x00b", ["a", "b"]),
        ("🍕🎉 — !?", []),
        ("", []),
        ("\ud83d", []),
    ],
)
def test_words_of_every_script_are_found(text: str, words: list[str]) -> None:
    assert query_words(text) == words


def test_letters_with_their_marks_stay_together_in_thai() -> None:
    assert all(word[0] not in "\u0e31\u0e34\u0e35" for word in index_words("สวัสดีครับ"))


@given(st.text())
def test_whatever_a_query_looks_for_a_passage_of_the_same_text_has(text: str) -> None:
    assert set(query_words(text)) <= set(loose_query_words(text)) == set(index_words(text))
