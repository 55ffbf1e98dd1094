"""What pydantic finds wrong in an agent or a test, in plain words and at its field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from greenroom.files.mistakes import Place
from greenroom.files.nodes import ScalarNode
from greenroom.files.shapes import Trail, follow, is_model
from greenroom.files.wording import message_for
from greenroom.model.base import Json
from greenroom.model.errors import Problem
from greenroom.server.wording import sentence

_NOWHERE = Place(Path(), 1, 1)
# What these errors are called does not depend on how the data was written down.
_SHARED = frozenset(
    {
        "missing",
        "extra_forbidden",
        "union_tag_invalid",
        "union_tag_not_found",
        "literal_error",
        "string_pattern_mismatch",
        "value_error",
    }
)


def explain(model: type[BaseModel], data: Json, error: ValidationError) -> list[Problem]:
    """The problems behind a failed validation of `data`."""
    found: list[Problem] = []
    lost: dict[tuple[str | int, ...], Problem] = {}
    for each in error.errors(include_url=False):
        trail = follow(model, each["loc"])
        if trail.fork is not None and not _is_meant(_at(data, trail.fork.path), trail.fork.arm):
            name = _name(trail.fork.path)
            lost[trail.fork.path] = Problem(trail.fork.path, f"`{name}` cannot be this: it has another form")
        else:
            # A wrong or missing `type` is told at the `type`, not at the whole that it is the type of.
            ending = ("type",) if str(each["type"]).startswith("union_tag") else ()
            found.append(Problem((*trail.path, *ending), _message(each, trail, _at(data, trail.path))))
    told = {problem.path for problem in found}
    inside = [path for path in lost if not any(each[: len(path)] == path for each in told)]
    return list(dict.fromkeys([*found, *(lost[path] for path in inside)]))


def _message(error: Any, trail: Trail, value: Json) -> str:
    if value == {"set": True} and error["type"] == "string_type":
        return f"`{_name(trail.path)}` was never set: write its value"
    if error["type"] not in _SHARED:
        return sentence(_name(trail.path), str(error["type"]), error.get("ctx") or {}, str(error["msg"]))
    scalar = None if isinstance(value, dict | list) else ScalarNode(_NOWHERE, value, _text(value))
    message, suggestion = message_for(error, trail, scalar)
    return f"{message}: did you mean `{suggestion}`?" if suggestion else message


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _is_meant(value: Json, arm: object) -> bool:
    """Whether the value has the form of the type that an error is about."""
    if is_model(arm) or str(arm).startswith("dict["):
        return isinstance(value, dict)
    if str(arm).startswith("list["):
        return isinstance(value, list)
    return False


def _at(data: Json, path: Sequence[str | int]) -> Json:
    current = data
    for step in path:
        if isinstance(current, dict) and isinstance(step, str):
            current = current.get(step)
        elif isinstance(current, list) and isinstance(step, int) and step < len(current):
            current = current[step]
        else:
            return None
    return current


def _name(path: Sequence[str | int]) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "this")
