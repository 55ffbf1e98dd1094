"""`{{name}}` in the texts of other tools, filled in; what is more of a template than that is noted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from greenroom.importers.source import Notes, Path
from greenroom.model.base import Json

_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_][\w]*)\s*-?\}\}")
_MORE = re.compile(r"\{%|\{#|\{\{[^{}]*[|.\[(]")


def rendered(template: str, values: Mapping[str, str], notes: Notes, path: Path) -> str:
    """Insert `values` once; names without a value stay as they are written."""
    note_templates(template, notes, path)
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), template)


def rendered_data(value: Json, values: Mapping[str, str], notes: Notes, path: Path) -> Json:
    """Insert `values` into every text of some data."""
    match value:
        case str():
            return rendered(value, values, notes, path)
        case list():
            return [rendered_data(item, values, notes, path) for item in value]
        case dict():
            return {key: rendered_data(item, values, notes, path) for key, item in value.items()}
        case _:
            return value


def note_templates(template: str, notes: Notes, path: Path) -> None:
    """Note what a template does beyond inserting a variable."""
    if _MORE.search(template):
        notes.add(path, "the template's conditions, filters and the like", "only `{{name}}` is filled in")


def value_text(value: Json) -> str:
    """A value as it is inserted into a text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def is_a_file(text: str) -> bool:
    """Whether a text names a file instead of holding what is meant."""
    return text.startswith("file://")
