"""Two variants as the page compares them: the rates of both, and the difference drawn with its interval."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.grade.comparison import Comparison, Difference
from greenroom.report.figures import UNKNOWN
from greenroom.report.verdict import percent


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """One test in two variants. `low`, `high` and `point` are in percent of a scale from -1 to 1, and without meaning
    where `is_known` is not so."""

    title: str
    words: str
    first: str
    second: str
    difference: str
    is_known: bool
    is_seen: bool
    low: float = 0.0
    high: float = 0.0
    point: float = 0.0


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Two variants on all tests."""

    first: str
    second: str
    words: str
    rows: list[DifferenceView]


def comparison_of(comparison: Comparison) -> ComparisonView:
    """What to show of two variants."""
    return ComparisonView(
        comparison.first, comparison.second, comparison.overall.words, [_row(found) for found in comparison.tests]
    )


def _row(found: Difference) -> DifferenceView:
    first, second = (UNKNOWN if rate is None else percent(rate) for rate in (found.first_rate, found.second_rate))
    title = found.test or ""
    if found.difference is None or found.low is None or found.high is None:
        return DifferenceView(title, found.words, first, second, UNKNOWN, is_known=False, is_seen=False)
    return DifferenceView(
        title,
        found.words,
        first,
        second,
        f"{found.difference * 100:+.0f} points",
        is_known=True,
        is_seen=found.is_seen,
        low=_place(found.low),
        high=_place(found.high),
        point=_place(found.difference),
    )


def _place(share: float) -> float:
    return round(50 * (share + 1), 2)
