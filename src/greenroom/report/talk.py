"""The talk of a run on a terminal: one row a line, and what broke right under the line that it rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.model.run import AgentLine, CallerLine, CheckResult, Line, Run, ToolLine
from greenroom.report.console import Signs
from greenroom.report.describe import (
    RESULT_LIMIT,
    agent_notes,
    caller_notes,
    describe_call,
    describe_check,
    describe_source,
)
from greenroom.report.printable import compact_json, printable, printable_line

AGENT = Style(color="cyan")
CALLER = Style(color="magenta")
TOOL = Style(color="yellow")
QUIET = Style(dim=True)
BROKEN = Style(color="red", bold=True)
_BOLD = Style(bold=True)
_ITALIC = Style(italic=True)

_ROOMY = 60
"""From this width on, in columns, the caller's lines stand to the right of the agent's."""
_CALLER_INDENT = 6


def broken_checks(run: Run) -> dict[int, list[CheckResult]]:
    """The checks that did not hold, by the index of the line they rest on."""
    broken: defaultdict[int, list[CheckResult]] = defaultdict(list)
    for result in run.checks:
        if result.passed is False and result.line is not None and 0 <= result.line < len(run.transcript):
            broken[result.line].append(result)
    return dict(broken)


class TalkView:
    """Renders the lines of a run from `start` on; the lines that broke a check are marked."""

    def __init__(self, run: Run, signs: Signs, start: int = 0) -> None:
        self._run = run
        self._signs = signs
        self._start = start

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        broken = broken_checks(self._run)
        roomy = options.max_width >= _ROOMY
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=len(self._signs.here))
        grid.add_column(justify="right", width=max(2, len(str(self._last_turn()))))
        grid.add_column(width=6)
        grid.add_column(ratio=1, overflow="fold")
        speaking = self._run.agent
        for index, line in enumerate(self._run.transcript):
            changed = not isinstance(line, CallerLine) and line.agent != speaking
            speaking = speaking if isinstance(line, CallerLine) else line.agent
            if index < self._start:
                continue
            if changed:
                grid.add_row("", "", "", Text(f"{printable_line(speaking)} answers from here", style=QUIET + _ITALIC))
            self._add_line(grid, index, line, broken, roomy)
        yield grid

    def _last_turn(self) -> int:
        return max((line.turn for line in self._run.transcript), default=0)

    def _add_line(
        self, grid: Table, index: int, line: Line, broken: Mapping[int, list[CheckResult]], roomy: bool
    ) -> None:
        style = {"agent": AGENT, "caller": CALLER, "tool": TOOL}[line.role]
        if line.from_history:
            style += QUIET
        words = words_of(line, self._signs)
        indent = _CALLER_INDENT if roomy and isinstance(line, CallerLine) else 0
        grid.add_row(
            Text(self._signs.here if index in broken else "", style=BROKEN),
            Text(str(line.turn), style=QUIET),
            Text(line.role, style=style + _BOLD),
            Padding(words, (0, 0, 0, indent)) if indent else words,
        )
        for result in broken.get(index, ()):
            grid.add_row("", "", "", self._finding(result))

    def _finding(self, result: CheckResult) -> Text:
        finding = Text().append(f"{self._signs.failed} {describe_check(result.check)}", style=BROKEN)
        if result.detail:
            finding.append(f": {printable_line(result.detail)}", style=Style(color="red"))
        return finding


def words_of(line: Line, signs: Signs) -> Text:
    """What a line says, and in brackets what there is to note about it; nothing in it can move the cursor."""
    match line:
        case AgentLine():
            return _with_notes(Text(printable(line.text)), _agent_notes(line))
        case CallerLine():
            return _with_notes(Text(printable(line.text)), [*_when(line), *caller_notes(line)])
        case ToolLine():
            call = Text().append(describe_call(line), style=TOOL)
            call.append(f" {signs.arrow} {compact_json(line.result, RESULT_LIMIT)}")
            return _with_notes(call, [describe_source(line)])


def _with_notes(words: Text, notes: list[str]) -> Text:
    if notes:
        words.append(" " if words.plain else "")
        words.append(f"[{'; '.join(notes)}]", style=QUIET)
    return words


def _agent_notes(line: AgentLine) -> list[str]:
    cards = ", ".join(card.kind.replace("_", " ") for card in line.components)
    return [*_when(line), *agent_notes(line), *([f"cards: {cards}"] if cards else [])]


def _when(line: AgentLine | CallerLine) -> list[str]:
    return ["before the test"] if line.from_history else []
