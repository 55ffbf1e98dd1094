"""Where a command's words go: the result to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from greenroom.report.console import Signs, make_console, signs_for
from greenroom.report.junit import plain_text
from greenroom.report.results import Report
from greenroom.report.terminal import render_report


@dataclass(frozen=True, slots=True)
class Output:
    """The two streams of a command. With `as_json`, standard output carries JSON alone."""

    result: Console
    aside: Console
    as_json: bool

    @classmethod
    def open(cls, *, as_json: bool) -> Output:
        return cls(make_console(sys.stdout), make_console(sys.stderr), as_json)

    @property
    def signs(self) -> Signs:
        return signs_for(self.result)

    @property
    def is_live(self) -> bool:
        """Whether somebody watches: standard error is a terminal that can draw."""
        return sys.stderr.isatty() and self.aside.is_interactive and not self.aside.is_dumb_terminal

    def say(self, words: RenderableType = "") -> None:
        """Print a part of the result for people; nothing with `as_json`. Files and pipes get no space at line ends."""
        if self.as_json:
            return
        try:
            if self.result.is_terminal:
                self.result.print(words)
            else:
                self.result.print(plain_text(words, self.result.width), soft_wrap=True)
        except OSError as problem:
            self._leave_result(problem)

    def say_line(self, line: str) -> None:
        """Print one line of the result as it is, however long; nothing with `as_json`."""
        if self.as_json:
            return
        try:
            sys.stdout.write(f"{line}\n")
        except OSError as problem:
            self._leave_result(problem)

    def _leave_result(self, problem: OSError) -> None:
        # Nothing more can be written there. A reader that went away is no trouble; anything else is told, once. The
        # command goes on, since its exit code and its report files still matter.
        self.result.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(problem, BrokenPipeError):
            why = (problem.strerror or "the system refused").lower()
            self.say_aside(f"The result could not be printed: {why}.")

    def say_next(self, steps: Sequence[tuple[str, str]]) -> None:
        """Print the commands to go on with, and what each does."""
        table = Table.grid(padding=(0, 2, 0, 0))
        for number, (command, what) in enumerate(steps):
            table.add_row("Next:" if number == 0 else "", Text(command, style="bold"), Text(what))
        self.say(table)

    def say_aside(self, words: RenderableType) -> None:
        """Print a remark beside the result."""
        self.aside.print(words)

    def say_report(self, report: Report) -> None:
        """Print the whole report for people; nothing with `as_json`."""
        for part in render_report(report, self.signs):
            self.say(part)

    def print_json(self, text: str) -> None:
        """Print JSON that is ready, with escapes for what the encoding of standard output lacks."""
        encoding = sys.stdout.encoding or "utf-8"
        if not encoding.lower().replace("-", "").startswith("utf"):
            text = "".join(char if char.isascii() else _escaped(char) for char in text)
        try:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
            sys.stdout.flush()
        except OSError as problem:
            self._leave_result(problem)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))
