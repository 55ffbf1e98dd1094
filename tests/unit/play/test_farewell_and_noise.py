"""Goodbyes, and what speech recognition does to a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.text import words
from greenroom.play.farewell import is_farewell
from greenroom.play.noise import misheard


@pytest.mark.parametrize(
    "text",
    [
        "Bye!", "Goodbye.", "Good bye and take care!", "Have a nice day!", "Thanks, see you Monday. Bye-bye.",
        "Enjoy your evening.", "Adiós, hasta luego.", "Au revoir !", "Auf Wiederhören!", "Tschüss!", "Arrivederci.",
        "Tchau, até logo!", "До свидания!", "अलविदा", "再见！", "さようなら。", "مع السلامة", "Hoşça kal!",
    ],
)  # fmt: skip
def test_a_goodbye_is_told_in_the_usual_languages(text: str) -> None:
    assert is_farewell(text)


@pytest.mark.parametrize(
    "text",
    [
        "Which day suits you?",
        "Bye? Already?",
        "I will take the bus to the clinic.",
        "Before I say goodbye to the old number I need to know what happens to all of my saved contacts and messages.",
        "Byen er stor.",
        "",
        "Monday at ten.",
    ],
)  # fmt: skip
def test_other_lines_are_no_goodbye(text: str) -> None:
    assert not is_farewell(text)


def test_the_same_seed_is_misheard_the_same_way() -> None:
    line = "I need to move my booking from Saturday to Monday, their number is 4821."
    assert misheard(line, 0.3, 7) == misheard(line, 0.3, 7)
    assert len({misheard(line, 0.5, seed) for seed in range(20)}) > 5


def test_punctuation_and_capitals_are_lost_and_numbers_become_words() -> None:
    assert misheard("Hello, it's 42 Main Street!", 1e-9, 1) == "hello it's four two main street"


def test_numbers_stay_digits_in_other_languages() -> None:
    assert misheard("Ich brauche 42 Stück.", 1e-9, 1, "de") == "ich brauche 42 stück"


def test_about_the_chosen_share_of_words_comes_out_wrong() -> None:
    line = " ".join(["please", "change", "my", "order", "tomorrow", "morning", "address", "booking"] * 50)
    plain = line.split()
    heard = misheard(line, 0.2, 3).split()
    kept = sum(1 for word in heard if word in set(plain))
    assert 0.6 * len(plain) < kept < 0.95 * len(plain)


@given(st.text(max_size=200), st.floats(0.01, 0.5), st.integers(0, 2**32))
def test_mishearing_never_fails_and_never_empties_a_line_with_words(text: str, rate: float, seed: int) -> None:
    heard = misheard(text, rate, seed)
    if words(text):
        assert heard.strip()
