"""The repeats of a test as the page shows them: pass rate and interval, pass^k, and how often each check held."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.grade.repeats import RepeatSummary
from greenroom.report.describe import describe_check
from greenroom.report.figures import UNKNOWN
from greenroom.report.verdict import percent

_POWERS = (2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class RateView:
    """How often one check held over the repeats."""

    words: str
    held: str
    percent: str
    width: float
    always: bool


@dataclass(frozen=True, slots=True)
class RepeatsView:
    """What the repeats of a test come to. Lengths in percent of the scale from 0 to 1."""

    passed: str
    others: str
    percent: str
    interval: str
    rate: float
    low: float
    high: float
    powers: list[tuple[int, str]]
    rates: list[RateView]
    flaky: bool


def repeats_of(summary: RepeatSummary) -> RepeatsView:
    """What to show of several runs of one test."""
    others = [
        f"{count} {word}"
        for count, word in ((summary.errors, "could not finish"), (summary.cancelled, "stopped"))
        if count
    ]
    powers = [k for k in _POWERS if k < summary.finished] + ([summary.finished] if summary.finished > 1 else [])
    rate, low, high = summary.rate, summary.low, summary.high
    return RepeatsView(
        passed=f"{summary.passes} of {summary.finished} passed",
        others=", ".join(others),
        percent=UNKNOWN if rate is None else percent(rate),
        interval="" if low is None or high is None else f"{percent(low)} to {percent(high)}",
        rate=_length(rate),
        low=_length(low),
        high=_length(high),
        powers=[(k, percent(summary.pass_powers[k - 1])) for k in powers],
        rates=[
            RateView(
                describe_check(entry.check),
                f"{entry.passed} of {entry.graded}",
                UNKNOWN if entry.rate is None else percent(entry.rate),
                _length(entry.rate),
                entry.graded > 0 and entry.passed == entry.graded,
            )
            for entry in summary.checks
        ],
        flaky=summary.flaky,
    )


def _length(share: float | None) -> float:
    return round(100 * (share or 0.0), 2)
