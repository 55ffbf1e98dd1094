"""Agents and tests as they are stored, told and changed.

Stored is what was written, and no defaults, so that it reads back to the same; the secrets in it are taken out and
sealed together. Told is every field, with `{"set": true}` in the place of each secret. Whoever sends `{"set": true}`
back means the secret that is there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel, SecretStr, ValidationError

from greenroom.model.base import Json
from greenroom.server.model_wording import explain
from greenroom.server.problems import Invalid
from greenroom.server.security.vault import Vault

Model = TypeVar("Model", bound=BaseModel)
Path = tuple[str | int, ...]

_SET: dict[str, Json] = {"set": True}
READ_ONLY = frozenset(
    {"id", "agent_id", "version", "revision", "policy", "published_version", "has_changes", "created_at", "updated_at"}
)
"""Fields that an answer adds to an agent or a test. Sent back, they change nothing."""


def read(model: type[Model], data: Mapping[str, Json]) -> Model:
    """The agent or test that `data` describes.

    Raises:
        Invalid: it describes none; every mistake is told at its field.
    """
    written = {name: value for name, value in data.items() if name not in READ_ONLY}
    try:
        return model.model_validate(written, strict=True)
    except ValidationError as error:
        raise Invalid(explain(model, written, error)) from None


def merge(before: BaseModel, patch: Mapping[str, Json]) -> dict[str, Json]:
    """`before` with the changes of a JSON Merge Patch (RFC 7396), secrets that stay included."""
    merged = _merged(_plain(_written(before)), {name: item for name, item in patch.items() if name not in READ_ONLY})
    return keep_secrets(cast("dict[str, Json]", merged), before)


def keep_secrets(data: Mapping[str, Json], before: BaseModel | None) -> dict[str, Json]:
    """`data` with the secrets of `before` where it says `{"set": true}`; items of lists are found by their names."""
    if before is None:
        return dict(data)
    return cast("dict[str, Json]", _kept(dict(data), _written(before)))


def to_store(content: BaseModel, vault: Vault) -> dict[str, Any]:
    """What is kept of an agent or a test."""
    secrets: list[tuple[Path, str]] = []
    data = _without_secrets(_written(content), (), secrets)
    return {"data": data, "sealed": vault.seal(json.dumps(secrets))} if secrets else {"data": data}


def from_store(model: type[Model], stored: Mapping[str, Any], vault: Vault) -> Model:
    """The agent or test that was kept.

    Raises:
        CannotOpen: its secrets were sealed with a key that is not at hand.
    """
    data: Any = stored["data"]
    if "sealed" in stored:
        data = json.loads(json.dumps(data))
        for path, secret in json.loads(vault.open(stored["sealed"])):
            _put(data, path, secret)
    return model.model_validate(data)


def reseal(stored: Mapping[str, Any], vault: Vault) -> dict[str, Any]:
    """The same, sealed with the newest key."""
    return {**stored, "sealed": vault.reseal(stored["sealed"])} if "sealed" in stored else dict(stored)


def told(content: BaseModel) -> dict[str, Any]:
    """An agent or a test as it is answered: every field, and no secret."""
    written = _written(content)
    fields = {name: written[name] if name in written else getattr(content, name) for name in type(content).model_fields}
    return {name: _plain(value, hide=True) for name, value in fields.items() if name not in ("id",)}


def _written(content: BaseModel) -> dict[str, Any]:
    return content.model_dump(exclude_unset=True)


def _plain(value: object, *, hide: bool = False) -> Any:
    match value:
        case SecretStr():
            return dict(_SET) if hide else value.get_secret_value()
        case BaseModel():
            return _plain(value.model_dump(exclude_unset=True), hide=hide)
        case dict():
            return {key: _plain(item, hide=hide) for key, item in cast("dict[str, object]", value).items()}
        case list():
            return [_plain(item, hide=hide) for item in cast("list[object]", value)]
        case _:
            return value


def _without_secrets(value: object, path: Path, secrets: list[tuple[Path, str]]) -> Any:
    match value:
        case SecretStr():
            secrets.append((path, value.get_secret_value()))
            return None
        case dict():
            items = cast("dict[str, object]", value).items()
            return {key: _without_secrets(item, (*path, key), secrets) for key, item in items}
        case list():
            listed = enumerate(cast("list[object]", value))
            return [_without_secrets(item, (*path, index), secrets) for index, item in listed]
        case _:
            return value


def _put(data: Any, path: Sequence[str | int], value: str) -> None:
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value


def _merged(before: Json, patch: Json) -> Json:
    if not isinstance(patch, dict):
        return patch
    result = dict(before) if isinstance(before, dict) else {}
    for name, item in patch.items():
        if item is None:
            result.pop(name, None)
        else:
            result[name] = item if item == _SET else _merged(result.get(name), item)
    return result


def _kept(value: Json, before: object) -> Json:
    if value == _SET and isinstance(before, SecretStr):
        return before.get_secret_value()
    if isinstance(value, dict) and isinstance(before, dict):
        known = cast("dict[str, object]", before)
        return {key: _kept(item, known.get(key)) for key, item in value.items()}
    if isinstance(value, list) and isinstance(before, list):
        return [_kept(item, _partner(item, index, cast("list[object]", before))) for index, item in enumerate(value)]
    return value


def _partner(item: Json, index: int, before: list[object]) -> object:
    """What an item of a list was before: the one of the same name, or without names the one in the same place."""
    name = item.get("name") if isinstance(item, dict) else None
    if name is None:
        return before[index] if index < len(before) else None
    known = [cast("dict[str, object]", each) for each in before if isinstance(each, dict)]
    return next((each for each in known if each.get("name") == name), None)
