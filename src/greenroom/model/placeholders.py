"""`{{message}}` and `{{variables.NAME}}` in what is sent to a remote agent: JSON with places to fill in.

Only names between double braces are places; everything else, such as `{"day": 1}` or `{{#each}}`, stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import cast

import regex

from greenroom.model.base import Json

NAMES = ("message", "messages", "session_id", "prompt", "variables")
_VARIABLES = "variables."
_PLACE = regex.compile(r"\{\{[ \t]*([^\W\d]\w*(?:\.\w+)*)[ \t]*\}\}")


class UnknownPlace(LookupError):
    """A place has no value; the message is its name."""


def places(template: Json) -> Iterator[str]:
    """The names of all places in a template, in its keys' order."""
    match template:
        case str():
            yield from _PLACE.findall(template)
        case list():
            for item in template:
                yield from places(item)
        case dict():
            for item in template.values():
                yield from places(item)
        case _:
            return


def misnamed(template: Json) -> str | None:
    """What is wrong with the names in a template, in words; `None` where all of them can have a value."""
    for name in places(template):
        variable = name.removeprefix(_VARIABLES)
        if name in NAMES or (variable != name and "." not in variable):
            continue
        known = ", ".join(f"`{{{{{known}}}}}`" for known in NAMES)
        as_variable = f"`{{{{variables.{name.rpartition('.')[2]}}}}}`"
        return f"`{{{{{name}}}}}` is not known here: write one of {known}, or {as_variable} for a variable"
    return None


def fill(template: Json, values: Mapping[str, Json]) -> Json:
    """The template with its places filled in, once. A text that is nothing but one place takes the value as it is;
    inside other text a value stands as text, or as JSON where it is none.

    Raises:
        UnknownPlace: there is no value for a place.
    """
    match template:
        case str():
            whole = _PLACE.fullmatch(template.strip())
            return _value(whole[1], values) if whole else fill_text(template, values)
        case list():
            return [fill(item, values) for item in template]
        case dict():
            return {key: fill(item, values) for key, item in template.items()}
        case _:
            return template


def fill_text(template: str, values: Mapping[str, Json], form: Callable[[str], str] = str) -> str:
    """The text with its places filled in, each value after `form`, such as percent-encoding.

    Raises:
        UnknownPlace: there is no value for a place.
    """
    return _PLACE.sub(lambda place: form(_as_text(_value(place[1], values))), template)


def _value(name: str, values: Mapping[str, Json]) -> Json:
    if name.startswith(_VARIABLES):
        variables = cast("Mapping[str, Json]", values.get("variables") or {})
        variable = name.removeprefix(_VARIABLES)
        if variable not in variables:
            raise UnknownPlace(variable)
        return variables[variable]
    if name not in values:
        raise UnknownPlace(name)
    return values[name]


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
