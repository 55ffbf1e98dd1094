"""The report on a terminal: a table of the runs, then each one that did not pass with its talk, then the sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.model.run import CheckResult, Run, Status
from greenroom.report.console import Signs
from greenroom.report.describe import KINDS, describe_check, describe_end
from greenroom.report.figures import checks_held, cost, plural, run_cost, run_seconds, run_tokens, seconds, tokens
from greenroom.report.printable import printable_line
from greenroom.report.results import WHY_NOT_STARTED, Report, ReportedRun
from greenroom.report.talk import BROKEN, QUIET, TalkView, broken_checks

STATUS_STYLES: dict[Status, Style] = {
    "queued": Style(dim=True),
    "running": Style(dim=True),
    "passed": Style(color="green"),
    "failed": Style(color="red", bold=True),
    "error": Style(color="yellow", bold=True),
    "cancelled": Style(dim=True),
}
_NARROW = 60
_MEDIUM = 90
_LINES_BEFORE_AN_ERROR = 6


def render_report(report: Report, signs: Signs) -> Iterator[RenderableType]:
    """The whole report, part by part."""
    if report.runs:
        yield RunTable(report.runs, signs)
    for run in report.runs:
        if run.status in ("failed", "error"):
            yield Text("")
            yield render_run(run, signs)
    yield from _warnings_of_the_others(report.runs, signs)
    yield from _not_started(report, signs)
    yield Text("")
    yield render_sums(report, signs)


def status_sign(status: Status, signs: Signs) -> str:
    return {"passed": signs.passed, "failed": signs.failed, "error": signs.warning}.get(status, signs.open)


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


def render_run(run: ReportedRun, signs: Signs) -> RenderableType:
    """A run that did not pass: what it was, its talk with the breaking line marked, its checks and warnings."""
    style = STATUS_STYLES[run.status]
    title = Text(f"{status_sign(run.status, signs)} {printable_line(run.title)}", style=style + Style(bold=True))
    parts: list[RenderableType] = [Rule(title, align="left", characters=signs.empty, style=QUIET), _facts(run, signs)]
    if run.error:
        parts += [Text(""), Text(printable_line(run.error), style=style)]
    if run.transcript:
        parts += [Text(""), *_talk(run, signs)]
    if run.checks and run.status != "error":
        parts += [Text(""), _check_list(run, signs)]
    if run.scorecard is not None:
        parts += [Text(""), _scorecard(run)]
    if run.warnings:
        parts += [Text(""), *(_warning(warning, signs) for warning in run.warnings)]
    return Group(*parts)


def _facts(run: ReportedRun, signs: Signs) -> Text:
    facts = [printable_line(run.agent), KINDS[run.kind], plural(run.turns, "turn"), describe_end(run)]
    if run.variant:
        facts.append(f"variant {printable_line(run.variant)}")
    if run.file is not None:
        facts.append(printable_line(run.file) + (f":{run.line}" if run.line is not None else ""))
    return Text(f" {signs.dot} ".join(facts), style=QUIET)


def _talk(run: Run, signs: Signs) -> Iterator[RenderableType]:
    start = max(0, len(run.transcript) - _LINES_BEFORE_AN_ERROR) if run.status == "error" else 0
    if start:
        yield Text(f"({plural(start, 'earlier line')} left out)", style=QUIET)
    yield TalkView(run, signs, start)


def _check_list(run: Run, signs: Signs) -> RenderableType:
    marked = [result for results in broken_checks(run).values() for result in results]
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for result in run.checks:
        sign, style = _check_sign(result, signs)
        words = Text(describe_check(result.check), style=style)
        if not result.check.required:
            words.append(" (not required)", style=QUIET)
        if result.votes:
            words.append(f" ({printable_line(result.votes)} judges)", style=QUIET)
        if result.turn is not None and result in marked:
            words.append(f": turn {result.turn}, marked above", style=QUIET)
        elif result.detail and result.passed is not True:
            words.append(f": {printable_line(result.detail)}", style=Style(bold=False))
        if result.passed is None and not result.detail:
            words.append(": not graded", style=QUIET)
        if result.quote_verified is False:
            words.append(" (the judge quotes what nobody said)", style=QUIET)
        grid.add_row(Text(sign, style=style), words)
    return grid


def _check_sign(result: CheckResult, signs: Signs) -> tuple[str, Style]:
    if result.passed is None:
        return signs.open, QUIET
    return (signs.passed, Style(color="green")) if result.passed else (signs.failed, BROKEN)


def _scorecard(run: Run) -> Text:
    assert run.scorecard is not None  # noqa: S101 - the caller has looked
    words = Text(f"Score {run.scorecard.score} of 100", style=Style(bold=True))
    return words.append(f": {printable_line(run.scorecard.summary)}", style=Style(bold=False))


def _warning(warning: str, signs: Signs, title: str = "") -> Text:
    words = Text(f"{signs.warning} ", style=Style(color="yellow", bold=True))
    if title:
        words.append(f"{printable_line(title)}: ", style=Style(bold=True))
    return words.append(printable_line(warning), style=Style(bold=False, color="yellow"))


def _warnings_of_the_others(runs: Sequence[Run], signs: Signs) -> Iterator[RenderableType]:
    others = [run for run in runs if run.warnings and run.status not in ("failed", "error")]
    if others:
        yield Text("")
    for run in others:
        for warning in run.warnings:
            yield _warning(warning, signs, run.title)


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
    for count, word, status in counts:
        if count:
            line.append(", " if line.plain else "").append(f"{count} {word}", style=STATUS_STYLES[status])
    if not line.plain:
        line.append("nothing was played", style=QUIET)
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
