"""What came of one start of Greenroom: its runs, what was not played, and the sums. Every report is made of this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import ClassVar, Literal

from pydantic import Field

from greenroom.grade.calibration import Agreement
from greenroom.grade.comparison import Comparison, compare
from greenroom.grade.repeats import Gate, RepeatSummary, repeats_of, summarise
from greenroom.model.base import Recorded
from greenroom.model.run import Dollars, Run
from greenroom.report.figures import is_estimated

REPORT_SCHEMA_VERSION = 1
"""Rises when a field goes away or changes its meaning. Fields that are added leave it as it is: whoever reads a report
passes over those that it does not know, and this version reads reports that lack those it knows."""

WhyNotStarted = Literal["over_budget", "stopped", "fail_fast"]

WHY_NOT_STARTED: dict[WhyNotStarted, str] = {
    "over_budget": "the budget was used up before its turn came",
    "stopped": "all was stopped before its turn came",
    "fail_fast": "an earlier test failed, and the first failure was to end it all",
}


class ReportedRun(Run):
    """A run, and where its test is written: the file, and the line counted from 1. `agreements` says how well the judge
    is known to agree with people on the questions of its checks, where people have labelled any."""

    file: str | None = None
    line: int | None = None
    agreements: list[Agreement] = Field(default_factory=list[Agreement])

    @classmethod
    def of(cls, run: Run, file: str | None = None, line: int | None = None) -> ReportedRun:
        fields = {name: getattr(run, name) for name in Run.model_fields}
        return cls.model_construct(**fields, file=file, line=line)


class NotStarted(Recorded):
    """A run that was asked for and never started. `title` is as a run's."""

    title: str
    test: str
    agent: str
    reason: WhyNotStarted
    file: str | None = None
    line: int | None = None


class Summary(Recorded):
    """The sums of a report. `runs` counts those that were played, also in part; `cost_usd` is the part of the cost
    whose price is known, and the whole of it when `cost_complete`. `seconds` is from the first start to the end."""

    runs: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    cancelled: int = 0
    not_started: int = 0
    checks_passed: int = 0
    checks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    cost_usd: Dollars = Decimal(0)
    cost_complete: bool = True
    seconds: float = 0.0


class TestSummary(RepeatSummary):
    """What the repeats of a test come to, and where it is written."""

    __test__: ClassVar[bool] = False

    file: str | None = None
    line: int | None = None


class GateResult(Recorded):
    """What every test had to reach (`min_pass_rate` from 0 to 1; `min_pass_power` as K and a value from 0 to 1), and a
    sentence for each that did not."""

    min_pass_rate: float | None = None
    min_pass_power: tuple[int, float] | None = None
    closed: list[str] = Field(default_factory=list[str])

    @property
    def gate(self) -> Gate:
        return Gate(self.min_pass_rate, self.min_pass_power)


class Report(Recorded):
    """The whole result of one start of Greenroom. Holds no secret, as runs hold none.

    `summaries` has one entry for each test, variation and variant that was played. `gate` is there where one was set,
    `comparison` where two variants were compared.
    """

    schema_version: int = REPORT_SCHEMA_VERSION
    greenroom_version: str
    started_at: datetime
    finished_at: datetime
    variant: str | None = None
    over_budget: bool = False
    interrupted: bool = False
    summary: Summary
    summaries: list[TestSummary] = Field(default_factory=list[TestSummary])
    gate: GateResult | None = None
    comparison: Comparison | None = None
    runs: list[ReportedRun] = Field(default_factory=list[ReportedRun])
    not_started: list[NotStarted] = Field(default_factory=list[NotStarted])


def by_test(runs: Iterable[ReportedRun]) -> list[tuple[TestSummary, list[ReportedRun]]]:
    """The runs of each test, variation and variant with what they come to, in the order in which they first come."""
    return [(_summary_of(group), group) for group in repeats_of(runs, place_of)]


def place_of(run: ReportedRun) -> str | None:
    """The file of a run's test: what tells tests of the same name apart."""
    return run.file


def apart_by(runs: Iterable[ReportedRun]) -> Callable[[ReportedRun], str | None] | None:
    """What tells the tests of a comparison apart: their files where two have the same name, else nothing, since the
    same tests may lie elsewhere on the other side."""
    files: dict[tuple[str | None, str, str | None], str | None] = {}
    for run in runs:
        if files.setdefault((run.variant, run.test, run.variation), run.file) != run.file:
            return place_of
    return None


def _summary_of(runs: Sequence[ReportedRun]) -> TestSummary:
    (summary,) = summarise(runs)
    fields = {name: getattr(summary, name) for name in RepeatSummary.model_fields}
    return TestSummary.model_construct(**fields, file=runs[0].file, line=runs[0].line)


def make_report(
    runs: Sequence[ReportedRun],
    not_started: Sequence[NotStarted],
    *,
    started_at: datetime,
    finished_at: datetime,
    variant: str | None = None,
    over_budget: bool = False,
    interrupted: bool = False,
    gate: Gate | None = None,
    sides: tuple[str, str] | None = None,
) -> Report:
    """The report on these runs, with its sums. `gate` is what each test must reach; `sides` are the two variants that
    are compared."""
    elapsed = max(0.0, (finished_at - started_at).total_seconds())
    summaries = [summary for summary, _ in by_test(runs)]
    return Report(
        greenroom_version=greenroom_version(),
        started_at=started_at,
        finished_at=finished_at,
        variant=variant,
        over_budget=over_budget,
        interrupted=interrupted,
        summary=_sum_up(runs, len(not_started), elapsed),
        summaries=summaries,
        gate=_gate_result(gate, summaries) if gate is not None and gate.is_set else None,
        comparison=compare(runs, *sides, apart_by(runs)) if sides is not None else None,
        runs=list(runs),
        not_started=list(not_started),
    )


def _gate_result(gate: Gate, summaries: Iterable[TestSummary]) -> GateResult:
    closed = [sentence for summary in summaries if (sentence := gate.why_closed(summary))]
    return GateResult(min_pass_rate=gate.min_pass_rate, min_pass_power=gate.min_pass_power, closed=closed)


def _sum_up(runs: Iterable[Run], not_started: int, elapsed: float) -> Summary:
    summary = Summary(not_started=not_started, seconds=round(elapsed, 3))
    for run in runs:
        summary.runs += 1
        summary.passed += run.status == "passed"
        summary.failed += run.status == "failed"
        summary.errors += run.status == "error"
        summary.cancelled += run.status == "cancelled"
        summary.checks += len(run.checks)
        summary.checks_passed += sum(1 for check in run.checks if check.passed)
        asked, answered = run.tokens()
        summary.input_tokens += asked
        summary.output_tokens += answered
        summary.tokens_estimated |= is_estimated(run.usage)
        summary.cost_usd += run.known_cost_usd
        summary.cost_complete &= run.cost_usd is not None
    return summary


@cache
def greenroom_version() -> str:
    """The version of Greenroom that is installed; `unknown` when it is run from a folder without being installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("greenroom")
    except PackageNotFoundError:
        return "unknown"
