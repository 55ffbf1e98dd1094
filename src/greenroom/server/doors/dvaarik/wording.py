"""What is wrong in a request, one item for each wrong field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from greenroom.files.shapes import follow
from greenroom.server.fields import field_name

Step = str | int
Item = dict[str, Any]

RULE = "value_error"
"""The type of what a rule of this API forbids; what only has the wrong form goes by the form that was expected."""


def item(location: Sequence[Step], path: Sequence[Step], kind: str, message: str) -> Item:
    """An item of an answer. `location` is where the reader was, members of unions included; `path` is the place in the
    request, empty for the body as a whole."""
    field = field_name(path)
    return {
        "loc": list(location),
        "msg": message if field is None else f"{field}: {message}",
        "type": kind,
        "field": field,
        "message": message,
    }


def tagged(path: Sequence[Step], data: Mapping[str, Any]) -> tuple[Step, ...]:
    """The location of a place in a test, with the type of the check that it is in, as pydantic gives it."""
    match [*path]:
        case ["checks", int(place), *rest]:
            match data["checks"][place]:
                case {"type": str(kind)}:
                    return ("body", "checks", place, kind, *rest)
                case _:
                    pass
        case _:
            pass
    return ("body", *path)


def items_of(model: type[BaseModel], errors: Sequence[Any]) -> list[Item]:
    """The items for what pydantic finds wrong in a body that was to be a `model`."""
    return [_item(model, error) for error in errors]


def item_of_parameter(error: Any) -> Item:
    """The item for a parameter of the address that does not fit."""
    place, *path = error["loc"]
    kind, message = _worded(label(path), error)
    return item((place, *path), path, kind, message)


def label(path: Sequence[Step]) -> str:
    """What a field is called in a message: its own name, with its place in a list."""
    names = [index for index, step in enumerate(path) if isinstance(step, str)]
    if not names:
        return "the body"
    return str(path[names[-1]]) + "".join(f"[{step}]" for step in path[names[-1] + 1 :])


def _item(model: type[BaseModel], error: Any) -> Item:
    location: tuple[Step, ...] = tuple(error["loc"])
    path = follow(model, location).path
    if str(error["type"]).startswith("union_tag"):  # a wrong or missing `type` is told at the `type`
        location, path = (*location, "type"), (*path, "type")
    kind, message = _worded(label(path), error)
    return item(("body", *location), path, kind, message)


def _worded(name: str, error: Any) -> tuple[str, str]:
    kind = str(error["type"])
    context: dict[str, Any] = error.get("ctx") or {}
    match kind:
        case "missing" | "union_tag_not_found":
            return RULE, f"{name} is required"
        case "value_error":
            return RULE, f"{name} {context['error']}"
        case "extra_forbidden":
            return kind, f"there is no field {name} here"
        case "union_tag_invalid":
            return kind, f"{name} must be one of {context['expected_tags'].replace(chr(39), '')}"
        case "string_too_long":
            return kind, f"{name} can have at most {context['max_length']:,} characters"
        case "too_long":
            return kind, f"{name} can have at most {context['max_length']:,} entries"
        case "too_short":
            return kind, f"{name} must have at least {context['min_length']:,}"
        case "greater_than_equal":
            return kind, f"{name} must be at least {context['ge']}"
        case "less_than_equal":
            return kind, f"{name} must be at most {context['le']}"
        case _:
            return kind, f"{name} must be {_FORMS.get(kind, 'something else')}"


_FORMS = {
    "string_type": "text",
    "string_unicode": "text of whole characters",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "invalid_key": "named by text",
}
