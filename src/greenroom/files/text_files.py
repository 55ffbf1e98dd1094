"""Reading a text file that a person wrote, with mistakes instead of exceptions."""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from greenroom.files.mistakes import Ledger, Place
from greenroom.model.text import is_speakable

MAX_BYTES = 2 * 1024 * 1024
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_notes: ContextVar[dict[Path, str | None] | None] = ContextVar("notes", default=None)


@contextmanager
def noted_reads() -> Generator[dict[Path, str | None]]:
    """Note each file that is read, from here to the end of the block, with its fingerprint; `None` where it could not
    be opened."""
    notes: dict[Path, str | None] = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def fingerprint(data: bytes) -> str:
    """What tells one content of a file from another."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_start(file: Path) -> bytes:
    """A file's content, up to one byte more than a text file may have.

    Raises:
        OSError: it cannot be opened.
    """
    with file.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def read_text(file: Path, ledger: Ledger, *, asked_at: Place | None = None) -> str | None:
    """The text of `file`, with Windows line ends made plain and without a byte order mark.

    Whatever stands in the way is noted in the ledger, at `asked_at` (where the file is named) if the file cannot be
    opened at all; then the answer is `None`. Files may be up to 2 MiB of UTF-8.
    """
    start = Place(file, 1, 1)
    notes = _notes.get()
    try:
        data = read_start(file)
    except OSError as error:
        if notes is not None:
            notes[file] = None
        ledger.add(asked_at or start, why_unreadable(file, error))
        return None
    if notes is not None:
        notes[file] = fingerprint(data)
    if len(data) > MAX_BYTES:
        ledger.add(
            asked_at or start, f"`{file}` is larger than 2 MiB: split it, or move big texts into files of their own"
        )
        return None
    if data.startswith(_UTF16_BOMS):
        ledger.add(start, "the file is in UTF-16: save it as UTF-8")
        return None
    return _decode(data.removeprefix(_UTF8_BOM), file, ledger)


def why_unreadable(file: Path, error: OSError) -> str:
    """Why a file could not be read, in plain words."""
    match error:
        case FileNotFoundError():
            return f"there is no file `{file}`"
        case IsADirectoryError():
            return f"`{file}` is a folder, where a file is needed"
        case PermissionError():
            return f"`{file}` may not be read: check its permissions"
        case _:
            return f"`{file}` could not be read: {(error.strerror or 'the system refused').lower()}"


def _decode(data: bytes, file: Path, ledger: Ledger) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        ledger.add(place_in(before, file), "this is not UTF-8 text: save the file as UTF-8")
        return None
    if not is_speakable(text):
        ledger.add(place_in(text[: text.index("\x00")], file), "a NUL character stands here: take it out")
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def place_in(before: str, file: Path) -> Place:
    """The place that follows the text `before`."""
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Place(file, len(lines), len(lines[-1]) + 1)
