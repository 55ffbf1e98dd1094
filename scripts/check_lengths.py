"""Fail where a source file is longer than 400 lines: it is asking to become two."""

from __future__ import annotations

import sys
from pathlib import Path

LIMIT = 400
FOLDERS = ("src", "tests", "benchmarks", "scripts")


def main() -> int:
    """Print each file that is too long. Returns the exit code."""
    root = Path(__file__).resolve().parent.parent
    lengths = {
        path.relative_to(root): path.read_text(encoding="utf-8").count("\n")
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*.py"))
    }
    too_long = {path: length for path, length in lengths.items() if length > LIMIT}
    for path, length in too_long.items():
        print(f"{path} has {length} lines: split it by what changes together (at most {LIMIT}).")
    if not too_long:
        print(f"{len(lengths)} files, none longer than {LIMIT} lines.")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
