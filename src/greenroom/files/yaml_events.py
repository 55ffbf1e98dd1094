"""The YAML parser behind types of our own: its events and its errors, and nothing else of the library.

The library carries no types, so this is where `Any` ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["document", "scalar", "alias", "list", "map", "end"]
Mark = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True, slots=True)
class YamlEvent:
    """One event of the parser. `is_plain`: a value without quotes and without a tag; `is_block`: a text under `|` or
    `>`."""

    kind: Kind
    mark: Mark
    anchor: str | None = None
    tag: str | None = None
    text: str = ""
    is_plain: bool = False
    is_block: bool = False


class YamlFault(Exception):
    """The text is not YAML. `problem` is where the parser stopped, `context` where that which it was reading began;
    with `position`, a character that YAML does not allow stands there (counted in the text from 0)."""

    def __init__(self, said: str, problem: Mark, context: Mark | None = None, position: int | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.problem = problem
        self.context = context
        self.position = position


def parse(text: str) -> Iterator[YamlEvent]:
    """The events of a YAML text, as far as it can be read.

    Raises:
        YamlFault: the text is not YAML.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    parser: Any = YAML(typ="safe", pure=True)
    try:
        for event in parser.parse(text):
            known = _event(event)
            if known is not None:
                yield known
    except YAMLError as error:
        raise _fault(error) from None


_KINDS: Mapping[str, Kind] = {
    "DocumentStartEvent": "document",
    "ScalarEvent": "scalar",
    "AliasEvent": "alias",
    "SequenceStartEvent": "list",
    "MappingStartEvent": "map",
    "SequenceEndEvent": "end",
    "MappingEndEvent": "end",
}


def _event(event: Any) -> YamlEvent | None:
    kind = _KINDS.get(type(event).__name__)
    if kind is None:
        return None
    mark = _mark(event.start_mark)
    if kind in ("document", "end"):
        return YamlEvent(kind, mark)
    if kind == "alias":
        return YamlEvent(kind, mark, event.anchor)
    if kind != "scalar":
        return YamlEvent(kind, mark, event.anchor, _tag(event))
    # The first of `implicit` is true for a value without quotes and without a tag.
    is_plain, is_block = bool(event.implicit[0]), event.style in ("|", ">")
    return YamlEvent(kind, mark, event.anchor, _tag(event), str(event.value), is_plain, is_block)


def _tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)


def _mark(mark: Any) -> Mark:
    return (int(mark.line) + 1, int(mark.column) + 1)


def _fault(error: Any) -> YamlFault:
    from ruamel.yaml.reader import ReaderError

    if isinstance(error, ReaderError):
        return YamlFault("", (1, 1), position=int(getattr(error, "position", 0)))
    context, problem = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    said = f"{getattr(error, 'context', None) or ''} {getattr(error, 'problem', None) or ''}".strip()
    return YamlFault(said, _mark(problem) if problem else (1, 1), _mark(context) if context else None)
