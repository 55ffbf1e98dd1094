"""The report on a terminal: a table, then what did not pass with its talk, then the sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.model.run import Run, Status
from greenroom.report.console import Signs
from greenroom.report.difference_view import render_comparison
from greenroom.report.figures import checks_held, cost, plural, run_cost, run_seconds, run_tokens, seconds, tokens
from greenroom.report.printable import printable_line
from greenroom.report.repeats_view import SummaryTable, render_gate, render_repeats
from greenroom.report.results import WHY_NOT_STARTED, Report
from greenroom.report.run_view import STATUS_STYLES, render_run, render_warning, status_sign
from greenroom.report.talk import QUIET

_NARROW = 60
_MEDIUM = 90


def render_report(report: Report, signs: Signs) -> Iterator[RenderableType]:
    """The whole report, part by part: a row a run, or a row a test where tests were repeated."""
    if report.comparison is not None:
        yield from render_comparison(report, report.comparison, signs)
    elif is_repeated(report):
        yield SummaryTable(report, signs)
        yield from render_repeats(report, signs)
    else:
        yield from _single_runs(report, signs)
    yield from _warnings_of_the_others(report, signs)
    yield from _not_started(report, signs)
    if report.gate is not None:
        yield Text("")
        yield from render_gate(report, report.gate, signs)
    yield Text("")
    yield render_sums(report, signs)


def is_repeated(report: Report) -> bool:
    """Whether any test was played more than once, so that its runs are to be read together."""
    return any(run.repeat_index for run in report.runs)


def _single_runs(report: Report, signs: Signs) -> Iterator[RenderableType]:
    if report.runs:
        yield RunTable(report.runs, signs)
    for run in report.runs:
        if run.status in ("failed", "error"):
            yield Text("")
            yield render_run(run, signs)


class RunTable:
    """One row a run. Columns that do not fit the width are left out, the least needed first."""

    def __init__(self, runs: Sequence[Run], signs: Signs) -> None:
        self._runs = runs
        self._signs = signs
        self._several_agents = len({run.agent for run in runs}) > 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET, expand=False)
        table.add_column("Test", overflow="fold", min_width=min(16, width // 2))
        if self._several_agents and width >= _MEDIUM:
            table.add_column("Agent", overflow="fold")
        table.add_column("Verdict", no_wrap=True)
        if width >= _NARROW:
            table.add_column("Turns", justify="right", no_wrap=True)
        table.add_column("Checks", justify="right", no_wrap=True)
        if width >= _MEDIUM:
            table.add_column("Tokens", justify="right", no_wrap=True)
        if width >= _NARROW:
            table.add_column("Cost", justify="right")
            table.add_column("Time", justify="right", no_wrap=True)
        for run in self._runs:
            table.add_row(*self._cells(run, width))
        yield table

    def _cells(self, run: Run, width: int) -> Iterator[RenderableType]:
        yield Text(printable_line(run.title))
        if self._several_agents and width >= _MEDIUM:
            yield Text(printable_line(run.agent))
        yield Text(f"{status_sign(run.status, self._signs)} {run.status}", style=STATUS_STYLES[run.status])
        if width >= _NARROW:
            yield Text(str(run.turns))
        held, total = checks_held(run)
        yield Text(f"{held}/{total}" if total else self._signs.open)
        if width >= _MEDIUM:
            yield Text(run_tokens(run))
        if width >= _NARROW:
            yield Text(run_cost(run))
            took = run_seconds(run)
            yield Text(self._signs.open if took is None else seconds(took))


def _warnings_of_the_others(report: Report, signs: Signs) -> Iterator[RenderableType]:
    """What the runs whose talk is not shown warn of; runs of one test that warn of the same do so in one line."""
    together = is_repeated(report) or report.comparison is not None
    counts: dict[tuple[str, str], int] = {}
    for run in report.runs:
        if together or run.status not in ("failed", "error"):
            title = f"{run.test} [{run.variation}]" if run.variation else run.test
            for warning in run.warnings:
                key = (title if together else run.title, warning)
                counts[key] = counts.get(key, 0) + 1
    if counts:
        yield Text("")
    for (title, warning), count in counts.items():
        yield render_warning(warning if count == 1 else f"{warning} (in {count} runs)", signs, title)


def _not_started(report: Report, signs: Signs) -> Iterator[RenderableType]:
    if not report.not_started:
        return
    yield Text("")
    for reason, why in WHY_NOT_STARTED.items():
        titles = [printable_line(entry.title) for entry in report.not_started if entry.reason == reason]
        if not titles:
            continue
        words = Text(
            f"{signs.open} {plural(len(titles), 'run was', 'runs were')} not started: ", style=Style(bold=True)
        )
        yield words.append(f"{why}.", style=Style(bold=False))
        for title in titles:
            yield Padding(Text(title, style=QUIET), (0, 0, 0, 2))


def render_sums(report: Report, signs: Signs) -> Text:
    """One line: how many passed, failed and so on, checks, tokens, cost, time."""
    summary = report.summary
    counts: list[tuple[int, str, Status]] = [
        (summary.failed, "failed", "failed"),
        (summary.errors, "could not finish", "error"),
        (summary.cancelled, "stopped", "cancelled"),
        (summary.passed, "passed", "passed"),
        (summary.not_started, "not started", "queued"),
    ]
    line = Text()
    if is_repeated(report) or report.comparison is not None:
        tests = len(report.comparison.tests if report.comparison is not None else report.summaries)
        line.append(f"{plural(tests, 'test')}, {plural(summary.runs, 'run')}: ", style=Style(bold=True))
    told = Text(", ").join(
        Text(f"{count:,} {word}", style=STATUS_STYLES[status]) for count, word, status in counts if count
    )
    line.append_text(told if told.plain else Text("nothing was played", style=QUIET))
    rest = [
        f"{summary.checks_passed} of {plural(summary.checks, 'check')}",
        plural_tokens(report),
        f"cost {cost(summary.cost_usd, complete=summary.cost_complete)}",
        seconds(summary.seconds),
    ]
    return line.append(f" {signs.dot} " + f" {signs.dot} ".join(rest), style=QUIET)


def plural_tokens(report: Report) -> str:
    summary = report.summary
    count = summary.input_tokens + summary.output_tokens
    return f"{tokens(count, estimated=summary.tokens_estimated)} {'token' if count == 1 else 'tokens'}"
