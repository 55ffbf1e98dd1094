"""What the repeats of a test come to: its pass rate, how sure that is, and whether it is flaky."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field
from typing_extensions import TypeVar

from greenroom.grade.statistics import pass_power, wilson
from greenroom.model.base import Recorded
from greenroom.model.checks import Check
from greenroom.model.run import Run

RunType = TypeVar("RunType", bound=Run)


class CheckRate(Recorded):
    """How often one check held: `passed` of the `graded` times that it was decided."""

    check: Check
    passed: int
    graded: int

    @property
    def rate(self) -> float | None:
        return self.passed / self.graded if self.graded else None


class RepeatSummary(Recorded):
    """The runs of one test (and variation, and variant) taken together.

    `finished` counts the runs with a verdict; runs that ended in an error or were stopped say nothing of the agent
    and are counted apart. Rates are from 0 to 1, and `None` where no run finished. `pass_powers[k - 1]` is pass^k.
    """

    test: str
    agent: str
    variation: str | None = None
    variant: str | None = None
    runs: int
    finished: int
    passes: int
    errors: int
    cancelled: int
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    pass_powers: list[float] = Field(default_factory=list[float])
    checks: list[CheckRate] = Field(default_factory=list[CheckRate])
    flaky: bool = False

    @property
    def title(self) -> str:
        return f"{self.test} [{self.variation}]" if self.variation else self.test


def summarise(runs: Iterable[Run]) -> list[RepeatSummary]:
    """One summary for each test, variation and variant, in the order in which they first come."""
    return [_summary(group) for group in repeats_of(runs)]


def repeats_of(runs: Iterable[RunType], apart: Callable[[RunType], Hashable] | None = None) -> list[list[RunType]]:
    """The runs of each test, variation and variant together, in the order in which they first come. `apart` tells
    tests of the same name apart, for example by their files."""
    groups: dict[Hashable, list[RunType]] = {}
    for run in runs:
        key = (run.agent, run.test, run.variation, run.variant, apart(run) if apart else None)
        groups.setdefault(key, []).append(run)
    return list(groups.values())


def _summary(runs: Sequence[Run]) -> RepeatSummary:
    first = runs[0]
    finished = [run for run in runs if run.status in ("passed", "failed")]
    passes = sum(run.status == "passed" for run in finished)
    summary = RepeatSummary(
        test=first.test,
        agent=first.agent,
        variation=first.variation,
        variant=first.variant,
        runs=len(runs),
        finished=len(finished),
        passes=passes,
        errors=sum(run.status == "error" for run in runs),
        cancelled=sum(run.status == "cancelled" for run in runs),
        checks=_check_rates(finished),
        flaky=0 < passes < len(finished),
    )
    if finished:
        interval = wilson(passes, len(finished))
        summary.rate, summary.low, summary.high = passes / len(finished), interval.low, interval.high
        summary.pass_powers = [pass_power(passes, len(finished), k) for k in range(1, len(finished) + 1)]
    return summary


def _check_rates(runs: Sequence[Run]) -> list[CheckRate]:
    if not runs:
        return []
    rates: list[CheckRate] = []
    for index, result in enumerate(runs[0].checks):
        decided = [run.checks[index].passed for run in runs if index < len(run.checks)]
        graded = [passed for passed in decided if passed is not None]
        rates.append(CheckRate(check=result.check, passed=sum(graded), graded=len(graded)))
    return rates


@dataclass(frozen=True, slots=True)
class Gate:
    """What repeats must reach: a pass rate (0 to 1), or pass^k of at least a value (0 to 1)."""

    min_pass_rate: float | None = None
    min_pass_power: tuple[int, float] | None = None

    @property
    def is_set(self) -> bool:
        return self.min_pass_rate is not None or self.min_pass_power is not None

    def why_closed(self, summary: RepeatSummary) -> str:
        """Why a test does not pass the gate, in a sentence; empty where it does."""
        if summary.rate is None:
            return f"{summary.title}: no run finished, so there is no pass rate."
        if self.min_pass_rate is not None and summary.rate < self.min_pass_rate:
            return (
                f"{summary.title}: {summary.passes} of {summary.finished} runs passed ({summary.rate:.0%}), "
                f"below the {self.min_pass_rate:.0%} asked for."
            )
        if self.min_pass_power is not None:
            k, wanted = self.min_pass_power
            if k > len(summary.pass_powers):
                return f"{summary.title}: pass^{k} needs {k} finished runs; there are {summary.finished}."
            if summary.pass_powers[k - 1] < wanted:
                return (
                    f"{summary.title}: pass^{k} is {summary.pass_powers[k - 1]:.0%}, below the {wanted:.0%} asked for."
                )
        return ""
