"""Which files of the tests have changed since they were read, and waiting until one has.

Notices of the file system only say when to look. Whether something changed is decided by what the files hold, so that
it does not matter how an editor saves: writing twice, replacing the file by another, leaving a swap file beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from greenroom.files.finding import find_files, folders_in
from greenroom.files.text_files import fingerprint, read_start
from greenroom.model.errors import UserMistake

_QUIET_MS = 150
"""How long nothing more must happen until a save counts as whole."""
_LONGEST_MS = 2_000
_LOOK_AGAIN_MS = 500
"""How often files are looked at without a notice: some file systems give none."""
_PATIENCE = 2
"""How many looks a file that is gone or empty is waited for: many editors empty or remove it before they write it."""

Stamp = tuple[int, int, int] | None


@dataclass(slots=True)
class Known:
    """The files that were read, with a fingerprint of what was read (`None` where there was no such file), and the
    files and folders that were to be searched for tests."""

    contents: Mapping[Path, str | None]
    paths: Sequence[Path]
    _stamps: dict[Path, Stamp] = field(default_factory=dict[Path, Stamp])

    def changed(self) -> list[Path]:
        """The files that hold something else now, are gone, or are new, in a fixed order."""
        self._stamps = self._stamps_now()
        others = [file for file, content in self.contents.items() if _fingerprint(file) != content]
        return sorted({*others, *self._new()})

    def looks_changed(self) -> bool:
        """Whether any file that was read looks different from when `changed` last looked; reads nothing."""
        return self._stamps_now() != self._stamps

    def folders(self) -> list[Path]:
        """Every folder in which something may happen that matters: those of the files, not the files themselves, since
        an editor may put another file in the place of one."""
        searched = [folder for path in self.paths or [Path()] if path.is_dir() for folder in folders_in(path)]
        beside = [_nearest_folder(file) for file in (*self.contents, *self.paths) if not file.is_dir()]
        return sorted({Path(os.path.abspath(folder)) for folder in (*searched, *beside)})

    def _stamps_now(self) -> dict[Path, Stamp]:
        return {file: _stamp(file) for file in self.contents}

    def _new(self) -> list[Path]:
        try:
            found = find_files(self.paths)
        except UserMistake:
            return []
        known = {_absolute(file) for file in self.contents}
        return [file for file in found if _absolute(file) not in known]


def wait_for_change(known: Known) -> list[Path]:
    """Wait until a file has changed, and its save is whole; the files that have.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    patience = _PATIENCE
    by_looking = False
    while True:
        folders = known.folders()
        try:
            for is_first, is_notice in _looks(folders, by_looking=by_looking):
                if not (is_first or is_notice or known.looks_changed() or patience < _PATIENCE):
                    continue
                changed = known.changed()
                if changed and (patience == 0 or not any(_is_gone_or_empty(file) for file in changed)):
                    return changed
                patience = patience - 1 if changed else _PATIENCE
                if known.folders() != folders:
                    break
        except FileNotFoundError:
            continue  # a folder went away before it could be watched
        except OSError:
            if by_looking:
                raise
            by_looking = True  # the system has no more notices to give: look at the files instead


def _looks(folders: Iterable[Path], *, by_looking: bool) -> Iterable[tuple[bool, bool]]:
    """When to look at the files: once at the start, at each notice, and now and then. Gives whether it is the first
    time, and whether a notice is why."""
    from watchfiles import watch

    is_first = True
    for notices in watch(
        *folders,
        watch_filter=None,
        debounce=_LONGEST_MS,
        step=_QUIET_MS,
        rust_timeout=_LOOK_AGAIN_MS,
        yield_on_timeout=True,
        force_polling=True if by_looking else None,
        recursive=False,
        ignore_permission_denied=True,
    ):
        yield is_first, bool(notices)
        is_first = False


def _fingerprint(file: Path) -> str | None:
    try:
        return fingerprint(read_start(file))
    except OSError:
        return None


def _is_gone_or_empty(file: Path) -> bool:
    try:
        return not file.stat().st_size
    except OSError:
        return True


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _absolute(file: Path) -> Path:
    return Path(os.path.abspath(file))


def _nearest_folder(file: Path) -> Path:
    """The folder of a file, or where that is not there, the nearest above it that is."""
    folder = _absolute(file).parent
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder
