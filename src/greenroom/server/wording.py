"""What FastAPI finds wrong in a request, in plain words and at its field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from greenroom.model.errors import Problem


def worded(errors: Sequence[Any]) -> list[Problem]:
    """The problems of a request whose parameters or body do not fit."""
    return [_problem(error) for error in errors]


def _problem(error: dict[str, Any]) -> Problem:
    place, *path = error["loc"]
    kind = str(error["type"])
    context: dict[str, Any] = error.get("ctx") or {}
    if place == "body" and kind == "json_invalid":
        return Problem((), "the body is not JSON: check its quotes, commas and brackets")
    if place == "body" and not path:
        if kind == "missing":
            return Problem((), "the body is missing: send a JSON object")
        return Problem((), "the body is a JSON object: send one, with `Content-Type: application/json`")
    name = next((str(step) for step in reversed(path) if isinstance(step, str)), "this")
    return Problem(tuple(path), sentence(name, kind, context, str(error["msg"])))


def sentence(name: str, kind: str, context: dict[str, Any], message: str) -> str:
    """One sentence for an error of pydantic's of this kind, about the field `name`."""
    match kind:
        case "missing":
            return f"`{name}` is missing"
        case "extra_forbidden":
            return f"unknown field `{name}`: take it out"
        case "string_type":
            return f"`{name}` is text"
        case "string_unicode":
            return f"`{name}` holds half of a character: take it out"
        case "int_type" | "int_parsing" | "int_from_float":
            return f"`{name}` is a whole number"
        case "list_type":
            return f"`{name}` is a list"
        case "bool_type" | "bool_parsing":
            return f"`{name}` is `true` or `false`"
        case "string_too_short" | "too_short":
            return f"`{name}` is empty: fill it in"
        case "string_too_long":
            return f"`{name}` has more than {context['max_length']:,} characters"
        case "too_long":
            return f"`{name}` has more than {context['max_length']:,} items"
        case "float_type" | "float_parsing":
            return f"`{name}` is a number"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"`{name}` is an object: write its fields"
        case "greater_than":
            return f"`{name}` is more than {context['gt']}"
        case "greater_than_equal":
            return f"`{name}` is at least {context['ge']}"
        case "less_than_equal":
            return f"`{name}` is at most {context['le']}"
        case "enum" | "literal_error":
            return f"`{name}` is one of {context['expected']}"
        case "string_pattern_mismatch":
            return f"`{name}` does not have the form it needs"
        case "value_error":
            return str(context.get("error") or message)
        case _:
            return f"`{name}` cannot be this: {message[:1].lower()}{message[1:]}"
