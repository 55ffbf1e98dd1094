"""What a command costs: its time on the wall, its processor time and its peak memory, all of its processes counted."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST = 600.0


class DidNotRun(Exception):
    """A tool could not be installed or run. The message is the reason, in one line."""


@dataclass(frozen=True)
class Spent:
    """What one command took. `wall` and `cpu` (user and system time of the command and all processes that it waited
    for) in seconds; `peak`, the resident memory of its largest process, in bytes."""

    wall: float
    cpu: float
    peak: int


def run(command: Sequence[str], *, environment: Mapping[str, str], folder: Path, longest: float = LONGEST) -> Spent:
    """Run a command to its end and see what it took.

    Raises:
        DidNotRun: it cannot be started, ended with another exit code than 0, or took longer than `longest` seconds.
    """
    with tempfile.TemporaryFile() as written:
        began = time.perf_counter()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise DidNotRun(f"cannot start {Path(command[0]).name}: {error.strerror}") from error
        too_long = threading.Timer(longest, os.killpg, (process.pid, signal.SIGKILL))
        too_long.start()
        try:
            # Only this wait tells of one process and its children alone.
            _, status, used = os.wait4(process.pid, 0)
        finally:
            too_long.cancel()
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            written.seek(0)
            raise DidNotRun(_reason(process.returncode, written.read().decode(errors="replace"), wall >= longest))
    return Spent(wall=wall, cpu=used.ru_utime + used.ru_stime, peak=used.ru_maxrss * 1024)


def _reason(code: int, written: str, was_too_long: bool) -> str:
    """Why it did not run: the last line that says something."""
    if was_too_long:
        return "took too long and was stopped"
    lines = [line.strip() for line in written.splitlines() if any(sign.isalnum() for sign in line)]
    return f"exit code {code}: {lines[-1][:200] if lines else 'it said nothing'}"
