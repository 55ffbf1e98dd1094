"""The tape: answers by who asked and what was asked.

An answer is found by its scope (which playing of which test asked), its kind, a hash of the whole request, and how
often that scope had asked the same before. So it does not matter in which order runs ask side by side, and no run is
ever handed another run's answer.

The file is JSON: texts that requests share are stored once, entries stand in a fixed order, and what is known to be
secret is replaced before anything is hashed or stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from greenroom.cassettes.difference import difference
from greenroom.model.base import Json
from greenroom.model.errors import RunError, UserMistake

Mode = Literal["record", "replay", "auto"]
Kind = Literal["model", "tool", "tool_list", "remote"]
FORMAT = 1
_SHARED_FROM = 80  # Characters from which a text is stored once and referred to.
_LEAST_SECRET = 6  # A shorter value is too likely to be an ordinary word.


class CassetteMiss(RunError):
    """A replay was asked for something that the cassette does not hold; the message shows what changed."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    scope: str
    kind: Kind
    key: str
    number: int
    request: Json
    answer: Json


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    greenroom_cassette: Literal[1] = FORMAT
    texts: dict[str, str]
    entries: list[_Entry]


@dataclass(slots=True)
class Tape:
    """The recorded answers of one cassette file. `secrets` are replaced wherever they stand; `option` is how a person
    asks for a recording, for messages."""

    path: Path
    mode: Mode
    secrets: Collection[str] = ()
    option: str = "--record"
    _held: dict[tuple[str, Kind, str, int], _Entry] = field(default_factory=dict[tuple[str, Kind, str, int], _Entry])
    _kept: dict[tuple[str, Kind, str, int], _Entry] = field(default_factory=dict[tuple[str, Kind, str, int], _Entry])
    _asked: Counter[tuple[str, Kind, str]] = field(default_factory=Counter[tuple[str, Kind, str]])

    @classmethod
    def open(cls, path: Path, mode: Mode, secrets: Collection[str] = (), option: str = "--record") -> Tape:
        """Open a cassette. To replay it must exist; to record, what it held is replaced when it is saved.

        Raises:
            UserMistake: the file is missing or is no cassette.
        """
        tape = cls(path, mode, tuple(secret for secret in secrets if len(secret) >= _LEAST_SECRET), option)
        if mode == "record":
            return tape
        if path.exists():
            tape._held = {(e.scope, e.kind, e.key, e.number): e for e in _read(path).entries}
        elif mode == "replay":
            raise UserMistake(f"There is no cassette at {path}: record it first with --record {path}.")
        return tape

    def find(self, scope: str, kind: Kind, request: Json) -> tuple[Place, Json | None]:
        """Where this request stands on the tape, and its recorded answer where there is one."""
        clean = self.scrub(request)
        key = hashlib.sha256(_dump(clean).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        number = self._asked[scope, kind, key]
        self._asked[scope, kind, key] += 1
        place = Place(scope, kind, key, number, clean)
        entry = self._held.get((scope, kind, key, number))
        if entry is None:
            return place, None
        self._kept[scope, kind, key, number] = entry
        return place, entry.answer

    def shared(self, place: Place) -> Json | None:
        """The answer at a place that several runs share, recorded or kept by one of them."""
        entry = self._kept.get((place.scope, place.kind, place.key, place.number)) or self._held.get(
            (place.scope, place.kind, place.key, place.number)
        )
        return entry.answer if entry else None

    def keep(self, place: Place, answer: Json) -> None:
        """Store an answer."""
        entry = _Entry(
            scope=place.scope,
            kind=place.kind,
            key=place.key,
            number=place.number,
            request=place.request,
            answer=self.scrub(answer),
        )
        self._kept[place.scope, place.kind, place.key, place.number] = entry

    def miss(self, place: Place) -> CassetteMiss:
        """The error for a request that is not on the tape: what was asked, and how it differs from what is there."""
        same_kind = [entry for entry in self._held.values() if entry.kind == place.kind]
        near = [entry for entry in same_kind if entry.scope == place.scope]
        what = {"model": "model request", "tool": "tool call", "tool_list": "list of tools", "remote": "message"}
        start = f"The cassette {self.path} has no answer for this {what[place.kind]} of `{place.scope}`"
        if not near:
            scopes = sorted({entry.scope for entry in same_kind})
            known = f" It was recorded for: {', '.join(scopes[:5])}." if scopes else ""
            return CassetteMiss(f"{start}: nothing was recorded for that test.{known} Record again with {self.option}.")
        changed = min((difference(entry.request, place.request) for entry in near), key=lambda found: found.size)
        if changed.size == 0:
            return CassetteMiss(f"{start}: it was asked more often than when it was recorded. Record again.")
        undo = f"Record again with {self.option}, or undo the change."
        return CassetteMiss(f"{start}. What changed: {changed.text} {undo}")

    @property
    def is_blank(self) -> bool:
        """Whether nothing was recorded or replayed yet."""
        return not self._kept

    def save(self) -> None:
        """Write the tape in one step, so that a crash leaves the old file or the new one. Replaying writes nothing;
        `auto` keeps what it did not come across."""
        if self.mode == "replay":
            return
        entries = {**self._held, **self._kept} if self.mode == "auto" else self._kept
        if self.mode == "auto" and entries == self._held and self.path.exists():
            return
        texts: dict[str, str] = {}
        ordered = sorted(entries.values(), key=lambda e: (e.scope, e.kind, e.key, e.number))
        content = {
            "greenroom_cassette": FORMAT,
            "entries": [
                {
                    **entry.model_dump(exclude={"request", "answer"}),
                    "request": _share(entry.request, texts),
                    "answer": entry.answer,
                }
                for entry in ordered
            ],
            "texts": texts,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=True, indent=1, sort_keys=True)
            file.write("\n")
        Path(name).replace(self.path)

    def scrub(self, value: Json) -> Json:
        """The value with every known secret replaced, the longest first: one may be a part of another."""
        if not self.secrets:
            return value
        return _scrubbed(value, sorted(self.secrets, key=lambda secret: (-len(secret), secret)))


def _scrubbed(value: Json, secrets: Sequence[str]) -> Json:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "[secret]")
        return value
    if isinstance(value, list):
        return [_scrubbed(item, secrets) for item in value]
    if isinstance(value, dict):
        return {key: _scrubbed(item, secrets) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request stands on the tape."""

    scope: str
    kind: Kind
    key: str
    number: int
    request: Json


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _share(value: Json, texts: dict[str, str]) -> Json:
    """The value with long texts moved to `texts`; `{"$text": KEY}` stands for each."""
    if isinstance(value, str) and len(value) >= _SHARED_FROM:
        key = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        texts[key] = value
        return {"$text": key}
    if isinstance(value, list):
        return [_share(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: _share(item, texts) for key, item in value.items()}
    return value


def _restore(value: Json, texts: dict[str, str]) -> Json:
    if isinstance(value, list):
        return [_restore(item, texts) for item in value]
    if isinstance(value, dict):
        key = value.get("$text")
        if len(value) == 1 and isinstance(key, str):
            return texts[key]
        return {name: _restore(item, texts) for name, item in value.items()}
    return value


def _read(path: Path) -> _File:
    try:
        content = _File.model_validate_json(path.read_bytes())
        for entry in content.entries:
            entry.request = _restore(entry.request, content.texts)
    except (OSError, ValidationError, KeyError) as problem:
        why = "cannot be read" if isinstance(problem, OSError) else "is no cassette of this version"
        raise UserMistake(f"The cassette {path} {why}: record it again with --record {path}.") from None
    return content
