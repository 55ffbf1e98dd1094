"""One answer of the judge's, with the part of the talk that it rests on, as a person reads it to judge the judge."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.grade.calibration import question_of
from greenroom.model.run import CheckResult, Run
from greenroom.report.console import Signs
from greenroom.report.labels import describe_agreement, known_agreement
from greenroom.report.printable import printable, printable_line
from greenroom.report.results import ReportedRun
from greenroom.report.run_view import headline
from greenroom.report.talk import AGENT, BROKEN, CALLER, QUIET, TOOL, TalkView, words_of

_NEIGHBOURS = 2
_LAST_LINES = 4
_BOLD = Style(bold=True)


def show_judged(run: ReportedRun, index: int, number: int, of: int, signs: Signs) -> Iterator[RenderableType]:
    """An answer: where it was given, the question, the answer with its reason, and the lines around what it quotes."""
    result = run.checks[index]
    title = Text(f"{number} of {of}", style=_BOLD).append(f" {signs.dot} {printable_line(run.title)}", style=_BOLD)
    yield Text("")
    yield headline(title, signs)
    place = f"{run.id}:{index + 1} {signs.dot} {result.check.type}"
    yield Text(place + (f" {signs.dot} {printable_line(run.agent)}" if run.agent else ""), style=QUIET)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style=QUIET)
    grid.add_column(overflow="fold")
    grid.add_row("Question", Text(printable(question_of(result.check) or ""), style=_BOLD))
    grid.add_row("Judge says", _answer(result))
    if result.detail:
        grid.add_row("Because", Text(printable_line(result.detail)))
    known = known_agreement(result, run.agreements)
    if known is not None:
        grid.add_row("So far", Text(describe_agreement(known), style=QUIET))
    yield grid
    yield Text("")
    yield _around(run, result, signs)


def show_whole_talk(run: Run, signs: Signs) -> RenderableType:
    """The whole talk, with every line that broke a check marked."""
    return TalkView(run, signs)


def _answer(result: CheckResult) -> Text:
    words = Text("yes", style=Style(color="green", bold=True)) if result.passed else Text("no", style=BROKEN)
    if result.votes:
        words.append(f"  ({printable_line(result.votes)} judges)", style=QUIET)
    if result.quote_verified is False:
        words.append("  (it quotes what nobody said)", style=Style(color="yellow", bold=False))
    return words


def _around(run: Run, result: CheckResult, signs: Signs) -> RenderableType:
    """The line that an answer rests on with its neighbours; the last lines where it rests on none."""
    count = len(run.transcript)
    here = result.line if result.line is not None and 0 <= result.line < count else None
    start, end = (max(0, count - _LAST_LINES), count) if here is None else (here - _NEIGHBOURS, here + _NEIGHBOURS + 1)
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=len(signs.here))
    grid.add_column(justify="right", width=2)
    grid.add_column(width=6)
    grid.add_column(ratio=1, overflow="fold")
    styles = {"agent": AGENT, "caller": CALLER, "tool": TOOL}
    if start > 0:
        grid.add_row("", "", "", Text("…", style=QUIET))
    for index in range(max(start, 0), min(end, count)):
        line = run.transcript[index]
        mark = Text(signs.here, style=BROKEN) if index == here else Text("")
        role = Text(line.role, style=styles[line.role] + _BOLD)
        grid.add_row(mark, Text(str(line.turn), style=QUIET), role, words_of(line, signs))
    if end < count:
        grid.add_row("", "", "", Text("…", style=QUIET))
    return grid
