"""Paths into an answer, such as `choices.0.message.content`, and an answer's shape in words."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from greenroom.model.base import Json
from greenroom.model.text import shorten

_WHOLE = "$"
_INDEX = regex.compile(r"-?[0-9]{1,9}")
_MOST_KEYS = 10


class NotThere(LookupError):
    """A path leads nowhere. The message says what is there instead, by names and kinds alone."""


def find(answer: Json, path: str) -> Json:
    """What stands at `path`. A number steps into a list, from its end where it is negative; `$` is all of the answer.

    Raises:
        NotThere: there is nothing there.
    """
    value = answer
    walked: list[str] = []
    for step in _steps(path):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.fullmatch(step) and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        else:
            raise NotThere(_what_is_there(answer, value, walked))
        walked.append(step)
    return value


def get(answer: Json, path: str | None) -> Json:
    """What stands at `path`, or `None` where nothing does."""
    if path is None:
        return None
    try:
        return find(answer, path)
    except NotThere:
        return None


def shape(value: Json) -> str:
    """What a value is, without what it holds."""
    match value:
        case dict():
            if not value:
                return "an empty object"
            keys = [f"`{shorten(key, 40)}`" for key in list(value)[:_MOST_KEYS]]
            more = f" and {len(value) - _MOST_KEYS} more" if len(value) > _MOST_KEYS else ""
            return f"an object with {', '.join(keys)}{more}"
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "text" if value else "an empty text"
        case _:
            return "a number"


def _steps(path: str) -> Iterator[str]:
    if path != _WHOLE:
        yield from path.removeprefix(f"{_WHOLE}.").split(".")


def _what_is_there(answer: Json, value: Json, walked: list[str]) -> str:
    if not walked:
        return f"its answer is {shape(answer)}"
    return f"its answer is {shape(answer)}, where `{'.'.join(walked)}` is {shape(value)}"
