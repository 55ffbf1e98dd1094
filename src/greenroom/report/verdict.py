"""What a report, a test and a run come to, in a few words, for the reports that open with it."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.grade.repeats import RepeatSummary
from greenroom.model.run import Run, Status
from greenroom.model.text import shorten
from greenroom.report.describe import describe_check
from greenroom.report.figures import cost, plural, seconds, tokens
from greenroom.report.printable import printable_line
from greenroom.report.results import GateResult, Report

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
    """What a report comes to: `2 of 7 runs failed, 1 could not finish`. Where a gate was set, what it says of the tests
    goes first, and runs that failed within it are no failure."""
    remarks = [
        *(["The budget was used up before all was played."] if report.over_budget else []),
        *(["Greenroom was stopped before all was played."] if report.interrupted else []),
    ]
    status, words = _of_runs(report)
    if report.gate is not None and report.runs:
        words.insert(0, _of_gate(report.gate, len(report.summaries)))
        if report.gate.closed:
            status = "failed"
        elif status == "failed":
            status = "error" if report.summary.errors else "cancelled" if report.summary.cancelled else "passed"
    if report.summary.not_started:
        words.append(f"{report.summary.not_started:,} not started")
    return Verdict(status, ", ".join(words), tuple(remarks))


def _of_runs(report: Report) -> tuple[Status, list[str]]:
    summary = report.summary
    counts: dict[Status, int] = {"failed": summary.failed, "error": summary.errors, "cancelled": summary.cancelled}
    told: list[Status] = [status for status, count in counts.items() if count]
    if told:
        words = [f"{counts[told[0]]:,} of {plural(summary.runs, 'run')} {WORDS[told[0]]}"]
        return told[0], [*words, *(f"{counts[status]:,} {WORDS[status]}" for status in told[1:])]
    if not summary.runs:
        return "cancelled", ["Nothing was played"]
    passed = "The run passed" if summary.runs == 1 else f"All {summary.runs:,} runs passed"
    return ("cancelled" if summary.not_started else "passed"), [passed]


def _of_gate(result: GateResult, tests: int) -> str:
    wanted = [f"a pass rate of {percent(result.min_pass_rate)}"] if result.min_pass_rate is not None else []
    if result.min_pass_power is not None:
        k, value = result.min_pass_power
        wanted.append(f"pass^{k} of {percent(value)}")
    asked = f"{' and '.join(wanted)} or more"
    if not result.closed:
        return f"Every test has {asked}"
    return f"{len(result.closed):,} of {plural(tests, 'test')} {'lacks' if len(result.closed) == 1 else 'lack'} {asked}"


def status_of(summary: RepeatSummary, gate: GateResult | None) -> Status:
    """What the runs of a test count as together: with a gate that is the gate's to say, else every run has to pass."""
    if summary.passes < summary.finished and (gate is None or gate.gate.why_closed(summary)):
        return "failed"
    if summary.errors:
        return "error"
    return "passed" if summary.finished and not summary.cancelled else "cancelled"


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
