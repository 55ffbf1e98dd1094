"""A talk with an agent on the screen, line by line while it takes place."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress

from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.cli.output import Output
from greenroom.model.events import Event, LineAdded, WarningAdded
from greenroom.model.run import AgentLine, CallerLine, Card, Line, Run
from greenroom.report.console import signs_for
from greenroom.report.figures import plural, run_cost, run_tokens, seconds
from greenroom.report.printable import compact_json, printable_line
from greenroom.report.talk import AGENT, CALLER, QUIET, TOOL, words_of

LABEL_WIDTH = 7
YOU = "you".ljust(LABEL_WIDTH)
_CARD_LIMIT = 300
_STYLES = {"agent": AGENT, "you": CALLER, "tool": TOOL, "card": AGENT, "!": Style(color="yellow")}


class ChatView:
    """Shows the lines of a talk. With `echo` the caller's lines too: somebody typed them where this is not seen.

    With `--json` everything for people goes to standard error.
    """

    def __init__(self, output: Output, *, echo: bool, speaking: str) -> None:
        self._output = output
        self._echo = echo
        self._speaking = speaking
        self._cards: dict[int, int] = {}
        self._console: Console = output.aside if output.as_json else output.result
        self._signs = signs_for(self._console)

    @property
    def is_live(self) -> bool:
        return self._console.is_terminal and not self._console.is_dumb_terminal

    def begin(self, speaking: str) -> None:
        """A new talk begins, with that agent at the telephone."""
        self._speaking = speaking
        self._cards.clear()

    async def hear(self, event: Event) -> None:
        match event:
            case LineAdded(_, index, line):
                self._show(index, line)
            case WarningAdded(_, warning):
                self.row("!", Text(printable_line(warning), style=_STYLES["!"]))
            case _:
                pass

    def _show(self, index: int, line: Line) -> None:
        if isinstance(line, CallerLine):
            if self._echo or line.truncated:
                self.row("you", words_of(line, self._signs))
            return
        if line.agent != self._speaking:
            self._speaking = line.agent
            self.note(f"{line.agent} answers from here")
        if not isinstance(line, AgentLine):
            self.row("tool", words_of(line, self._signs))
            return
        if index not in self._cards:
            self.row("agent", words_of(line.model_copy(update={"components": []}), self._signs))
        self._show_cards(line.components[self._cards.get(index, 0) :])
        self._cards[index] = len(line.components)

    def _show_cards(self, cards: Iterable[Card]) -> None:
        for card in cards:
            kind = card.kind.replace("_", " ")
            self.row("card", Text(f"{kind}: {compact_json(card.data, _CARD_LIMIT)}"))

    def forget_from(self, lines: int) -> None:
        """Lines were taken back: only so many are left."""
        self._cards = {index: count for index, count in self._cards.items() if index < lines}

    # Printing

    def row(self, label: str, words: Text) -> None:
        """A line of the talk, under its label."""
        style = _STYLES.get(label, QUIET) + Style(bold=True)
        if not self._console.is_terminal:
            # One line each, however long, so that other programs can read them.
            lines = words.plain.split("\n")
            self._print(Text(label.ljust(LABEL_WIDTH) + ("\n" + " " * LABEL_WIDTH).join(lines)))
            return
        grid = Table.grid(expand=True)
        grid.add_column(width=LABEL_WIDTH, no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_row(Text(label, style=style), words)
        self._print(grid)

    def note(self, words: str) -> None:
        """Something beside the talk."""
        self.row("", Text(f"({printable_line(words)})", style=QUIET + Style(italic=True)))

    def plain(self, words: Text) -> None:
        """Words of the program's own."""
        self._print(words)

    def figures(self, run: Run, took: float) -> None:
        """What the reply took, and what the talk has used so far; nothing while it has used nothing."""
        if not run.usage:
            return
        words = f" {self._signs.dot} ".join([seconds(took), f"{run_tokens(run)} tokens", f"{run_cost(run)} so far"])
        self._print(Text(" " * LABEL_WIDTH + words, style=QUIET))

    def summary(self, run: Run) -> Text:
        """What a whole talk came to."""
        turns = plural(run.turns, "turn")
        return Text(f" {self._signs.dot} ".join([turns, f"{run_tokens(run)} tokens", f"cost {run_cost(run)}"]), QUIET)

    def _print(self, what: Text | Table) -> None:
        if self._output.as_json:
            self._output.aside.print(what, soft_wrap=isinstance(what, Text))
        elif self._console.is_terminal or not isinstance(what, Text):
            self._output.say(what)
        else:
            self._output.say_line(what.plain)
            with suppress(OSError):  # whoever reads it may have gone: that is told at the end
                sys.stdout.flush()

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Show that the agent is at it, where somebody watches."""
        if not self.is_live:
            yield
            return
        spinner = "dots" if self._signs.here != ">" else "line"
        with self._console.status(Text("answers…", style=QUIET), spinner=spinner):
            yield
