"""Numbers, times, days and months, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.grade.figures import read_figures


def carries(passage: str, statement: str) -> bool:
    """Whether every figure of the statement stands in the passage."""
    readings = frozenset().union(*read_figures(passage).figures)
    figures = read_figures(statement).figures
    assert figures, f"no figure in {statement!r}"
    return all(figure & readings for figure in figures)


@pytest.mark.parametrize(
    ("passage", "statement"),
    [
        ("9:00-17:00", "nine to five"),
        ("9-17", "from 9 to 5"),
        ("9h-18h", "de neuf heures à six"),
        ("8.00 - 18.00 Uhr", "von acht bis achtzehn Uhr"),
        ("5 pm", "17:00"),
        ("10:30", "ten thirty"),
        ("ten thirty", "10.30"),
        ("16:30", "four thirty"),
        ("$1,250.00", "1250 dollars"),
        ("1.250 Euro", "1250"),
        ("45.50", "45,5"),
        ("120", "one hundred and twenty"),
        ("120", "hundred twenty"),
        ("25", "twenty-five"),
        ("250", "two hundred fifty"),
        ("2000", "two thousand"),
        ("21", "einundzwanzig"),
        ("85", "fünfundachtzig"),
        ("18", "dix-huit"),
        ("555-0100", "five five five zero one zero zero"),
        ("555-0100", "five five five oh one oh oh"),
        ("+1 555 555 0100", "(555) 555-0100"),
        ("9876543210", "98765 43210"),
        ("२४ घंटे", "24"),
        ("दस बजे", "10:00"),
        ("十点到下午五点", "10点到17点"),
        ("八十五元", "85"),
        ("一百二十元", "120"),
        ("March 3rd, 1985", "march third 1985"),
        ("2026-03-01", "1 March 2026"),
        ("Monday to Friday", "Wednesday"),
        ("Mon–Fri", "on Tuesdays"),
        ("Fri-Mon", "Sunday"),
        ("lundi au vendredi", "mercredi"),
        ("周一至周五", "星期三"),
        ("सोमवार से शुक्रवार", "बुधवार"),
        ("Montag bis Samstag", "freitags"),
        ("open daily", "Sunday"),
        ("on weekdays", "Thursday"),
        ("Monday, Tuesday, Wednesday, Thursday, Friday", "weekdays"),
        ("kostenlos", "free"),
        ("免费停车", "gratis"),
    ],
)
def test_the_same_figure_in_another_writing_stands_in_a_passage(passage: str, statement: str) -> None:
    assert carries(passage, statement) is True


@pytest.mark.parametrize(
    ("passage", "statement"),
    [
        ("9:00-17:00", "nine to six"),
        ("10:00–16:30", "10:30"),
        ("17 euros", "5 euros"),
        ("1,250", "125"),
        ("45.50", "45"),
        ("Monday to Friday", "Saturday"),
        ("Fri-Mon", "Wednesday"),
        ("Monday and Friday", "Wednesday"),
        ("555-0100", "555-0199"),
        ("120", "a hundred and thirty"),
        ("周一至周五", "周六"),
        ("March", "April"),
    ],
)
def test_another_figure_does_not(passage: str, statement: str) -> None:
    assert carries(passage, statement) is False


@pytest.mark.parametrize(
    "text", ["One moment, please.", "That one is fine.", "Mon ami!", "I may do so.", "请稍等一分钟", "She sat there."]
)
def test_words_that_only_look_like_figures_are_none(text: str) -> None:
    assert read_figures(text).figures == []


@given(st.integers(0, 99_999))
def test_a_number_in_digits_stands_for_itself_in_other_digits(value: int) -> None:
    devanagari = str(value).translate({ord("0") + digit: 0x966 + digit for digit in range(10)})
    assert carries(f"It is {value}.", f"It is {devanagari}.") is True


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read_figures(text)


@pytest.mark.parametrize(
    "text", ["9" * 10_000, "1," + "000," * 5000, "九" * 10_000 + "元", "two" + " hundred" * 5000, "𐵀"]
)
def test_numbers_beyond_all_measure_are_read_without_harm(text: str) -> None:
    read_figures(text)
