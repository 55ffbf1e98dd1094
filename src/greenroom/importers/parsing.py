"""From the bytes of a foreign file to plain data, with limits, and with one plain sentence where it cannot be read."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import cast

from greenroom.importers.source import Notes, Path, written
from greenroom.model.base import Json
from greenroom.model.errors import UserMistake
from greenroom.model.text import is_speakable, speakable

MAX_BYTES = 16 * 1024 * 1024
MAX_YAML_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 1_000_000

_UNSPEAKABLE = "it holds a NUL or half of a character, which was replaced"


@dataclass(frozen=True, slots=True)
class Document:
    """A file as plain data, and the notes that were made while it was read."""

    root: Json
    notes: Notes = field(default_factory=Notes)


def read_document(data: bytes) -> Document:
    """Read JSON, or YAML where the text does not start like JSON.

    Raises:
        UserMistake: it is neither, or larger or deeper nested than can be read.
    """
    text = _decoded(data)
    return _read_json_document(text) if text.lstrip()[:1] in ("{", "[") else _read_yaml_document(text)


def read_json(data: bytes) -> Document:
    """Read JSON.

    Raises:
        UserMistake: it is not JSON, or larger or deeper nested than can be read.
    """
    return _read_json_document(_decoded(data))


def read_lines(data: bytes) -> tuple[list[tuple[Path, Json]], Notes]:
    """Read JSON lines: one value a line, each with its path (`line 3`). Blank lines are passed over.

    Raises:
        UserMistake: a line is not JSON, or the file is larger or deeper nested than can be read.
    """
    notes = Notes()
    cleaner = _Cleaner(notes)
    found: list[tuple[Path, Json]] = []
    for number, line in enumerate(_decoded(data).split("\n"), start=1):
        if line.strip():
            path = (f"line {number}",)
            found.append((path, cleaner.clean(_parsed(line, number), path)))
    return found, notes


def _read_json_document(text: str) -> Document:
    notes = Notes()
    return Document(_Cleaner(notes).clean(_parsed(text, None), ()), notes)


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise UserMistake(f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB: split it")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserMistake("the file is in UTF-16: save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserMistake(f"line {line}: this is not UTF-8 text: save the file as UTF-8") from None
    if not text.strip():
        raise UserMistake("the file is empty: export it again")
    return text.replace("\r\n", "\n")


# JSON


def _parsed(text: str, line: int | None) -> Json:
    try:
        return cast(
            "Json",  # what the parser can give
            json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_once_each),
        )
    except json.JSONDecodeError as error:
        place = f"line {line or error.lineno}, column {error.colno}"
        raise UserMistake(f"{place}: this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise UserMistake(_too_deep(written((f"line {line}",) if line else ()))) from None
    except ValueError as error:
        place = f"line {line}: " if line else ""
        said = str(error) if isinstance(error, _Refused) else "it holds a number of thousands of digits"
        raise UserMistake(f"{place}this cannot be read: {said}") from None


class _Refused(ValueError):
    """Something that JSON parsers let pass and that has no meaning here."""


def _no_constant(name: str) -> Json:
    raise _Refused(f"`{name}` is not a number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Refused(f"`{digits[:20]}` is too large a number")
    return number


def _once_each(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise _Refused(f"`{name[:60]}` is given twice in one object: keep one")
        found[name] = value
    return found


def _too_deep(place: str) -> str:
    return f"{place}: this is nested more than {MAX_DEPTH} deep, which no export is"


class _Cleaner:
    """Bounds how much there is, and replaces what cannot be said."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._values = 0

    def clean(self, value: Json, path: Path) -> Json:
        self._values += 1
        if self._values > MAX_VALUES:
            raise UserMistake(f"the file holds more than {MAX_VALUES:,} values: split it")
        match value:
            case str():
                return self._text(value, path)
            case list():
                self._bound(path)
                return [self.clean(item, (*path, index)) for index, item in enumerate(value)]
            case dict():
                self._bound(path)
                names = {name: self._text(name, path) for name in value}
                return {names[name]: self.clean(item, (*path, names[name])) for name, item in value.items()}
            case _:
                return value

    def _bound(self, path: Path) -> None:
        if len(path) > MAX_DEPTH:
            raise UserMistake(_too_deep(written(path[:3])))

    def _text(self, text: str, path: Path) -> str:
        if is_speakable(text):
            return text
        self._notes.add(path, "a character", _UNSPEAKABLE)
        return speakable(text)


# YAML


def _read_yaml_document(text: str) -> Document:
    from greenroom.files.mistakes import Ledger
    from greenroom.files.nodes import place_at, plain
    from greenroom.files.yaml_reader import read_yaml

    if len(text) > MAX_YAML_BYTES:
        raise UserMistake(f"the file is larger than {MAX_YAML_BYTES // 1024 // 1024} MiB of YAML: split it")
    ledger = Ledger()
    tree = read_yaml(text, FilePath(), ledger)
    if tree is None or ledger.mistakes:
        said = [f"line {told.line}, column {told.column}: {told.message}" for told in ledger.mistakes]
        raise UserMistake("\n".join(said) or "this is not YAML")
    return Document(plain(tree), Notes(lambda path: place_at(tree, path, of_key=True).line))
