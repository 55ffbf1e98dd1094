"""Which files hold tests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from greenroom.files.text_files import MAX_BYTES
from greenroom.model.errors import UserMistake
from greenroom.model.rules import nearest

_ENDINGS = (".yaml", ".yml")
_OWN_NAMES = tuple(f"greenroom{ending}" for ending in _ENDINGS)
_SKIPPED = frozenset({"node_modules", "venv", "__pycache__", "site-packages"})
_TESTS = re.compile(r"^(?:tests|\"tests\"|'tests')\s*:", re.MULTILINE)
_AGENTS = re.compile(r"^(?:agents?|\"agents?\"|'agents?')\s*:", re.MULTILINE)


def find_files(paths: Sequence[Path]) -> list[Path]:
    """The test files that some paths lead to, each once, in the order of the paths.

    A file is taken as it is. A folder (without paths, the current one) is searched, its folders too: for
    `greenroom.yaml`, for `*.greenroom.yaml`, and for any YAML file that has `tests` and `agent` (or `agents`) at its
    top level. Hidden folders, `node_modules` and virtual environments are passed over. What a folder holds comes
    sorted by path.

    Raises:
        UserMistake: a path does not exist, or nothing was found.
    """
    found: dict[Path, Path] = {}
    for path in paths or [Path()]:
        if path.is_dir():
            files = sorted(_in_folder(path))
        elif path.exists():
            files = [path]
        else:
            raise UserMistake(_no_such_path(path))
        for file in files:
            found.setdefault(file.resolve(), file)
    if not found:
        where = ", ".join(f"`{path}`" for path in paths if path != Path()) or "this folder"
        raise UserMistake(f"There are no tests in {where}: run `greenroom init` to write a first one.")
    return list(found.values())


def folders_in(folder: Path) -> Iterator[Path]:
    """A folder and those below it that are searched for test files."""
    return (place for place, _ in _walk(folder))


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_passed_over(Path(place), name)]
        yield Path(place), files


def _in_folder(folder: Path) -> Iterator[Path]:
    for place, names in _walk(folder):
        for name in names:
            file = place / name
            if name.startswith(".") or not name.endswith(_ENDINGS) or not file.is_file():
                continue
            if name in _OWN_NAMES or name.endswith(tuple(f".{own}" for own in _OWN_NAMES)) or holds_tests(file):
                yield file


def _is_passed_over(parent: Path, name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED or (parent / name / "pyvenv.cfg").exists()


def holds_tests(file: Path) -> bool:
    """Whether a YAML file looks like a test file, without reading its YAML: others may lie beside ours."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return False
        text = file.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return False
    return _TESTS.search(text) is not None and _AGENTS.search(text) is not None


def _no_such_path(path: Path) -> str:
    try:
        beside = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        beside = []
    near = nearest(path.name, beside)
    hint = f"; did you mean `{path.parent / near}`?" if near else ": check its spelling."
    return f"There is no file or folder `{path}`{hint}"
