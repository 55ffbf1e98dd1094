"""A project of a person's own, and pytest as they start it there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support import warm

SETTINGS = """
[pytest]
filterwarnings = error
addopts = --strict-markers --strict-config
asyncio_default_fixture_loop_scope = function
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What pytest printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def counts(self) -> dict[str, int]:
        """How many passed, failed and so on, from pytest's last line."""
        found = re.findall(r"(\d+) (passed|failed|skipped|errors?|deselected|xfailed)\b", self.out.splitlines()[-1])
        return {word: int(number) for number, word in found}

    def section(self, title: str) -> str:
        """The part of the failures that stands under a title."""
        parts = re.split(r"^_{3,} (.+) _{3,}$|^[=-]{3,} (.+) [=-]{3,}$", self.out, flags=re.MULTILINE)
        for first, second, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            if title in (first, second):
                return body
        raise AssertionError(f"nothing stands under {title!r} in:\n{self.out}")


class Project:
    """A folder with tests, and nothing of this process's environment but the way to Python."""

    def __init__(self, folder: Path, settings: str = SETTINGS) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.write("pytest.ini", settings)

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def start(
        self, *options: str, environ: Mapping[str, str] | None = None, is_cold: bool = False
    ) -> subprocess.Popen[str]:
        """Start pytest; `is_cold` with nothing loaded yet."""
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT")}
        # Started warm, pytest finds libraries loaded whose own plug-ins it would have loaded first.
        loaded = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
        return warm.start(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *loaded, *options],
            cwd=self.folder,
            env={**kept, "LANG": "C.UTF-8", "COLUMNS": "100", **(environ or {})},
            is_cold=is_cold,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ended(self, process: subprocess.Popen[str]) -> Outcome:
        """Wait until pytest has ended."""
        out, err = process.communicate(timeout=120)
        return Outcome(process.returncode, out, err)

    def test(self, *options: str, environ: Mapping[str, str] | None = None, is_cold: bool = False) -> Outcome:
        """Run pytest; `is_cold` with nothing loaded yet."""
        return self.ended(self.start(*options, environ=environ, is_cold=is_cold))

    def collected(self, *options: str) -> list[str]:
        """The tests that pytest would run."""
        listed = self.test("--collect-only", "-q", *options)
        return [line for line in listed.out.splitlines() if "::" in line]
