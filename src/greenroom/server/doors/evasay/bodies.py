"""Reading the body of a request: JSON that can be kept, then one of the door's models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError

from greenroom.model.base import Json
from greenroom.server.bodies import read_object

Model = TypeVar("Model")


class Body(Generic[Model]):
    """Reads the body of a request, as a dependency of a route. An `optional` one may be left out: then it is `{}`."""

    def __init__(self, adapter: TypeAdapter[Model], *, optional: bool = False) -> None:
        self._adapter = adapter
        self._optional = optional

    async def __call__(self, request: Request) -> Model:
        """
        Raises:
            Invalid: it is no JSON object, or one that cannot be kept.
            RequestValidationError: it does not fit.
        """
        raw = await request.body()
        return self.read({} if self._optional and not raw.strip() else read_object(raw))

    def read(self, data: Mapping[str, Json]) -> Model:
        """What `data` is.

        Raises:
            RequestValidationError: it does not fit.
        """
        try:
            return self._adapter.validate_python(dict(data))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in errors]) from None

    def described(self) -> dict[str, Any]:
        """The body as OpenAPI tells of it."""
        schema = self._adapter.json_schema()
        parts = schema.pop("$defs", {})
        media = {"schema": _inlined(schema, parts)}
        return {"requestBody": {"required": not self._optional, "content": {"application/json": media}}}


def _inlined(schema: Any, parts: Mapping[str, Any]) -> Any:
    """A schema with all that it refers to in its place."""
    match schema:
        case {"$ref": str(ref)}:
            return _inlined(parts[ref.rpartition("/")[2]], parts)
        case dict():
            items = cast("dict[str, Any]", schema).items()
            # A discriminator would name what is not there any more.
            return {name: _inlined(value, parts) for name, value in items if name != "discriminator"}
        case list():
            return [_inlined(each, parts) for each in cast("list[Any]", schema)]
        case _:
            return schema
