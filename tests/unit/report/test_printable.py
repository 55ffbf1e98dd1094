from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from greenroom.report.printable import compact_json, printable, printable_line

ANYTHING = st.text(alphabet=st.characters())
"""Any text at all, lone surrogates included."""


@given(ANYTHING)
def test_no_text_can_carry_a_control_character_or_a_lone_surrogate_to_the_screen(text: str) -> None:
    for character in printable(text):
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cs")


@given(ANYTHING)
def test_a_printable_line_has_no_line_ends(text: str) -> None:
    assert "\n" not in printable_line(text)


def test_an_escape_sequence_shows_as_what_it_is() -> None:
    assert printable("\x1b[31mred\x1b[0m\x07") == "␛[31mred␛[0m␇"


def test_every_kind_of_line_end_becomes_a_line_feed() -> None:
    assert printable("a\r\nb\rc\u2028d\x85e\nf") == "a\nb\nc\nd\ne\nf"


def test_a_tab_becomes_spaces() -> None:
    assert printable("a\tb") == "a    b"


def test_an_override_of_the_writing_direction_is_made_visible() -> None:
    assert printable("pay \u202e001\u202c now") == "pay \ufffd001\ufffd now"


def test_scripts_and_joined_emoji_stay_as_they_are() -> None:
    text = "नमस्ते · مرحبا · 你好 · 👩‍👩‍👧 · e\u0301"
    assert printable(text) == text


def test_long_json_is_cut_to_the_limit() -> None:
    assert compact_json({"a": "x" * 100}, 20) == '{"a": "xxxxxxxxxxxx…'
    assert compact_json({"name": "Ravi"}, 20) == '{"name": "Ravi"}'
