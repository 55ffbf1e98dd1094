"""A YAML file as a tree in which every value knows its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from greenroom.files.mistakes import Place
from greenroom.model.base import Json


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A single value. `written` is its text before it was read as a number or such; `verbatim` says that it is
    text as it stands, never a path: a block text (under `|` or `>`), or marked `!!str`."""

    place: Place
    value: str | int | float | bool | None
    written: str
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list."""

    place: Place
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a mapping: where its name stands, and its value."""

    key_place: Place
    value: Node


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping, in the order written."""

    place: Place
    entries: Mapping[str, Entry]

    def get(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return entry.value if entry else None

    def with_values(self, changes: Mapping[str, Node]) -> MapNode:
        """The same mapping with these fields set; a new field takes the place of its value."""
        entries = dict(self.entries)
        for key, node in changes.items():
            known = self.entries.get(key)
            entries[key] = Entry(known.key_place if known else node.place, node)
        return MapNode(self.place, entries)

    def without(self, *keys: str) -> MapNode:
        """The same mapping without these fields."""
        return MapNode(self.place, {key: entry for key, entry in self.entries.items() if key not in keys})


Node: TypeAlias = ScalarNode | ListNode | MapNode


def plain(node: Node) -> Json:
    """The plain data of a tree."""
    match node:
        case ScalarNode():
            return node.value
        case ListNode():
            return [plain(item) for item in node.items]
        case MapNode():
            return {key: plain(entry.value) for key, entry in node.entries.items()}


def text_of(node: Node | None) -> str | None:
    """The text of a node, where it is text."""
    return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else None


def place_at(node: Node, path: Sequence[str | int], *, of_key: bool = False) -> Place:
    """Where the value at `path` stands, or as much of the path as there is; with `of_key`, where its name stands."""
    place = node.place
    for step in path:
        match node:
            case MapNode() if isinstance(step, str) and step in node.entries:
                entry = node.entries[step]
                place = entry.key_place if of_key else entry.value.place
                node = entry.value
            case ListNode() if isinstance(step, int) and 0 <= step < len(node.items):
                node = node.items[step]
                place = node.place
            case _:
                return node.place
    return place
