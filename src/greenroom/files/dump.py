"""Agents and tests as YAML that loads back to the same.

Only what was set is written. Secrets are never written, but for a `${NAME}`, which only names one. Texts of several
lines become block texts.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, SecretStr

from greenroom.files.library import looks_like_a_path
from greenroom.files.yaml_reader import resolve
from greenroom.model.agent import Agent
from greenroom.model.case import ScriptMessage, Test

SCHEMA_COMMENT = "# yaml-language-server: $schema="

_OMITTED = object()
_PATH_FIELDS = frozenset({"prompt", "persona"})
# What a person would write without quotes, and every YAML parser reads as text.
_PLAIN = re.compile(r"[^\W\d_](?:[\w ,.;()/'’+-]*[\w.)])?")
_AMBIGUOUS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def dump_test(test: Test) -> str:
    """A test as a YAML mapping, as it stands in the list of a file's `tests`."""
    return _dump(_data_of(test))


def dump_agent(agent: Agent) -> str:
    """An agent as a YAML mapping, as it stands under a file's `agent`. Secrets are left out."""
    return _dump(_data_of(agent))


def dump_file(agent: Agent, tests: Sequence[Test], *, schema: str | None = None) -> str:
    """A whole test file. `schema` is the path or URL of the JSON Schema that editors are pointed to."""
    head = f"{SCHEMA_COMMENT}{schema}\n" if schema else ""
    return head + _dump({"agent": _data_of(agent), "tests": [_data_of(test) for test in tests]})


def _data_of(model: BaseModel) -> dict[str, object]:
    data: dict[str, object] = {}
    # What kind of thing it is comes first, and what is usual of it last.
    fields = sorted(type(model).model_fields.items(), key=lambda item: (item[0] == "required") - (item[0] == "type"))
    for name, field in fields:
        value: object = getattr(model, name)
        default: object = field.get_default(call_default_factory=True)
        was_set = name in model.model_fields_set
        if value is None and not (was_set and name == "result"):
            continue  # `null` says nothing, but for a mock whose result it is
        if was_set or value != default or name == "type":
            written = _written(value, may_be_path=name in _PATH_FIELDS)
            if written is not _OMITTED:
                data[name] = written
    return data


def _written(value: object, *, may_be_path: bool = False) -> object:
    match value:
        case SecretStr():
            written = value.get_secret_value()
            return written if _REFERENCE.fullmatch(written) else _OMITTED
        case ScriptMessage() if value.when is None:
            return value.text
        case BaseModel():
            return _data_of(value)
        case dict():
            items = cast("Mapping[str, object]", value).items()
            kept = {key: written for key, item in items if (written := _written(item)) is not _OMITTED}
            return kept if kept or not value else _OMITTED
        case list():
            return [_written(item) for item in cast("list[object]", value)]
        case str() if may_be_path and looks_like_a_path(value):
            return _Verbatim(value)
        case _:
            return value


class _Verbatim(str):
    """A text that would be taken for a path if it were not written as a block."""

    __slots__ = ()


def _dump(data: object) -> str:
    from ruamel.yaml import YAML

    yaml: Any = YAML()
    yaml.width = 2**31
    yaml.allow_unicode = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    yaml.dump(_styled(data), stream)
    return stream.getvalue()


def _styled(value: object) -> object:
    """The same data with each text in the style in which it is written."""
    match value:
        case dict():
            items = cast("Mapping[str, object]", value).items()
            return {_styled_text(key, is_key=True): _styled(item) for key, item in items}
        case list():
            return [_styled(item) for item in cast("list[object]", value)]
        case str():
            return _styled_text(value)
        case _:
            return value


def _styled_text(text: str, *, is_key: bool = False) -> object:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    if isinstance(text, _Verbatim):
        return LiteralScalarString(text)
    if _PLAIN.fullmatch(text) and text.lower() not in _AMBIGUOUS and isinstance(resolve(text), str):
        return text
    if not is_key and _fits_a_block(text):
        return LiteralScalarString(text)
    return DoubleQuotedScalarString(text)


def _fits_a_block(text: str) -> bool:
    """Whether a text of several lines can be written as it is, under `|`."""
    lines = text.split("\n")
    return (
        len(lines) > 2
        and lines[0][:1].strip() != ""
        and lines[-2:] != ["", ""]
        and not any(line != line.rstrip() for line in lines)
        and not _UNPRINTABLE.search(text)
    )
