"""Bodies that are agents and tests: read as plain JSON first, since parts of them may stand for what is stored."""

from __future__ import annotations

import json
import math
from typing import Annotated, NoReturn

from fastapi import Depends, Request

from greenroom.model.base import Json
from greenroom.server.problems import Invalid

DEEPEST = 60
NOT_JSON = "the body is not JSON: check its quotes, commas and brackets"


async def _read_object(request: Request) -> dict[str, Json]:
    return read_object(await request.body())


JsonBody = Annotated[dict[str, Json], Depends(_read_object)]
"""The body of a request as a JSON object, as a parameter of a route."""


def read_object(body: bytes) -> dict[str, Json]:
    """The JSON object that a body is.

    Raises:
        Invalid: it is none, or is nested deeper than anything that is meant.
    """
    try:
        value: Json = json.loads(body.decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise Invalid("the body is missing: send a JSON object" if not body.strip() else NOT_JSON) from None
    if not isinstance(value, dict):
        raise Invalid("the body is a JSON object: send `{…}`")
    if _is_deep(value):
        raise Invalid(f"the body is nested more than {DEEPEST} levels deep: make it flatter")
    return value


def _is_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [
            item
            for each in level
            for item in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
        ]
        if not level:
            return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
