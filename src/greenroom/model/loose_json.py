"""JSON in what a model wrote, read leniently: fenced, among words, in a list, or written as a Python or JavaScript
value would be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

import regex

from greenroom.model.text import without_thinking

LONGEST = 200_000
MOST_OBJECTS = 50

_TRAILING_COMMA = regex.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])', regex.DOTALL)
_PYTHON_WORD = regex.compile(r'("(?:[^"\\]|\\.)*+")|\b(True|False|None)\b', regex.DOTALL)
_IN_JSON = {"True": "true", "False": "false", "None": "null"}


class ContradictoryJson(ValueError):
    """An object gives one field twice, and differently."""


def objects_with(text: str, key: str) -> Iterator[dict[str, object]]:
    """Every JSON object in `text` that has `key`; those inside a list too, but none inside another object.
    Names of fields are given in small letters.

    Raises:
        ContradictoryJson: an object gives one field twice, and differently.
    """
    for found in _values(without_thinking(text)[:LONGEST]):
        candidates: list[object] = [found] if isinstance(found, dict) else found
        for candidate in candidates:
            if isinstance(candidate, dict):
                fields = {str(name).strip().lower(): item for name, item in candidate.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
                if key in fields:
                    yield fields


def _values(text: str) -> Iterator[dict[str, object] | list[object]]:
    whole = _load(text)
    if isinstance(whole, str):
        whole = _load(whole)  # JSON as a string inside JSON
    if isinstance(whole, dict | list):
        yield whole  # pyright: ignore[reportUnknownVariableType] - any JSON
        return
    mended = _mend(text)
    decoder = json.JSONDecoder(object_pairs_hook=_without_contradiction)
    at, tried = 0, 0
    while tried < MOST_OBJECTS:
        start = min((place for sign in "{[" if (place := mended.find(sign, at)) >= 0), default=-1)
        if start < 0:
            return
        tried += 1
        try:
            value, at = decoder.raw_decode(mended, start)
        except ContradictoryJson:
            raise
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if isinstance(value, dict | list):
            yield value


def objects_among_words(text: str) -> Iterator[str]:
    """Every JSON object that stands among other words, as it is written; none where `text` is JSON alone."""
    text = without_thinking(text)[:LONGEST]
    if isinstance(_load(text), dict | list):
        return
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(MOST_OBJECTS):
        if at < 0:
            return
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)


def _load(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_without_contradiction)
    except ContradictoryJson:
        raise
    except (ValueError, RecursionError):
        return None


def _mend(text: str) -> str:
    """`text` without trailing commas and with Python's constants as JSON's, outside of strings."""
    text = _TRAILING_COMMA.sub(lambda match: match[1] or "", text)
    return _PYTHON_WORD.sub(lambda match: match[1] or _IN_JSON[match[2]], text)


def _without_contradiction(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ContradictoryJson(f"`{key}` is given twice, and differently")
        found[key] = value
    return found


def as_object(value: object) -> dict[str, object] | None:
    """A JSON object with its names as text; `None` where the value is none."""
    return (
        {str(key): item for key, item in cast("dict[object, object]", value).items()}
        if isinstance(value, dict)
        else None
    )


def as_list(value: object) -> list[object]:
    """A JSON list; empty where the value is none."""
    return cast("list[object]", value) if isinstance(value, list) else []
