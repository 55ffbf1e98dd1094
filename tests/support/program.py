"""The `greenroom` program as a person starts it: a process of its own, in a folder and a home of its own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.support.warm import start

_PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def everything(self) -> str:
        return self.out + self.err


class Greenroom:
    """Starts the program in `folder`, with an empty home and none of this process's keys."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder
        home.mkdir(parents=True, exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        self.environ: dict[str, str] = {
            "HOME": str(home),
            "PATH": os.environ.get("PATH", ""),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
        }

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "greenroom", *words]

    def start(
        self,
        *words: str,
        environ: Mapping[str, str] | None = None,
        stdout: IO[str] | int = subprocess.PIPE,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[str]:
        """Start the program with its output piped, or to `stdout`, and nothing to read unless `stdin` says so."""
        return start(
            self.command(*words),
            cwd=self.folder,
            env={**self.environ, **(environ or {})},
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    def run(
        self, *words: str, environ: Mapping[str, str] | None = None, stdout: IO[str] | int = subprocess.PIPE
    ) -> Ended:
        """Start the program and wait until it ends."""
        return self.ended(self.start(*words, environ=environ, stdout=stdout))

    def feed(self, text: str, *words: str, environ: Mapping[str, str] | None = None) -> Ended:
        """Start the program with `text` on its standard input and wait until it ends."""
        process = self.start(*words, environ=environ, stdin=subprocess.PIPE)
        out, err = process.communicate(text, timeout=_PATIENCE)
        return Ended(process.returncode, out, err)

    def ended(self, process: subprocess.Popen[str]) -> Ended:
        out, err = process.communicate(timeout=_PATIENCE)
        return Ended(process.returncode, out or "", err or "")

    def on_a_terminal(self, *words: str, columns: int = 80, environ: Mapping[str, str] | None = None) -> Terminal:
        """Start the program on a terminal of its own."""
        return Terminal(
            self.command(*words), self.folder, {**self.environ, "TERM": "xterm-256color", **(environ or {})}, columns
        )


class Terminal:
    """A pseudo-terminal with a program on it. `page` is everything that was drawn so far, escape sequences included."""

    def __init__(self, command: list[str], folder: Path, environ: Mapping[str, str], columns: int) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._ours = ours
        self._process = start(
            command, cwd=folder, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self._drawn = b""

    @property
    def page(self) -> str:
        return self._drawn.decode("utf-8", "replace")

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def interrupt_at_a_question(self) -> None:
        """Interrupt while a line is asked for, and end the line: readline looks for signals while it waits, and one
        that comes just before is only seen when the line ends."""
        self.interrupt()
        with contextlib.suppress(OSError):  # the program was already gone
            self.type("\n")

    def read_until(self, words: str, times: int = 1) -> str:
        """Read until the program has drawn `words`, so many times since it was started."""
        deadline = time.monotonic() + _PATIENCE
        while self.page.count(words) < times:
            if not self._read(deadline):
                raise AssertionError(f"the program ended without drawing {words!r}:\n{self.page}")
        return self.page

    def wait(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + _PATIENCE
        while self._read(deadline):
            pass
        os.close(self._ours)
        return self._process.wait(_PATIENCE)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            self._process.kill()
            raise TimeoutError(f"the program drew nothing more:\n{self.page}")
        try:
            drawn = os.read(self._ours, 65_536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self._drawn += drawn
        return bool(drawn)
