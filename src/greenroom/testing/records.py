"""What is kept of each pytest test for its report: the talks, and their sums for the summary at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias, cast

import pytest

from greenroom.testing.played import Played, TalkFailed
from greenroom.testing.settings import Marked, read_marked

Figures: TypeAlias = dict[str, int | str | bool | list[str]]
"""Sums of the talks of one phase of a test, of plain values only, so that pytest-xdist can carry them."""


@dataclass(slots=True)
class Record:
    """The talks of a test. `told` are already in a report."""

    played: list[Played] = field(default_factory=list[Played])
    told: int = 0


_RECORD = pytest.StashKey[Record]()


def keep(item: pytest.Item, played: Played) -> None:
    """Keep what was played in a test."""
    item.stash.setdefault(_RECORD, Record()).played.append(played)


def marked_by(item: pytest.Item) -> Marked:
    """What the `greenroom` mark nearest to a test says.

    Raises:
        UserMistake: it cannot be read.
    """
    mark = item.get_closest_marker("greenroom")
    return Marked() if mark is None else read_marked(mark.kwargs, len(mark.args))


def add_to_report(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Add what was played since the last report of a test: its sums, properties for JUnit, and on failure the talk."""
    record = item.stash.get(_RECORD, None)
    if record is None:
        return
    fresh = record.played[record.told :]
    record.told = len(record.played)
    if fresh:
        vars(report)["greenroom_figures"] = figures_of(fresh)
        properties = _properties(fresh)
        item.user_properties.extend(properties)
        report.user_properties.extend(properties)
    shows_talk = call.excinfo is not None and isinstance(call.excinfo.value, TalkFailed)
    if report.failed and not shows_talk:
        for played in record.played:
            report.sections.append((f"Greenroom: {played.test.name}", str(played)))


def figures_of(several: list[Played]) -> Figures:
    """The sums of some talks."""
    from greenroom.report.figures import is_estimated
    from greenroom.testing.showing import shown_rates

    runs = [run for played in several for run in played.runs]
    return {
        "runs": len(runs),
        "passed": sum(run.status == "passed" for run in runs),
        "failed": sum(run.status == "failed" for run in runs),
        "errors": sum(run.status == "error" for run in runs),
        "tokens": sum(sum(run.tokens()) for run in runs),
        "estimated": any(is_estimated(run.usage) for run in runs),
        "cost": str(sum((run.known_cost_usd for run in runs), Decimal(0))),
        "cost_complete": all(run.cost_usd is not None for run in runs),
        "rates": [
            f"{summary.title}: {shown_rates(summary)}"
            for played in several
            for summary in played.summaries
            if summary.runs > 1
        ],
    }


def _properties(several: list[Played]) -> list[tuple[str, object]]:
    """What JUnit shows of some talks; several talks of a test share one value of each."""
    from greenroom.report.figures import cost

    figures = figures_of(several)
    spent = cost(Decimal(cast("str", figures["cost"])), complete=bool(figures["cost_complete"]))
    values: list[tuple[str, object]] = [("greenroom_runs", figures["runs"]), ("greenroom_passed", figures["passed"])]
    values += [("greenroom_tokens", figures["tokens"]), ("greenroom_cost", spent)]
    values += [("greenroom_ended_by", run.ended_by) for played in several for run in played.runs[:1] if run.ended_by]
    return values


class Sums:
    """Adds up the figures of all reports of a session, wherever the tests ran."""

    def __init__(self) -> None:
        self.runs = self.passed = self.failed = self.errors = self.tokens = 0
        self.cost = Decimal(0)
        self.cost_complete = True
        self.estimated = False
        self.rates: list[str] = []

    def add(self, figures: Figures) -> None:
        """Add the figures of one report."""
        for name in ("runs", "passed", "failed", "errors", "tokens"):
            setattr(self, name, getattr(self, name) + figures[name])
        self.cost += Decimal(cast("str", figures["cost"]))
        self.cost_complete &= bool(figures["cost_complete"])
        self.estimated |= bool(figures["estimated"])
        self.rates += cast("list[str]", figures["rates"])

    def lines(self) -> list[str]:
        """The summary: what repeats came to, and all sums in one line."""
        from greenroom.report.figures import cost, plural, tokens

        counts = [f"{self.passed} passed"]
        counts += [f"{self.failed} failed"] if self.failed else []
        counts += [f"{self.errors} could not finish"] if self.errors else []
        spent = cost(self.cost, complete=self.cost_complete)
        unit = "token" if self.tokens == 1 else "tokens"
        counted = tokens(self.tokens, estimated=self.estimated)
        return [*self.rates, f"{plural(self.runs, 'talk')}: {', '.join(counts)} · {counted} {unit} · cost {spent}"]
