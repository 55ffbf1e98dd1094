"""What a report, a test and a run come to, in a few words, for the reports that open with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from greenroom.grade.repeats import RepeatSummary, summarise
from greenroom.model.run import Run, Status
from greenroom.model.text import shorten
from greenroom.report.describe import describe_check
from greenroom.report.figures import cost, plural, seconds, tokens
from greenroom.report.printable import printable_line
from greenroom.report.results import Report, ReportedRun

_WHY_LIMIT = 300
SIGNS: dict[Status, str] = {"passed": "✓", "failed": "✗", "error": "!", "cancelled": "–", "queued": "–", "running": "–"}
WORDS: dict[Status, str] = {
    "passed": "passed",
    "failed": "failed",
    "error": "could not finish",
    "cancelled": "stopped",
    "queued": "not started",
    "running": "running",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`status` is the gravest that happened; `sentence` has no full stop; `remarks` are sentences of their own."""

    status: Status
    sentence: str
    remarks: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        return SIGNS[self.status]


def verdict(report: Report) -> Verdict:
    """What a report comes to: `2 of 7 runs failed, 1 could not finish`."""
    summary = report.summary
    remarks = [
        *(["The budget was used up before all was played."] if report.over_budget else []),
        *(["Greenroom was stopped before all was played."] if report.interrupted else []),
    ]
    counts: list[tuple[Status, int]] = [
        ("failed", summary.failed),
        ("error", summary.errors),
        ("cancelled", summary.cancelled),
    ]
    told = [(status, count) for status, count in counts if count]
    worst: Status
    if told:
        (worst, first), *others = told
        words = [f"{first} of {plural(summary.runs, 'run')} {WORDS[worst]}"]
        words += [f"{count} {WORDS[status]}" for status, count in others]
    elif not summary.runs:
        worst, words = "cancelled", ["Nothing was played"]
    else:
        worst = "cancelled" if summary.not_started else "passed"
        words = ["The run passed" if summary.runs == 1 else f"All {summary.runs:,} runs passed"]
    if summary.not_started:
        words.append(f"{summary.not_started} not started")
    return Verdict(worst, ", ".join(words), tuple(remarks))


def sums(report: Report) -> list[tuple[str, str]]:
    """The sums of a report, each as a name and a value."""
    summary = report.summary
    count = summary.input_tokens + summary.output_tokens
    return [
        ("Runs", f"{summary.runs:,}"),
        ("Checks held", f"{summary.checks_passed:,} of {summary.checks:,}"),
        ("Tokens", tokens(count, estimated=summary.tokens_estimated)),
        ("Cost", cost(summary.cost_usd, complete=summary.cost_complete)),
        ("Time", seconds(summary.seconds)),
    ]


def percent(share: float) -> str:
    """A share from 0 to 1; only what is whole reads as 0% or 100%."""
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        return ">99%"
    return "<1%" if rounded == 0 and share > 0 else f"{rounded}%"


def by_test(runs: Iterable[ReportedRun]) -> list[tuple[RepeatSummary, list[ReportedRun]]]:
    """The runs of each test, variation and variant with what they come to, in the order in which they first come."""
    groups: dict[tuple[str, str, str | None, str | None], list[ReportedRun]] = {}
    for run in runs:
        groups.setdefault((run.agent, run.test, run.variation, run.variant), []).append(run)
    return [(summarise(group)[0], group) for group in groups.values()]


def why(run: Run) -> str:
    """Why a run did not pass, on one line of at most 300 characters: its error, or the first required check that did
    not hold and how many more did not; empty where nothing tells."""
    return shorten(_why(run), _WHY_LIMIT)


def _why(run: Run) -> str:
    if run.status == "error":
        return printable_line(run.error or "The run could not finish.")
    broken = [result for result in run.checks if result.passed is False and result.check.required]
    if broken:
        detail = printable_line(broken[0].detail)
        words = describe_check(broken[0].check) + (f": {detail}" if detail else "")
        more = len(broken) - 1
        return f"{shorten(words, _WHY_LIMIT - 30)} (and {plural(more, 'more check')})" if more else words
    if run.status == "failed" and run.scorecard is not None:
        return f"score {run.scorecard.score} of 100: {printable_line(run.scorecard.summary)}"
    return ""
