from __future__ import annotations

from decimal import Decimal

import pytest
from tests.support.runs import a_run, a_usage

from greenroom.report import figures


@pytest.mark.parametrize(
    ("amount", "words"),
    [("0", "$0"), ("0.00001", "<$0.0001"), ("0.0012", "$0.0012"), ("0.01", "$0.01"), ("1234.5", "$1,234.50")],
)
def test_small_amounts_keep_their_digits_and_large_ones_are_whole_cents(amount: str, words: str) -> None:
    assert figures.dollars(Decimal(amount)) == words


def test_a_cost_that_is_not_known_is_said_to_be_unknown() -> None:
    assert figures.run_cost(a_run(usage=[a_usage(None)])) == "unknown"


def test_a_cost_that_is_known_in_part_says_which_part() -> None:
    run = a_run(usage=[a_usage("0.25"), a_usage(None, role="judge")])
    assert figures.run_cost(run) == "$0.25 + unknown"


def test_tokens_that_were_counted_by_estimate_carry_a_tilde() -> None:
    assert figures.run_tokens(a_run(usage=[a_usage()])) == "1,234"
    assert figures.run_tokens(a_run(usage=[a_usage(estimated=True)])) == "~1,234"


@pytest.mark.parametrize(
    ("length", "words"), [(0.04, "0.0 s"), (1.25, "1.2 s"), (59.9, "59.9 s"), (65, "1 min 05 s"), (3600, "60 min 00 s")]
)
def test_a_length_of_time_reads_in_seconds_then_minutes(length: float, words: str) -> None:
    assert figures.seconds(length) == words


def test_a_run_that_never_started_has_no_length() -> None:
    assert figures.run_seconds(a_run(started_at=None)) is None


def test_one_is_singular() -> None:
    assert figures.plural(1, "turn") == "1 turn"
    assert figures.plural(0, "turn") == "0 turns"
    assert figures.plural(2, "run was", "runs were") == "2 runs were"
