"""A batch in the making, for people who watch: what each run in progress is doing, and how far all is.

`Progress` is told of every event and keeps what there is to show; it takes the time as an argument and draws nothing
by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.grade.repeats import summarise
from greenroom.model.events import (
    CheckGraded,
    Event,
    GradingStarted,
    LineAdded,
    ModelAsked,
    RunFinished,
    RunStarted,
    TurnStarted,
    UsageChanged,
)
from greenroom.model.llm import Role
from greenroom.model.run import RoleUsage, Run
from greenroom.report.console import Signs
from greenroom.report.figures import checks_held, cost, plural, run_cost, run_seconds, seconds
from greenroom.report.printable import printable_line
from greenroom.report.run_view import STATUS_STYLES, status_sign
from greenroom.report.talk import AGENT, CALLER, QUIET, TOOL
from greenroom.report.verdict import status_of

_ASKED: dict[Role, tuple[str, Style]] = {
    "agent": ("agent is asked", AGENT),
    "caller": ("caller is asked", CALLER),
    "judge": ("judge is asked", TOOL),
}
_SPOKE: dict[str, tuple[str, Style]] = {
    "agent": ("agent spoke", AGENT),
    "caller": ("caller spoke", CALLER),
    "tool": ("tool answered", TOOL),
}
_BAR_WIDTH = 24
_ROOMY = 60


@dataclass(slots=True)
class RunProgress:
    """One run in progress. `since` is when it started, in seconds of the clock that `Progress` is told of."""

    title: str
    since: float
    turn: int = 0
    doing: str = "starting"
    style: Style = field(default_factory=Style)
    checks: int = 0
    checks_graded: int = 0


class Progress:
    """How far a batch of `total` runs is. `names_variants`: each run is told with its variant, since several play."""

    def __init__(self, total: int, *, names_variants: bool = False) -> None:
        self.total = total
        self.names_variants = names_variants
        self.done = 0
        self.failed = 0
        self.errors = 0
        self.stopping = False
        self.running: dict[str, RunProgress] = {}
        self._costs: dict[tuple[str, Role, str, str], Decimal | None] = {}
        self._known_cost = Decimal(0)
        self._unknown_costs = 0

    def hear(self, event: Event, now: float) -> None:
        """Take in one event; `now` in seconds of any steady clock."""
        match event:
            case RunStarted(run):
                self.running[run.id] = RunProgress(self.title_of(run), now)
            case RunFinished(run):
                self._finish(run)
            case UsageChanged(run_id, usage):
                self._count(run_id, usage)
            case _:
                row = self.running.get(event.run_id)
                if row is not None:
                    _update(row, event)

    def title_of(self, run: Run) -> str:
        """The title of a run on one line."""
        return printable_line(f"{run.title}, {run.variant}" if self.names_variants and run.variant else run.title)

    def _finish(self, run: Run) -> None:
        self.running.pop(run.id, None)
        self.done += 1
        self.failed += run.status == "failed"
        self.errors += run.status == "error"
        for usage in run.usage:
            self._count(run.id, usage)

    def _count(self, run_id: str, usage: RoleUsage) -> None:
        # Kept as a running sum: the bar is drawn ten times a second, whatever the number of runs.
        key = (run_id, usage.role, usage.provider, usage.model)
        before = self._costs.get(key, Decimal(0))
        self._known_cost += (usage.cost_usd or Decimal(0)) - (before or Decimal(0))
        self._unknown_costs += (usage.cost_usd is None) - (before is None)
        self._costs[key] = usage.cost_usd

    def cost(self) -> tuple[Decimal, bool]:
        """What the batch cost so far: the part whose price is known, and whether that is all of it."""
        return self._known_cost, not self._unknown_costs


def _update(row: RunProgress, event: Event) -> None:
    match event:
        case TurnStarted(turn=turn):
            row.turn = turn
        case ModelAsked(role=role):
            if role != "judge" or not row.checks:
                row.doing, row.style = _ASKED[role]
        case LineAdded(line=line):
            row.turn = max(row.turn, line.turn)
            row.doing, row.style = _SPOKE[line.role]
        case GradingStarted(checks=checks):
            row.checks = checks
            row.doing, row.style = _grading(row), TOOL
        case CheckGraded():
            row.checks_graded += 1
            row.doing, row.style = _grading(row), TOOL
        case _:
            pass


def _grading(row: RunProgress) -> str:
    return f"grading, {min(row.checks_graded, row.checks)} of {plural(row.checks, 'check')}"


class ProgressView:
    """Draws a `Progress` as it stands at `now`: at most `rows` runs, and the bar over all."""

    def __init__(self, progress: Progress, now: float, signs: Signs, rows: int) -> None:
        self._progress = progress
        self._now = now
        self._signs = signs
        self._rows = max(1, rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        roomy = options.max_width >= _ROOMY
        shown = list(islice(self._progress.running.values(), self._rows))
        more = len(self._progress.running) - len(shown)
        if shown:
            yield self._table(shown, roomy)
        if more:
            yield Text(f"and {plural(more, 'more run')} in progress", style=QUIET)
        yield self._bar(options.max_width)

    def _table(self, running: list[RunProgress], roomy: bool) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0), expand=True)
        table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        if roomy:
            table.add_column(no_wrap=True, width=8)
        table.add_column(no_wrap=True, width=24 if roomy else 16, overflow="ellipsis")
        if roomy:
            table.add_column(no_wrap=True, justify="right", width=9)
        for row in running:
            table.add_row(*self._cells(row, roomy))
        return table

    def _cells(self, row: RunProgress, roomy: bool) -> Iterator[Text]:
        yield Text(row.title)
        if roomy:
            yield Text(f"turn {row.turn}", style=QUIET)
        yield Text(row.doing, style=row.style)
        if roomy:
            yield Text(seconds(max(0.0, self._now - row.since)), style=QUIET)

    def _bar(self, width: int) -> Text:
        progress = self._progress
        room = min(_BAR_WIDTH, max(6, width // 4))
        full = room * progress.done // progress.total if progress.total else room
        broken = progress.failed or progress.errors
        bar = Text(self._signs.full * full, style=Style(color="red" if broken else "green"))
        bar.append(self._signs.empty * (room - full), style=QUIET)
        bar.append(f" {progress.done}/{progress.total}", style=Style(bold=True))
        if progress.failed:
            bar.append(f" {self._signs.dot} {progress.failed} failed", style=STATUS_STYLES["failed"])
        if progress.errors:
            bar.append(f" {self._signs.dot} {progress.errors} could not finish", style=STATUS_STYLES["error"])
        known, complete = progress.cost()
        bar.append(f" {self._signs.dot} cost {cost(known, complete=complete)}", style=QUIET)
        if progress.stopping:
            bar.append("\nStopping: runs end before their next model request. Ctrl-C again ends them at once.")
        return bar


def finished_test_line(runs: Sequence[Run], progress: Progress, signs: Signs) -> Text:
    """One plain line for a test whose last repeat has just finished: `✗ 14/20 passed  Moves a booking  [20/40]  $0`."""
    (summary,) = summarise(runs)
    status = status_of(summary, None)
    counted = f"{summary.passes}/{summary.runs} passed"
    line = Text().append(f"{status_sign(status, signs)} {counted:<13} ", style=STATUS_STYLES[status])
    variant = f", {summary.variant}" if progress.names_variants and summary.variant else ""
    line.append(f"{printable_line(summary.title + variant)}  ")
    known = sum((run.known_cost_usd for run in runs), Decimal(0))
    price = cost(known, complete=all(run.cost_usd is not None for run in runs))
    return line.append(f"[{progress.done}/{progress.total}]  {price}", style=QUIET)


def finished_line(run: Run, progress: Progress, signs: Signs) -> Text:
    """One plain line for a run that has just finished: `✓ passed  Moves a booking  3/3 checks  $0  0.2 s`."""
    held, total = checks_held(run)
    line = Text().append(f"{status_sign(run.status, signs)} {run.status:<9} ", style=STATUS_STYLES[run.status])
    line.append(f"{progress.title_of(run)}  ")
    took = run_seconds(run)
    facts = [f"{held}/{total} checks", run_cost(run), *([] if took is None else [seconds(took)])]
    line.append(f"[{progress.done}/{progress.total}]  " + f" {signs.dot} ".join(facts), style=QUIET)
    return line
