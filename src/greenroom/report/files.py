"""Report files on disk: found writable before anything is played, written whole at the end."""

from __future__ import annotations

from pathlib import Path

from greenroom.model.errors import UserMistake


def make_writable(path: Path, option: str) -> None:
    """Make the folders above `path` and see that a file can be written there; what stands in it is left as it is.

    Raises:
        UserMistake: nothing can be written there; names the `option` that asked for it.
    """
    is_new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as problem:
        raise UserMistake(
            f"{option}: cannot write to {path}: {_why(problem)}; give a path where a file can be written"
        ) from None


def write_file(path: Path, content: str) -> None:
    """Write a report.

    Raises:
        UserMistake: it could not be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", errors="replace", newline="\n")
    except OSError as problem:
        raise UserMistake(f"The report could not be written to {path}: {_why(problem)}") from None


def _why(problem: OSError) -> str:
    return (problem.strerror or "the system refused").lower()
