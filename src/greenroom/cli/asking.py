"""Lines that a person gives: typed at a terminal, or piped in."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import Protocol, TextIO

from greenroom.model.text import speakable

_BOLD_MAGENTA, _PLAIN = "\x1b[1;35m", "\x1b[0m"


class Lines(Protocol):
    """Where lines come from. `is_live`: a person sits there, who can be asked and has seen what they typed."""

    is_live: bool

    def next(self, prompt: str) -> str | None:
        """The next line, without its end; `None` where there is no more.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        ...


def open_lines(completions: Sequence[str] = (), *, on_stderr: bool = False) -> Lines:
    """The lines of standard input: with editing, earlier lines and completion where it and standard output are a
    terminal. With `on_stderr` prompts keep off standard output."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed by whoever started the program
        return NoLines()
    stream: TextIO = sys.stdin
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")
    if stream.isatty() and (sys.stderr if on_stderr else sys.stdout).isatty():
        return PlainTerminal() if on_stderr else Terminal(completions)
    return PipedLines()


class NoLines:
    """Nothing to read."""

    is_live = False

    def next(self, prompt: str) -> str | None:  # noqa: ARG002
        return None


class PipedLines:
    """Lines of a file or another program."""

    is_live = False

    def next(self, prompt: str) -> str | None:  # noqa: ARG002
        line = sys.stdin.readline()
        return speakable(line.rstrip("\r\n")) if line else None


class PlainTerminal:
    """A terminal whose prompts go to standard error."""

    is_live = True

    def next(self, prompt: str) -> str | None:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            sys.stderr.write("\n")
        return speakable(line.rstrip("\r\n")) if line else None


class Terminal:
    """A terminal with line editing where the system has it; words of `completions` are completed by Tab."""

    is_live = True

    def __init__(self, completions: Sequence[str]) -> None:
        self._marks = ("", "")
        with suppress(ImportError):
            import readline

            readline.set_completer_delims("")
            readline.set_completer(lambda text, state: _completed(text, state, completions))
            readline.parse_and_bind("tab: complete")
            # What takes no room on the screen is marked, so that long lines wrap where they should.
            self._marks = ("\x01", "\x02")

    def next(self, prompt: str) -> str | None:
        opening, closing = self._marks
        shown = f"{opening}{_BOLD_MAGENTA}{closing}{prompt}{opening}{_PLAIN}{closing}" if _in_colour() else prompt
        try:
            return speakable(input(shown))
        except EOFError:
            sys.stdout.write("\n")
            return None


def _in_colour() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _completed(text: str, state: int, completions: Sequence[str]) -> str | None:
    found = [word for word in completions if text and word.startswith(text)]
    return found[state] if state < len(found) else None


def picked(answer: str, count: int) -> list[int] | None:
    """Which of `count` things an answer picks, counted from 0: `all` (or nothing), `none`, or numbers from 1 such as
    `1,3-5`; `None` where it cannot be read."""
    words = answer.strip().casefold()
    if words in ("", "all", "a", "yes", "y"):
        return list(range(count))
    if words in ("none", "n", "no", "0"):
        return []
    chosen: set[int] = set()
    for part in words.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not (first.isascii() and first.isdigit() and (not dash or (last.isascii() and last.isdigit()))):
            return None
        low, high = int(first), int(last) if dash else int(first)
        if not 1 <= low <= high <= count:
            return None
        chosen.update(range(low - 1, high))
    return sorted(chosen)
