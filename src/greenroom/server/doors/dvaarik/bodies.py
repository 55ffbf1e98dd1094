"""Reading the body of a request: JSON without a field twice, then one of the door's models."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Generic, NoReturn, TypeVar, cast

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from greenroom.model.base import Json
from greenroom.server.doors.dvaarik.wording import RULE, Item, Step, item, items_of, label, tagged

Model = TypeVar("Model", bound=BaseModel)

_DEEPEST = 60
_MISSING = "the body is missing: send a JSON object"
_NOT_JSON = "the body is not JSON: check its quotes, commas and brackets"
_NO_OBJECT = "the body must be a JSON object"
_TOO_DEEP = f"the body is nested more than {_DEEPEST} levels deep"


class Body(Generic[Model]):
    """Reads the body of a request as a `model`, as a dependency of a route. An `optional` one may be left out: then
    it is the model's defaults. Fields in `told` are what an answer adds: sent back, they change nothing."""

    def __init__(self, model: type[Model], *, optional: bool = False, told: frozenset[str] = frozenset()) -> None:
        self._model = model
        self._optional = optional
        self._told = told

    async def __call__(self, request: Request) -> Model:
        """
        Raises:
            RequestValidationError: there is something wrong; its errors are items as they are answered.
        """
        raw = await request.body()
        if not raw.strip():
            if self._optional:
                return self._model()
            raise _unreadable("missing", _MISSING)
        data, twice = _read(raw)
        written = {name: value for name, value in data.items() if name not in self._told}
        errors: list[Item] = [item(tagged(path, data), path, RULE, f"{label(path)} is there twice") for path in twice]
        try:
            read = self._model.model_validate(written)
        except ValidationError as error:
            told = {each["field"] for each in errors}
            found = items_of(self._model, error.errors(include_url=False, include_input=False))
            raise RequestValidationError([*errors, *(each for each in found if each["field"] not in told)]) from None
        if errors:
            raise RequestValidationError(errors)
        return read

    def described(self, example: Mapping[str, Any]) -> dict[str, Any]:
        """The body as OpenAPI tells of it."""
        schema = self._model.model_json_schema()
        parts = schema.pop("$defs", {})
        media = {"schema": _inlined(schema, parts), "example": dict(example)}
        return {"requestBody": {"required": not self._optional, "content": {"application/json": media}}}


def _read(raw: bytes) -> tuple[dict[str, Json], list[tuple[Step, ...]]]:
    """The object that a body is, and where a field of it is there twice."""
    try:
        value = json.loads(
            raw.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_Pairs.of
        )
    except (ValueError, RecursionError):
        raise _unreadable("json_invalid", _NOT_JSON) from None
    if not isinstance(value, _Pairs):
        raise _unreadable("dict_type", _NO_OBJECT)
    twice: list[tuple[Step, ...]] = []
    return cast("dict[str, Json]", _plain(value, (), twice)), twice  # a `_Pairs` becomes an object


class _Pairs(dict[str, Any]):
    """A JSON object as it was written, and the names that stand in it more than once."""

    twice: tuple[str, ...] = ()

    @staticmethod
    def of(pairs: list[tuple[str, Any]]) -> _Pairs:
        read = _Pairs(pairs)
        if len(read) < len(pairs):
            times = Counter(name for name, _ in pairs)
            read.twice = tuple(name for name in read if times[name] > 1)
        return read


def _plain(value: Any, path: tuple[Step, ...], twice: list[tuple[Step, ...]]) -> Json:
    if len(path) > _DEEPEST:
        raise _unreadable("recursion_loop", _TOO_DEEP)
    if isinstance(value, _Pairs):
        twice.extend((*path, name) for name in value.twice)
        return {name: _plain(each, (*path, name), twice) for name, each in value.items()}
    if isinstance(value, list):
        listed = enumerate(cast("list[Any]", value))
        return [_plain(each, (*path, index), twice) for index, each in listed]
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _unreadable(kind: str, message: str) -> RequestValidationError:
    return RequestValidationError([item(("body",), (), kind, message)])


def _inlined(schema: Any, parts: Mapping[str, Any]) -> Any:
    """A schema with all that it refers to in its place."""
    match schema:
        case {"$ref": str(ref)}:
            return _inlined(parts[ref.rpartition("/")[2]], parts)
        case dict():
            return dict(_inlined_items(cast("dict[str, Any]", schema), parts))
        case list():
            return [_inlined(each, parts) for each in cast("list[Any]", schema)]
        case _:
            return schema


def _inlined_items(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in schema.items():
        if name != "discriminator":  # it would name what is not there any more
            yield name, _inlined(value, parts)
