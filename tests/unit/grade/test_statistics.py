"""Intervals, pass^k and paired comparisons, against published figures and by their rules."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from greenroom.grade.statistics import (
    Paired,
    mcnemar_exact,
    paired_interval,
    pairs_needed,
    pass_power,
    wilson,
)


@pytest.mark.parametrize(
    ("passes", "runs", "low", "high"),
    # Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_of_a_rate_has_the_published_figures(passes: int, runs: int, low: float, high: float) -> None:
    interval = wilson(passes, runs)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_the_interval_holds_the_rate_and_stays_within_0_and_1(count: tuple[int, int]) -> None:
    passes, runs = count
    interval = wilson(passes, runs)
    assert 0 <= interval.low <= passes / runs <= interval.high <= 1
    mirrored = wilson(runs - passes, runs)
    assert interval.low == pytest.approx(1 - mirrored.high)


@pytest.mark.parametrize(("passes", "runs"), [(0, 0), (-1, 4), (5, 4)])
def test_impossible_counts_are_refused(passes: int, runs: int) -> None:
    with pytest.raises(ValueError, match="run"):
        wilson(passes, runs)


def test_pass_power_by_hand() -> None:
    assert pass_power(6, 8, 1) == pytest.approx(0.75)
    assert pass_power(6, 8, 2) == pytest.approx(15 / 28)
    assert pass_power(3, 8, 4) == 0
    assert pass_power(8, 8, 8) == 1


def test_pass_power_is_the_share_of_all_draws_that_pass_whole_and_not_the_power_of_the_rate() -> None:
    outcomes = [True] * 5 + [False] * 2
    for k in range(1, 8):
        draws = list(itertools.combinations(outcomes, k))
        assert pass_power(5, 7, k) == pytest.approx(sum(all(draw) for draw in draws) / len(draws))
    assert pass_power(5, 7, 3) != pytest.approx((5 / 7) ** 3)


@given(counts, st.integers(-2, 500))
def test_pass_power_falls_with_k_and_is_refused_beyond_the_runs_played(count: tuple[int, int], k: int) -> None:
    passes, runs = count
    if not 1 <= k <= runs:
        with pytest.raises(ValueError, match=r"pass\^"):
            pass_power(passes, runs, k)
        return
    value = pass_power(passes, runs, k)
    assert 0 <= value <= 1
    if k > 1:
        assert value <= pass_power(passes, runs, k - 1)


@given(st.floats(0.05, 0.95), st.integers(1, 4), st.integers(4, 9))
def test_pass_power_is_unbiased(rate: float, k: int, runs: int) -> None:
    expected = sum(
        math.comb(runs, c) * rate**c * (1 - rate) ** (runs - c) * pass_power(c, runs, k) for c in range(runs + 1)
    )
    assert expected == pytest.approx(rate**k)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (1, 9, 0.021484375), (4, 2, 0.6875)],
)
def test_the_exact_test_by_hand(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar_exact(Paired(10, only_first, only_second, 10)) == pytest.approx(p)


def test_the_paired_figures_are_the_published_ones() -> None:
    # Airway reactivity in children before and after a transplant; M. W. Fagerland, S. Lydersen, P. Laake, "Recommended
    # tests and confidence intervals for paired binomial proportions", 2014.
    airways = Paired(both=1, only_first=7, only_second=1, neither=12)
    assert round(mcnemar_exact(airways), 4) == 0.0703
    interval = paired_interval(airways)
    assert (round(interval.low, 3), round(interval.high, 3)) == (-0.507, -0.026)
    # Two media for one culture; P. Armitage, G. Berry, "Statistical Methods in Medical Research", 1994, p. 127.
    assert round(mcnemar_exact(Paired(20, 12, 2, 16)), 4) == 0.0129


cells = st.integers(0, 60)


@given(cells, cells, cells, cells)
def test_the_paired_interval_holds_the_difference_and_turns_with_the_sides(a: int, b: int, c: int, d: int) -> None:
    assume(a + b + c + d)
    interval = paired_interval(Paired(a, b, c, d))
    assert -1 <= interval.low <= Paired(a, b, c, d).difference <= interval.high <= 1
    turned = paired_interval(Paired(a, c, b, d))
    assert interval.low == pytest.approx(-turned.high, abs=1e-12)


def test_more_pairs_are_needed_for_a_smaller_difference_and_for_more_disagreement() -> None:
    assert pairs_needed(0.15, 0.3) < pairs_needed(0.1, 0.3) < pairs_needed(0.1, 0.5)
    # Everything disagrees one way: a handful of pairs is enough.
    assert pairs_needed(1.0, 1.0) <= 6
    with pytest.raises(ValueError, match="above 0"):
        pairs_needed(0, 0.3)
