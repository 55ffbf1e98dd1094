"""YAML 1.2, read from the parser's events into a tree with places.

Values follow YAML's JSON schema: `true`, `false`, `null` (also `~` and nothing at all) and the numbers of JSON are
what they look like; everything else is text. So `yes`, `2026-03-01`, `007` and `+15550100` stay as they are written.
Anchors, aliases and merge keys (`<<`) work. Tags have no meaning but `!!str`, which marks text as text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from greenroom.files.mistakes import Ledger, Place
from greenroom.files.nodes import Entry, ListNode, MapNode, Node, ScalarNode
from greenroom.files.yaml_events import YamlEvent, YamlFault, parse
from greenroom.files.yaml_faults import explain
from greenroom.model.text import is_speakable

MAX_DEPTH = 64
MAX_VALUES = 200_000

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: Mapping[str, bool | None] = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "Null": None,
    "NULL": None,
    "~": None,
    "": None,
}
_STR_TAG = "tag:yaml.org,2002:str"
_MERGE = "<<"


def read_yaml(text: str, file: Path, ledger: Ledger) -> Node | None:
    """The tree of a YAML text; `None`, with the mistake noted, where the text as a whole cannot be read.

    Smaller mistakes (a field given twice, a tag) are noted and passed over. A file that unfolds to more than 200,000
    values (aliases count each time) or is nested more than 64 deep is refused.
    """
    try:
        return _Reader(parse(text), file, ledger).document()
    except YamlFault as fault:
        place, message = explain(fault, text, file)
        # A `{{name}}` without quotes is told where it stands; what it does to the rest of its line is no other mistake.
        if not any(told.file == file and told.line == place.line for told in ledger.mistakes):
            ledger.add(place, message)
    except _Unreadable as error:
        ledger.add(error.place, str(error))
    return None


def resolve(written: str) -> str | int | float | bool | None:
    """What an unquoted value stands for."""
    if written in _WORDS:
        return _WORDS[written]
    match = _NUMBER.fullmatch(written)
    if match is None:
        return written
    if match[1] or match[2]:
        number = float(written)
        return number if math.isfinite(number) else written
    # Python refuses to read integers of thousands of digits; nobody means one as a number.
    return int(written) if len(written) <= 300 else written


class _Unreadable(Exception):
    """The text as a whole cannot be read."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place


class _Reader:
    def __init__(self, events: Iterator[YamlEvent], file: Path, ledger: Ledger) -> None:
        self._events = events
        self._file = file
        self._ledger = ledger
        self._anchors: dict[str, tuple[Node, int]] = {}  # each with how many values it unfolds to
        self._open_anchors: set[str] = set()
        self._depth = 0
        self._values = 0

    def document(self) -> Node:
        root: Node | None = None
        for event in self._events:
            if event.kind != "document":
                continue
            if root is not None:
                raise _Unreadable(self._place(event), "a second YAML document starts here: keep one in a file")
            root = self._node(next(self._events))
        if root is None:
            raise _Unreadable(Place(self._file, 1, 1), "the file is empty: write an agent and its tests")
        return root

    def _place(self, event: YamlEvent) -> Place:
        return Place(self._file, *event.mark)

    def _node(self, event: YamlEvent) -> Node:
        if event.kind == "alias":
            return self._alias(event)
        if event.kind == "scalar":
            return self._anchored(event, lambda: self._scalar(event))
        return self._anchored(event, lambda: self._nested(event, self._list if event.kind == "list" else self._map))

    def _anchored(self, event: YamlEvent, build: Callable[[], Node]) -> Node:
        before = self._values
        self._count(event, 1)
        if event.anchor is None:
            return build()
        self._open_anchors.add(event.anchor)
        node = build()
        self._open_anchors.discard(event.anchor)
        self._anchors[event.anchor] = (node, self._values - before)
        return node

    def _count(self, event: YamlEvent, values: int) -> None:
        self._values += values
        if self._values > MAX_VALUES:
            raise _Unreadable(
                self._place(event), f"the file unfolds to more than {MAX_VALUES:,} values here: use fewer aliases"
            )

    def _alias(self, event: YamlEvent) -> Node:
        name = str(event.anchor)
        if name in self._open_anchors:
            raise _Unreadable(self._place(event), f"`*{name}` stands inside its own `&{name}`: write the value out")
        if name not in self._anchors:
            raise _Unreadable(self._place(event), f"`*{name}` points to nothing: put `&{name}` before an earlier value")
        node, size = self._anchors[name]
        self._count(event, size)
        return node

    def _nested(self, event: YamlEvent, build: Callable[[YamlEvent], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _Unreadable(self._place(event), f"this is nested more than {MAX_DEPTH} deep: make it flatter")
        if event.tag not in (None, "!"):
            self._refuse_tag(event)
        node = build(event)
        self._depth -= 1
        return node

    def _scalar(self, event: YamlEvent) -> ScalarNode:
        place = self._place(event)
        written = _join_surrogates(event.text)
        if not is_speakable(written):
            self._ledger.add(place, "this text holds a NUL or half of a character, which cannot be said: take it out")
            written = "\ufffd"
        if event.tag not in (None, "!", _STR_TAG):
            self._refuse_tag(event)
        value = resolve(written) if event.is_plain else written
        return ScalarNode(place, value, written, verbatim=event.is_block or event.tag == _STR_TAG)

    def _refuse_tag(self, event: YamlEvent) -> None:
        shown = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        self._ledger.add(self._place(event), f"the tag `{shown}` has no meaning here: take it out")

    def _list(self, event: YamlEvent) -> ListNode:
        items: list[Node] = []
        while (item := next(self._events)).kind != "end":
            items.append(self._node(item))
        return ListNode(self._place(event), tuple(items))

    def _map(self, event: YamlEvent) -> Node:
        entries: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        unreadable = False
        while (key_event := next(self._events)).kind != "end":
            key = self._node(key_event)
            place = self._place(key_event)
            value = self._value(next(self._events), place)
            if not isinstance(key, ScalarNode):
                unreadable = True
                self._ledger.add(
                    place,
                    "a name cannot be a list or a mapping: put text that starts with `{` or `[` in quotes",
                )
            elif key.written == _MERGE and key_event.is_plain:
                self._merge(place, value, merged)
            elif key.written in entries:
                first = entries[key.written].key_place
                self._ledger.add(place, f"`{key.written}` is given twice (first in line {first.line}): keep one")
            else:
                entries[key.written] = Entry(place, value)
        if unreadable:
            return ScalarNode(self._place(event), "{…}", "{…}", verbatim=True)
        return MapNode(self._place(event), {**entries, **{k: entry for k, entry in merged.items() if k not in entries}})

    def _value(self, event: YamlEvent, key_place: Place) -> Node:
        """The value of a field. Nothing at all stands nowhere: it takes the place of its name."""
        node = self._node(event)
        if isinstance(node, ScalarNode) and event.is_plain and not event.text:
            return ScalarNode(key_place, None, "")
        return node

    def _merge(self, place: Place, value: Node, merged: dict[str, Entry]) -> None:
        sources = value.items if isinstance(value, ListNode) else (value,)
        for source in sources:
            if not isinstance(source, MapNode):
                self._ledger.add(place, "`<<` takes a mapping, for example `<<: *defaults`")
                return
            for key, entry in source.entries.items():
                merged.setdefault(key, entry)


def _join_surrogates(text: str) -> str:
    """Make one character of each escaped pair (`"\\ud83d\\ude00"`), as JSON means it."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
