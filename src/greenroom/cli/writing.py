"""Writing files that people will edit: never over one that is there, unless asked to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from greenroom.model.errors import UserMistake


def write_new_files(contents: Mapping[Path, str], *, force: bool) -> list[Path]:
    """Write text files, with the folders above them; all or, where one is there already, none.

    Raises:
        UserMistake: a file is there and `force` is not set, or the system refuses.
    """
    there = [path for path in contents if path.exists()]
    if there and not force:
        names = " and ".join(str(path) for path in there)
        what = "is there already" if len(there) == 1 else "are there already"
        raise UserMistake(f"{names} {what}: nothing was written; add --force to overwrite")
    for path, content in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n")
        except OSError as problem:
            why = (problem.strerror or "the system refused").lower()
            raise UserMistake(f"Cannot write {path}: {why}; choose another folder") from None
    return list(contents)
