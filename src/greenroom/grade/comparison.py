"""Two variants on the same tests, callers and seeds: what differs, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from pydantic import Field

from greenroom.grade.repeats import RunType
from greenroom.grade.statistics import Paired, mcnemar_exact, paired_interval, pairs_needed
from greenroom.model.base import Recorded
from greenroom.model.run import Run

SIGNIFICANT = 0.05
"""The level below which a difference is said to be seen."""

_SHOWN_DIFFERENCE = 0.15
_TestKey = tuple[str, str | None, Hashable]
_Pair = tuple[Run | None, Run | None]


class Difference(Recorded):
    """What two variants came to, on one test or on all of them.

    `both`, `only_first`, `only_second` and `neither` count pairs of runs by who passed. `unpaired` counts the pairs
    left out because a run of them did not finish. Rates, difference (second less first) and its 95 % interval are
    shares from -1 to 1; `None` where there is no pair. `p` is two-sided, of the exact McNemar test.
    """

    test: str | None = None
    both: int = 0
    only_first: int = 0
    only_second: int = 0
    neither: int = 0
    unpaired: int = 0
    first_rate: float | None = None
    second_rate: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    words: str = ""

    @property
    def pairs(self) -> int:
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def is_seen(self) -> bool:
        """Whether there is a difference that chance alone would hardly make."""
        return self.p is not None and self.p < SIGNIFICANT


class Comparison(Recorded):
    """Two variants compared: test by test, and all together."""

    first: str
    second: str
    tests: list[Difference] = Field(default_factory=list[Difference])
    overall: Difference = Field(default_factory=Difference)


def compare(
    runs: Iterable[RunType], first: str, second: str, apart: Callable[[RunType], Hashable] | None = None
) -> Comparison:
    """Compare the runs of two variants, pair by pair: the same test, variation and repeat, so the same seed. `apart`
    tells tests of the same name apart, for example by their files."""
    tests = pairs_of(runs, first, second, apart)
    titles = [_title(test, variation) for test, variation, _ in tests]
    return Comparison(
        first=first,
        second=second,
        tests=[_difference(pairs, first, second, title) for title, pairs in zip(titles, tests.values(), strict=True)],
        overall=_difference([pair for pairs in tests.values() for pair in pairs], first, second, None),
    )


def pairs_of(
    runs: Iterable[RunType], first: str, second: str, apart: Callable[[RunType], Hashable] | None = None
) -> dict[_TestKey, list[tuple[RunType | None, RunType | None]]]:
    """The runs of two variants in pairs, by test and variation, in the order of `Comparison.tests`; `None` stands for
    a run that is not there."""
    tests: dict[_TestKey, tuple[dict[int, RunType], dict[int, RunType]]] = {}
    for run in runs:
        if run.variant in (first, second):
            sides = tests.setdefault((run.test, run.variation, apart(run) if apart else None), ({}, {}))
            sides[run.variant == second][run.repeat_index] = run
    return {
        key: [(one.get(index), two.get(index)) for index in sorted({*one, *two})] for key, (one, two) in tests.items()
    }


def _title(test: str, variation: str | None) -> str:
    return f"{test} [{variation}]" if variation else test


def _difference(pairs: Sequence[_Pair], first: str, second: str, title: str | None) -> Difference:
    found = Difference(test=title)
    for one, two in pairs:
        if one is None or two is None or not {one.status, two.status} <= {"passed", "failed"}:
            found.unpaired += 1
        elif one.status == "passed":
            found.both, found.only_first = (
                (found.both + 1, found.only_first) if two.status == "passed" else (found.both, found.only_first + 1)
            )
        elif two.status == "passed":
            found.only_second += 1
        else:
            found.neither += 1
    if found.pairs:
        paired = Paired(found.both, found.only_first, found.only_second, found.neither)
        interval = paired_interval(paired)
        found.first_rate = (found.both + found.only_first) / found.pairs
        found.second_rate = (found.both + found.only_second) / found.pairs
        found.difference, found.low, found.high = paired.difference, interval.low, interval.high
        found.p = mcnemar_exact(paired)
    found.words = _words(found, first, second)
    return found


def _words(found: Difference, first: str, second: str) -> str:
    """The difference in plain words, and what it would take to see one where none was seen."""
    left_out = f" {_count(found.unpaired, 'pair')} left out: a run did not finish." if found.unpaired else ""
    if found.difference is None or found.low is None or found.high is None:
        return f"Nothing can be said: no pair of runs finished.{left_out}"
    rates = f"{first} passed {found.first_rate:.0%}, {second} {found.second_rate:.0%} of {_count(found.pairs, 'run')}"
    span = f"95% interval {_points(found.low)} to {_points(found.high)} points"
    if found.is_seen:
        way = "better" if found.difference > 0 else "worse"
        size = f"{second} is {abs(found.difference) * 100:.0f} points {way}"
        return f"{size} ({span}, p = {_p(found.p)}): {rates}.{left_out}"
    disagreement = (found.only_first + found.only_second) / found.pairs
    needed = pairs_needed(_SHOWN_DIFFERENCE, disagreement)
    hint = f"; {needed} would show one of {_SHOWN_DIFFERENCE * 100:.0f} points" if needed > found.pairs else ""
    if found.low > 0 or found.high < 0:
        # The interval and the exact test are two methods and can part at the edge; the stricter of them decides.
        way = "better" if found.difference > 0 else "worse"
        few = f"{_count(found.pairs, 'run')} are too few to be sure (p = {_p(found.p)})"
        return f"{second} may be {way}, but {few}{hint}. {rates} ({span}).{left_out}"
    return f"No difference seen with {_count(found.pairs, 'run')}{hint}. {rates} ({span}).{left_out}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _points(share: float) -> str:
    return f"{share * 100:+.0f}"


def _p(value: float | None) -> str:
    return "1" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"
