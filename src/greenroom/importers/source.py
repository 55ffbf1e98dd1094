"""A foreign file as data of which nothing is lost silently.

Every mapping of the source is read through `Fields`, which remembers what was asked for. What nobody asked for is
listed at the end as not carried, so that an importer cannot forget a field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from pydantic import ValidationError

from greenroom.importers.imported import NotCarried
from greenroom.model.base import Json
from greenroom.model.text import shorten

Path: TypeAlias = tuple[str | int, ...]
Made = TypeVar("Made")

UNKNOWN = "Greenroom has no counterpart for it"
_KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
    type(None): "nothing",
}
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_UNDERSCORE = re.compile(r"_([a-z0-9])")


def written(path: Path) -> str:
    """A path as people write it: `tests[2].assert[0]`; the empty one is the whole file."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
            continue
        name = shorten("".join(character if character.isprintable() else " " for character in step), 60)
        if text.startswith("line ") and text.removeprefix("line ").isdigit():
            text += f": {name}"
        else:
            text += f".{name}" if text else name
    return text or "the file"


def kind_of(value: object) -> str:
    """What a value is, in words."""
    return _KINDS.get(type(value), "something else")


def is_nothing(value: Json) -> bool:
    """Whether there is nothing in a value that could be lost."""
    return value is None or value in ("", [], {})


class Notes:
    """What could not be carried, in the order of its finding. `line_of` tells the line of a path, where it is known."""

    def __init__(self, line_of: Callable[[Path], int | None] | None = None) -> None:
        self._line_of = line_of
        self._entries: dict[tuple[object, ...], tuple[Path, str, str, int]] = {}
        self._seen: set[tuple[Path, str, str]] = set()
        self._open: list[Fields] = []

    def add(self, path: Path, what: str, why: str) -> None:
        """Note one thing. The same at places that differ only by number is told once, with how often."""
        if (path, what, why) in self._seen:
            return
        self._seen.add((path, what, why))
        alike = tuple("#" if isinstance(step, int) or step.startswith("line ") else step for step in path)
        first, _, _, times = self._entries.get((alike, what, why), (path, what, why, 0))
        self._entries[alike, what, why] = (first, what, why, times + 1)

    def watch(self, fields: Fields) -> None:
        """Have the fields that nobody asks for listed by `close`."""
        self._open.append(fields)

    def close(self) -> None:
        """List what nobody asked for."""
        for fields in self._open:
            fields.list_untaken()
        self._open.clear()

    def listed(self) -> list[NotCarried]:
        """All notes."""
        return [NotCarried(self._place(path), what, why, times) for path, what, why, times in self._entries.values()]

    def _place(self, path: Path) -> str:
        line = self._line_of(path) if self._line_of and path else None
        return written(path) if line is None else f"line {line}, {written(path)}"

    def attempt(self, path: Path, what: str, make: Callable[[], Made]) -> Made | None:
        """Make something of the model's; where it does not fit there, note why instead."""
        try:
            return make()
        except ValidationError as error:
            self.add(path, what, said_of(error))
            return None


def said_of(error: ValidationError) -> str:
    """What is wrong, in one line, without the values: they may be secret."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    message = shorten(str(first["msg"]).removeprefix("Value error, "), 200)
    return f"{place}: {message}" if place else message


def mappings(root: list[Json], notes: Notes) -> list[Fields]:
    """The mappings of a file that is a list."""
    found: list[Fields] = []
    for index, item in enumerate(root):
        if isinstance(item, dict):
            found.append(Fields(item, (index,), notes))
        else:
            notes.add((index,), "this item", f"it is {kind_of(item)}, where an object is expected")
    return found


class Fields:
    """A mapping of the source. A field is found in snake_case and in camelCase; `null` counts as absent.

    A value of another kind than was asked for is noted, and counts as absent.
    """

    def __init__(self, data: Mapping[str, Json], path: Path, notes: Notes) -> None:
        self.path = path
        self.notes = notes
        self._data = data
        self._taken: set[str] = set()
        notes.watch(self)

    def _key(self, name: str) -> str:
        if name in self._data:
            return name
        camel = _UNDERSCORE.sub(lambda match: match[1].upper(), name)
        if camel in self._data:
            return camel
        return _HUMP.sub(lambda match: f"_{match[1].lower()}", name)

    def has(self, name: str) -> bool:
        """Whether there is a value, of whatever kind."""
        return self.peek(name) is not None

    def peek(self, name: str) -> Json:
        """The value, without taking it."""
        return self._data.get(self._key(name))

    def take(self, name: str) -> Json:
        """The value, whatever it is: all of it counts as carried."""
        key = self._key(name)
        self._taken.add(key)
        return self._data.get(key)

    def at(self, name: str) -> Path:
        """The path of a field."""
        return (*self.path, self._key(name))

    def named(self, name: str) -> str:
        """The name of a field as it is written, for a note."""
        return f"`{shorten(self._key(name), 60)}`"

    def names(self) -> Iterator[str]:
        """The names of all fields, as they are written."""
        return iter(self._data)

    def untaken(self) -> dict[str, Json]:
        """What nobody has asked for yet."""
        return {name: value for name, value in self._data.items() if name not in self._taken}

    def text(self, name: str) -> str | None:
        """A text; numbers and booleans too, as they are written in JSON."""
        value = self.take(name)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return str(value)
        return self._other(name, value, "text")

    def number(self, name: str) -> float | None:
        """A number."""
        value = self.take(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        return None if value is None else self._other(name, value, "a number")

    def whole(self, name: str) -> int | None:
        """A whole number that is not negative."""
        value = self.take(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        return None if value is None else self._other(name, value, "a whole number")

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self.take(name)
        return value if value is None or isinstance(value, bool) else self._other(name, value, "true or false")

    def child(self, name: str) -> Fields | None:
        """A mapping."""
        value = self.take(name)
        if isinstance(value, dict):
            return Fields(value, self.at(name), self.notes)
        return None if value is None else self._other(name, value, "an object")

    def items(self, name: str) -> list[tuple[Path, Json]]:
        """A list, with the path of each item. A single value counts as a list of one."""
        value = self.take(name)
        if value is None:
            return []
        if not isinstance(value, list):
            return [(self.at(name), value)]
        return [((*self.at(name), index), item) for index, item in enumerate(value)]

    def children(self, name: str) -> list[Fields]:
        """A list of mappings."""
        found: list[Fields] = []
        for path, item in self.items(name):
            if isinstance(item, dict):
                found.append(Fields(item, path, self.notes))
            else:
                self.notes.add(path, "this item", f"it is {kind_of(item)}, where an object is expected")
        return found

    def texts(self, name: str) -> list[str]:
        """A list of texts, or one text."""
        found: list[str] = []
        for path, item in self.items(name):
            if isinstance(item, str):
                found.append(item)
            elif isinstance(item, int | float):
                found.append(str(item).lower() if isinstance(item, bool) else str(item))
            else:
                self.notes.add(path, "this item", f"it is {kind_of(item)}, where text is expected")
        return found

    def scalars(self, name: str) -> dict[str, str]:
        """A mapping of names to texts; what is no single value is noted."""
        fields = self.child(name)
        if fields is None:
            return {}
        found: dict[str, str] = {}
        for key in fields.names():
            value = fields.take(key)
            if isinstance(value, dict | list):
                fields.notes.add(
                    fields.at(key), f"`{key}`", f"a variable is a single value, and this is {kind_of(value)}"
                )
            elif isinstance(value, bool):
                found[key] = str(value).lower()
            elif value is not None:
                found[key] = str(value)
        return found

    def drop(self, name: str, why: str) -> None:
        """Say why a field is not carried, where it holds anything and nobody has asked for it."""
        if self._key(name) not in self._taken and not is_nothing(self.take(name)):
            self.notes.add(self.at(name), self.named(name), why)

    def note(self, what: str, why: str) -> None:
        """Note something about the mapping as a whole."""
        self.notes.add(self.path, what, why)

    def list_untaken(self) -> None:
        """List what nobody asked for."""
        for name, value in self.untaken().items():
            if not is_nothing(value):
                self.notes.add((*self.path, name), f"`{shorten(name, 60)}`", UNKNOWN)

    def _other(self, name: str, value: Json, wanted: str) -> None:
        self.notes.add(self.at(name), self.named(name), f"it is {kind_of(value)}, where {wanted} is expected")
