"""What is different between two states of an agent, field by field. Secrets differ without being shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, cast

from pydantic import BaseModel, SecretStr

from greenroom.server.content import told
from greenroom.server.fields import field_name

Path = tuple[str | int, ...]
_MISSING: Any = object()


def differences(before: BaseModel, after: BaseModel) -> list[dict[str, Any]]:
    """The fields that differ: `{field, before, after}`, and for texts of several lines a unified `diff`. Items of lists
    are compared by their names, where they have some."""
    shown_before, shown_after = told(before), told(after)
    found = _compare(_as_data(before), _as_data(after), ())
    return [_told(path, _at(shown_before, path), _at(shown_after, path)) for path in found]


def _as_data(content: BaseModel) -> dict[str, Any]:
    written = content.model_dump(exclude_unset=True)
    return {name: written.get(name, getattr(content, name)) for name in type(content).model_fields if name != "id"}


def _compare(before: Any, after: Any, path: Path) -> Iterator[Path]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _compare_fields(cast("dict[str, Any]", before), cast("dict[str, Any]", after), path)
    elif (named_before := _named(before)) is not None and (named_after := _named(after)) is not None:
        if [name for name in named_before if name in named_after] == [
            name for name in named_after if name in named_before
        ]:
            yield from _compare_fields(named_before, named_after, path)
        else:
            yield path  # the order is another one
    elif _value(before) != _value(after):
        yield path


def _compare_fields(before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[Path]:
    for name in dict.fromkeys([*before, *after]):
        if name in before and name in after:
            yield from _compare(before[name], after[name], (*path, name))
        else:
            yield (*path, name)


def _value(value: Any) -> Any:
    match value:
        case SecretStr():
            return ("secret", value.get_secret_value())
        case BaseModel():
            return _value(value.model_dump(exclude_unset=True))
        case dict():
            return {key: _value(item) for key, item in cast("dict[str, Any]", value).items()}
        case list():
            return [_value(item) for item in cast("list[Any]", value)]
        case _:
            return value


def _named(value: Any) -> dict[str, Any] | None:
    """The items of a list by their names; `None` where it is no list, or not all have one of their own."""
    if not isinstance(value, list):
        return None
    items = cast("list[Any]", value)
    fields = [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]
    named = {str(item["name"]): item for item in fields if isinstance(item.get("name"), str)}
    return named if len(named) == len(items) else None


def _at(data: Any, path: Path) -> Any:
    for step in path:
        fields = _named(data) if isinstance(data, list) else data
        if not isinstance(fields, dict) or step not in fields:
            return _MISSING
        data = cast("dict[str | int, Any]", fields)[step]
    return data


def _told(path: Path, before: Any, after: Any) -> dict[str, Any]:
    change: dict[str, Any] = {"field": field_name(path)}
    change["before"] = None if before is _MISSING else before
    change["after"] = None if after is _MISSING else after
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        change["diff"] = list(
            difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", "", "", 3, "")
        )
    return change
