"""What each kind of mistake is called: sentences that say what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from greenroom.files.nodes import ListNode, MapNode, Node, ScalarNode
from greenroom.files.shapes import Trail, arms, check_models, field_names, is_model, tag_of
from greenroom.files.yaml_reader import resolve
from greenroom.model.rules import nearest
from greenroom.model.text import shorten

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

FOUND: Mapping[str, str] = {"mapping": "a mapping (`name: value`)", "list": "a list", "scalar": "text"}

_NOUNS: Mapping[str, str] = {
    "Agent": "an agent",
    "Test": "a test",
    "Caller": "a caller",
    "Llm": "a model",
    "Tool": "a tool",
    "HttpCall": "an HTTP call",
    "McpServer": "an MCP server",
    "McpTool": "a tool of an MCP server",
    "ScriptRule": "a rule of a script",
    "ScriptedCall": "a call of a script",
    "ScriptMessage": "a message",
    "HistoryLine": "a line of history",
    "ToolMock": "a mock",
    "Credential": "a credential",
}

_FORMS: Mapping[tuple[str, str], str] = {
    ("Tool", "name"): "a tool's name has letters, digits, `_` and `-` only, up to 64, and starts with a letter or `_`",
    ("McpServer", "name"): "a server's name has letters, digits, `_` and `-` only, up to 32, and starts with a letter",
    ("Language", "code"): "`code` is a language code such as `en` or `pt-BR`",
}

_BOOLEANS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


def noun_of(model: type[BaseModel]) -> str:
    """What a model is called in a sentence, with its article."""
    tag = tag_of(model)
    if tag:
        return f"a `{tag}` check" if model in check_models() else f"a remote agent of the type `{tag}`"
    name = model.__name__
    return _NOUNS.get(name) or "a " + "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()


def message_for(error: ErrorDetails, trail: Trail, value: Node | None) -> tuple[str, str | None]:
    """One sentence for an error of pydantic's, and the name that was probably meant, where it is about a name."""
    context: dict[str, Any] = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"`{trail.path[-1]}` is missing: {noun_of(trail.owner)} needs it", None
        case "extra_forbidden":
            return _unknown_field(str(trail.path[-1]), trail.owner)
        case "union_tag_invalid":
            return _unknown_type(str(context.get("tag")), trail)
        case "union_tag_not_found":
            return f"this {_tagged_thing(trail)} has no `type`: write one of {_listed(_tags(trail))}", None
        case "literal_error":
            return _not_among(trail, value)
        case "value_error":
            return str(context.get("error") or error["msg"]), None
        case _:
            return _wrong_value(error["type"], context, trail, value), None


def _unknown_field(name: str, owner: type[BaseModel]) -> tuple[str, str | None]:
    names = field_names(owner)
    near = nearest(name, names)
    if near:
        return f"unknown field `{name}`", near
    for field, info in owner.model_fields.items():
        if any(is_model(arm) and name in arm.model_fields for arm in arms(info.annotation)):
            return f"`{name}` does not stand here: it goes under `{field}`", None
    return f"unknown field `{name}`: {noun_of(owner)} has {_listed(names)}", None


def _unknown_type(tag: str, trail: Trail) -> tuple[str, str | None]:
    tags = _tags(trail)
    near = nearest(tag, tags)
    message = f"unknown {_tagged_thing(trail)} type `{shorten(tag, 60)}`"
    return (message, near) if near else (f"{message}: write one of {_listed(tags)}", None)


def _tags(trail: Trail) -> tuple[str, ...]:
    return tuple(tag for arm in trail.expected if is_model(arm) and (tag := tag_of(arm)))


def _tagged_thing(trail: Trail) -> str:
    return "check" if _name(trail) == "checks" else _name(trail)


def _not_among(trail: Trail, value: Node | None) -> tuple[str, str | None]:
    options = [str(option) for arm in trail.expected for option in _options(arm)]
    near = nearest(_written(value), options)
    each = "each of " if isinstance(trail.path[-1], int) else ""
    return f"{each}`{_name(trail)}` is one of {_listed(options)}, not `{shorten(_written(value), 60)}`", near


def _options(arm: Any) -> tuple[Any, ...]:
    return getattr(arm, "__args__", ())


def _wrong_value(kind: str, context: Mapping[str, Any], trail: Trail, value: Node | None) -> str:
    name = _name(trail)
    form = _FORMS.get((trail.owner.__name__, name))
    match kind:
        case "string_type":
            return _needs_text(name, value)
        case "int_type" | "int_from_float" | "int_parsing":
            return _needs_number(name, "a whole number", value)
        case "float_type" | "float_parsing":
            return _needs_number(name, "a number", value)
        case "bool_type":
            meant = _BOOLEANS.get(_written(value).lower())
            return f"`{name}` is `true` or `false`" + (f": write `{meant}`" if meant else not_this(value))
        case "list_type":
            return f"`{name}` is a list{not_this(value)}: start each item with `- `"
        case "dict_type" | "model_type" | "model_attributes_type":
            return _needs_mapping(trail, value)
        case "greater_than_equal":
            return f"`{name}` is at least {context['ge']:g}{not_this(value)}"
        case "greater_than":
            return f"`{name}` is more than {context['gt']:g}{not_this(value)}"
        case "less_than_equal":
            return f"`{name}` is at most {context['le']:g}{not_this(value)}"
        case "string_too_short" | "too_short":
            return f"`{name}` is empty: write at least one" if kind == "too_short" else f"`{name}` is empty: fill it in"
        case "string_too_long":
            return f"`{name}` has {len(_written(value)):,} characters; the most is {context['max_length']:,}"
        case "string_pattern_mismatch" if form:
            return f"`{shorten(_written(value), 60)}` cannot be a name here: {form}"
        case _:
            return f"`{name}` cannot be `{shorten(_written(value), 60)}`"


def _needs_text(name: str, value: Node | None) -> str:
    if isinstance(value, ScalarNode):
        if value.value is None:
            return f"`{name}` is empty: write its text, or take the field out"
        return f'`{name}` is text: put it in quotes, as "{shorten(value.written, 60)}"'
    return f"`{name}` is text{not_this(value)}: put it in quotes where it starts with `{{` or `[`"


def _needs_number(name: str, wanted: str, value: Node | None) -> str:
    if isinstance(value, ScalarNode) and isinstance(value.value, str):
        number = resolve(value.value.strip())
        if isinstance(number, int | float) and not isinstance(number, bool):
            return f"`{name}` is {wanted}: write {number} without quotes"
    return f"`{name}` is {wanted}{not_this(value)}"


def _needs_mapping(trail: Trail, value: Node | None) -> str:
    model = next((arm for arm in trail.expected if is_model(arm)), None)
    name = _name(trail)
    if isinstance(trail.path[-1], int) and name == "checks":
        return f"a check is a mapping{not_this(value)}: write for example `{{type: says, text: Monday}}`"
    if model is not None and model.__name__ == "ScriptMessage" and isinstance(value, ScalarNode):
        return f'a message is text: put it in quotes, as "{shorten(value.written, 60)}"'
    if model is None:
        return f"`{name}` is a mapping{not_this(value)}: write `name: value` below it"
    fields = _listed(field_names(model)[:4])
    if isinstance(trail.path[-1], int):
        return f"{noun_of(model)} is a mapping{not_this(value)}: write its fields, such as {fields}"
    return f"`{name}` is a mapping{not_this(value)}: write its fields below it, such as {fields}"


def _name(trail: Trail) -> str:
    """The field that an error is about; an item goes by the name of its list."""
    return next((step for step in reversed(trail.path) if isinstance(step, str)), "this")


def not_this(value: Node | None) -> str:
    """What stands there instead, as the tail of a sentence."""
    match value:
        case MapNode():
            return ", not a mapping"
        case ListNode():
            return ", not a list"
        case ScalarNode(value=None):
            return ", and nothing stands here"
        case ScalarNode(written=text):
            return f", not `{shorten(text, 60)}`"
        case _:
            return ""


def _written(value: Node | None) -> str:
    if not isinstance(value, ScalarNode):
        return {"MapNode": "a mapping", "ListNode": "a list"}.get(type(value).__name__, "")
    return value.written or "nothing"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
