"""From the raw text of a tool call to arguments that fit the tool's schema."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache

import jsonschema_rs

from greenroom.model.base import Json


@dataclass(frozen=True, slots=True)
class Parsed:
    """Arguments that fit, or `problem`: what is wrong with them, in words for the model."""

    arguments: dict[str, Json] | None
    problem: str = ""


def parse_arguments(raw: str, schema: dict[str, Json]) -> Parsed:
    """Read the arguments of a call. Empty text means no arguments; JSON inside a JSON string is read once more."""
    try:
        value = _read(raw)
        if isinstance(value, str):
            value = _read(value)
    except (ValueError, RecursionError):
        return Parsed(None, "The arguments are not valid JSON. Call the tool again with a JSON object.")
    if value is None:
        value = {}
    if not isinstance(value, dict):
        return Parsed(None, "The arguments must be a JSON object. Call the tool again with one.")
    problem = _misfit(json.dumps(schema, sort_keys=True), value)
    if problem:
        return Parsed(None, f"The arguments do not fit the tool: {problem}. Call it again with arguments that do.")
    return Parsed(value)


def _read(text: str) -> Json:
    # Python reads numbers that are none in JSON, and no tool's server could be sent them.
    return json.loads(text, parse_constant=_refuse, parse_float=_finite) if text.strip() else {}


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse(written)


def _refuse(written: str) -> float:
    raise ValueError(f"{written} is no JSON number")


def _misfit(schema: str, arguments: dict[str, Json]) -> str:
    validator = _validator(schema)
    if validator is None:
        return ""
    for error in validator.iter_errors(arguments):
        place = ".".join(str(step) for step in error.instance_path)
        return f"`{place}`: {error.message}" if place else error.message
    return ""


@lru_cache(maxsize=512)
def _validator(schema: str) -> jsonschema_rs.Validator | None:
    """The validator of a schema; none where the schema itself is unusable, which is the tool owner's mistake and is
    reported when the agent is checked, not to the model."""
    try:
        # A schema never fetches another one: tenants write them.
        return jsonschema_rs.validator_for(json.loads(schema), offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None
