"""The consoles that reports are printed on, and the signs that they can show."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console

WIDTH_OF_A_FILE = 120
"""How wide, in columns, a report is that goes to a file or a pipe and not to a terminal."""


class QuietConsole(Console):
    """A console that leaves a closed pipe to its caller."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(stream: TextIO) -> Console:
    """A console on `stream`: prints text as it is (no markup, no emoji codes), in colour on a terminal alone, and
    none where `NO_COLOR` is set."""
    width = None if stream.isatty() or os.environ.get("COLUMNS", "").isdigit() else WIDTH_OF_A_FILE
    return QuietConsole(file=stream, markup=False, emoji=False, highlight=False, width=width)


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of a report."""

    passed: str = "✓"
    failed: str = "✗"
    open: str = "–"
    here: str = "►"
    arrow: str = "→"
    dot: str = "·"
    warning: str = "!"
    full: str = "━"
    empty: str = "─"
    point: str = "●"
    faint: str = "·"
    zero: str = "┼"


UNICODE = Signs()
ASCII = Signs(
    passed="+",
    failed="x",
    open="-",
    here=">",
    arrow="->",
    dot="|",
    warning="!",
    full="#",
    empty=".",
    point="o",
    faint=".",
    zero="+",
)


def signs_for(console: Console) -> Signs:
    """The signs that the console's encoding has."""
    return UNICODE if console.encoding.lower().replace("-", "").startswith("utf") else ASCII
