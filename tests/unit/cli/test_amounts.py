"""Numbers of the command line."""

from __future__ import annotations

from decimal import Decimal
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.talks import make_agent, make_test

from greenroom.batch import plan_runs
from greenroom.cli.amounts import read_dollars, read_gate, require_enough_runs
from greenroom.engine import Plan
from greenroom.grade.repeats import Gate
from greenroom.model.errors import UserMistake


@pytest.mark.parametrize(("text", "amount"), [("0.5", "0.5"), ("$2", "2"), (" 1e1 ", "10")])
def test_a_budget_is_an_amount_of_dollars(text: str, amount: str) -> None:
    assert read_dollars(text) == Decimal(amount)


def test_without_a_budget_there_is_no_limit() -> None:
    assert read_dollars(None) is None


@pytest.mark.parametrize("text", ["", "much", "-1", "0", "nan", "inf", "1,50"])
def test_a_budget_that_is_no_amount_is_told(text: str) -> None:
    with pytest.raises(UserMistake, match="write for example"):
        read_dollars(text)


@pytest.mark.parametrize(("text", "rate"), [("0.9", 0.9), ("90%", 0.9), (" 33.3 % ", 0.333), ("1", 1.0), ("100%", 1.0)])
def test_a_rate_is_a_share_or_a_percentage(text: str, rate: float) -> None:
    assert read_gate(text, None) == Gate(min_pass_rate=rate)


@given(st.integers(1, 100), st.integers(1, 200))
def test_a_rate_that_is_reached_exactly_is_reached(percent: int, hundreds: int) -> None:
    gate = read_gate(f"{percent}%", None)
    assert gate is not None
    assert gate.min_pass_rate == (percent * hundreds) / (100 * hundreds)


@pytest.mark.parametrize("text", ["", "%", "0", "-0.1", "90", "101%", "nan", "inf", "most"])
def test_a_rate_that_is_none_is_told(text: str) -> None:
    with pytest.raises(UserMistake, match="write for example 90%"):
        read_gate(text, None)


@pytest.mark.parametrize(("text", "power"), [("3:0.8", (3, 0.8)), ("10:95%", (10, 0.95)), (" 2 : 1 ", (2, 1.0))])
def test_a_power_is_a_number_of_runs_and_a_rate(text: str, power: tuple[int, float]) -> None:
    assert read_gate(None, text) == Gate(min_pass_power=power)


@pytest.mark.parametrize("text", ["", "3", "0.8", ":0.8", "3:", "0:0.8", "-1:0.8", "1.5:0.8", "3:2", "a:b"])
def test_a_power_that_is_none_is_told(text: str) -> None:
    with pytest.raises(UserMistake, match=r"write for example 3:0\.8"):
        read_gate(None, text)


def test_without_either_there_is_no_gate() -> None:
    assert read_gate(None, None) is None


def plans(repeat: int) -> list[Plan]:
    ids = count()
    test = make_test(name="Moves a booking").model_copy(update={"repeat": repeat})
    return plan_runs(test, make_agent(), new_id=lambda: f"run_{next(ids)}")


def test_a_power_needs_as_many_runs_of_each_test() -> None:
    gate = Gate(min_pass_power=(3, 0.8))
    require_enough_runs(gate, plans(3))
    require_enough_runs(Gate(min_pass_rate=0.9), plans(1))
    require_enough_runs(None, plans(1))
    with pytest.raises(UserMistake, match="`Moves a booking` is played 2 times: add for example --repeat 10"):
        require_enough_runs(gate, plans(2))
