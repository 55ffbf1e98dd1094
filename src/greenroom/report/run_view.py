"""One run on a terminal: what it was, its talk with the line that broke a check, its checks and warnings."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.model.run import CheckResult, Run, Status
from greenroom.report.console import Signs
from greenroom.report.describe import KINDS, describe_check, describe_end
from greenroom.report.figures import plural
from greenroom.report.labels import describe_agreement, known_agreement
from greenroom.report.printable import printable_line
from greenroom.report.results import ReportedRun
from greenroom.report.talk import BROKEN, QUIET, TalkView, broken_checks

STATUS_STYLES: dict[Status, Style] = {
    "queued": Style(dim=True),
    "running": Style(dim=True),
    "passed": Style(color="green"),
    "failed": Style(color="red", bold=True),
    "error": Style(color="yellow", bold=True),
    "cancelled": Style(dim=True),
}
_LINES_BEFORE_AN_ERROR = 6


def status_sign(status: Status, signs: Signs) -> str:
    return {"passed": signs.passed, "failed": signs.failed, "error": signs.warning}.get(status, signs.open)


def render_run(run: ReportedRun, signs: Signs, title: str | None = None) -> RenderableType:
    """A run that did not pass, under `title` or its own: what it was, its talk with the breaking line marked, its
    checks and warnings."""
    style = STATUS_STYLES[run.status]
    heading = printable_line(run.title if title is None else title)
    parts: list[RenderableType] = [
        headline(Text(f"{status_sign(run.status, signs)} {heading}", style=style + Style(bold=True)), signs),
        _facts(run, signs),
    ]
    if run.error:
        parts += [Text(""), Text(printable_line(run.error), style=style)]
    if run.transcript:
        parts += [Text(""), *_talk(run, signs)]
    if run.checks and run.status != "error":
        parts += [Text(""), _check_list(run, signs)]
    if run.scorecard is not None:
        parts += [Text(""), _scorecard(run)]
    if run.warnings:
        parts += [Text(""), *(render_warning(warning, signs) for warning in run.warnings)]
    return Group(*parts)


def headline(title: Text, signs: Signs) -> Rule:
    """What a part of the report starts with: its title, and a line to the edge."""
    return Rule(title, align="left", characters=signs.empty, style=QUIET)


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


def _check_list(run: ReportedRun, signs: Signs) -> RenderableType:
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
        if (known := known_agreement(result, run.agreements)) is not None:
            words.append(f" ({describe_agreement(known)})", style=QUIET)
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


def render_warning(warning: str, signs: Signs, title: str = "") -> Text:
    """A warning on one line, with the title of what it concerns before it."""
    words = Text(f"{signs.warning} ", style=Style(color="yellow", bold=True))
    if title:
        words.append(f"{printable_line(title)}: ", style=Style(bold=True))
    return words.append(printable_line(warning), style=Style(bold=False, color="yellow"))
