"""Comparing two variants pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from greenroom.grade.comparison import compare
from greenroom.model.run import Run, Status


def run(variant: str, status: Status, index: int, test: str = "A", variation: str | None = None) -> Run:
    return Run(
        id=f"{variant}{index}", test=test, kind="script", agent="Desk", status=status, variant=variant,
        repeat_index=index, variation=variation,
    )  # fmt: skip


def runs(outcomes: Sequence[tuple[Status, Status]], test: str = "A") -> list[Run]:
    return [
        one
        for index, (first, second) in enumerate(outcomes)
        for one in (run("old", first, index, test), run("new", second, index, test))
    ]


BETTER: tuple[Status, Status] = ("failed", "passed")
BOTH: tuple[Status, Status] = ("passed", "passed")


def test_a_difference_that_chance_hardly_makes_is_said_with_its_size_and_interval() -> None:
    comparison = compare(runs([BETTER] * 9 + [BOTH] * 11), "old", "new")
    overall = comparison.overall
    assert overall.is_seen
    assert overall.p is not None
    assert round(overall.p, 4) == 0.0039
    assert overall.words.startswith("new is 45 points better (95% interval ")
    assert "old passed 55%, new 100% of 20 runs" in overall.words


def test_no_difference_is_said_as_such_with_what_it_would_take_to_see_one() -> None:
    outcomes: list[tuple[Status, Status]] = [("passed", "failed"), ("failed", "passed"), ("passed", "passed")]
    counts = (2, 3, 15)
    words = compare(
        runs([pair for pair, count in zip(outcomes, counts, strict=True) for _ in range(count)]), "old", "new"
    ).overall.words
    assert words.startswith("No difference seen with 20 runs; ")
    assert "would show one of 15 points" in words
    assert "new 90% of 20 runs" in words


def test_runs_that_did_not_finish_are_left_out_in_pairs_and_counted() -> None:
    comparison = compare(runs([("passed", "error"), ("passed", "failed"), ("cancelled", "passed")]), "old", "new")
    assert (comparison.overall.pairs, comparison.overall.unpaired) == (1, 2)
    assert "2 pairs left out" in comparison.overall.words


def test_nothing_finished_is_said() -> None:
    assert "Nothing can be said" in compare(runs([("error", "error")]), "old", "new").overall.words


def test_tests_and_variations_are_compared_each_for_itself() -> None:
    both = runs([("passed", "failed")], "A") + runs([("failed", "passed")], "B")
    both += [run("old", "passed", 0, "A", "angry"), run("new", "passed", 0, "A", "angry")]
    comparison = compare(both, "old", "new")
    assert [(d.test, d.difference) for d in comparison.tests] == [("A", -1.0), ("B", 1.0), ("A [angry]", 0.0)]
    assert comparison.overall.pairs == 3


def test_a_single_run_that_differs_is_no_difference_seen() -> None:
    words = compare(runs([("passed", "failed")]), "old", "new").tests[0].words
    assert words.startswith("No difference seen with 1 run;")


outcome = st.sampled_from(["passed", "failed", "error"])


@given(st.lists(st.tuples(outcome, outcome), max_size=40))
def test_turning_the_sides_turns_the_difference(outcomes: list[tuple[Status, Status]]) -> None:
    one = compare(runs(outcomes), "old", "new").overall
    other = compare(runs(outcomes), "new", "old").overall
    assert one.pairs + one.unpaired == len(outcomes)
    if one.difference is not None and other.difference is not None:
        assert one.difference == -other.difference
        assert one.p == other.p


def test_where_interval_and_exact_test_part_the_words_say_that_more_runs_are_needed() -> None:
    overall = compare(runs([BETTER] * 5 + [BOTH] * 13), "old", "new").overall
    assert overall.p is not None
    assert overall.low is not None
    assert overall.p > 0.05
    assert overall.low > 0
    assert overall.words.startswith("new may be better, but 18 runs are too few to be sure (p = 0.062)")
