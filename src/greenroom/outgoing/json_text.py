"""JSON from outside and to it: what comes can be stored, what goes is plain ASCII."""

from __future__ import annotations

import json
import math

from greenroom.model.base import Json
from greenroom.model.text import speakable

_DEEPEST = 100


def read_json(body: bytes | str) -> Json:
    """`body` as JSON that can be stored: no NUL, lone surrogate, or number that is not finite.

    Raises:
        ValueError: it is not JSON, or is nested more than 100 deep.
    """
    try:
        return _storable(json.loads(body, parse_constant=_refuse), _DEEPEST)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def write_json(value: Json) -> str:
    """`value` as compact ASCII JSON; a number that JSON cannot say becomes `null`."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))


def as_text(value: Json) -> str:
    """`value` as it stands in a URL or a sentence: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


def _storable(value: Json, depth: int) -> Json:
    if isinstance(value, str):
        return speakable(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is too large")
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [_storable(item, depth - 1) for item in value]
    return {speakable(key): _storable(item, depth - 1) for key, item in value.items()}


def _finite(value: Json) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return value
