"""The JSON Schema of a test file, made from the models, so that editors complete and check what is written.

It takes what the loader takes: paths where a text or list may stand in a file of its own, `${NAME}` in secrets,
messages as plain texts. Some rules need more than one place at a time (a check on a tool that the agent does not
have, say); those only the loader knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from greenroom.files.schema_notes import CHECK_NOTES, EXAMPLES, NOTES
from greenroom.files.shapes import check_models, tag_of
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.llm import Credential

Schema: TypeAlias = dict[str, Any]  # a JSON Schema is read and changed as plain data

TITLE = "Greenroom test file"
_TEXT: Schema = {"type": "string"}
_PATH: Schema = {"type": "string", "minLength": 1, "description": "The path of a file, relative to this one."}


def file_schema() -> Schema:
    """The JSON Schema (draft 2020-12) of a test file."""
    _, whole = models_json_schema([(model, "validation") for model in (Agent, Test, Credential)], title=TITLE)
    parts: dict[str, Schema] = {name: _without_field_titles(part) for name, part in whole["$defs"].items()}
    checks = {model.__name__: model for model in check_models()}
    _describe(parts, checks)
    _let_files_in(parts)
    _let_short_forms_in(parts)
    _state_rules(parts)
    parts["Check"] = _check(parts, checks)
    parts["Test"]["properties"]["checks"]["items"] = {"$ref": "#/$defs/Check"}
    parts["AgentChange"] = _agent_change(parts["Agent"])
    parts["ListedAgent"] = _listed_agent(parts["Agent"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLE,
        "description": "An agent (or several) and the tests that it must pass.",
        **_top(),
        "$defs": {name: parts[name] for name in sorted(parts)},
    }


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(file_schema(), indent=2, ensure_ascii=False) + "\n"


def _top() -> Schema:
    agent: Schema = {"anyOf": [{"$ref": "#/$defs/Agent"}, _PATH]}
    listed: Schema = {"anyOf": [{"$ref": "#/$defs/ListedAgent"}, _PATH]}
    return {
        "type": "object",
        "properties": {
            "agent": {**agent, "description": "The agent that is tested, or the path of a file that holds it."},
            "agents": {
                "anyOf": [
                    {"type": "array", "items": agent, "minItems": 1},
                    {"type": "object", "additionalProperties": listed, "minProperties": 1},
                ],
                "description": "Several agents; the first is tested where a test names none.",
            },
            "tests": {"type": "array", "items": {"$ref": "#/$defs/Test"}, "description": "The tests."},
            "credentials": {
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/Credential"},
                "description": "Accounts of providers, by the names that models call them.",
            },
            "variants": {
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/AgentChange"},
                "description": "Named changes of the agents, chosen with `--variant NAME`.",
            },
        },
        "patternProperties": {"^x-": {"description": "Anything: a place for YAML anchors."}},
        "additionalProperties": False,
        "oneOf": [{"required": ["agent"]}, {"required": ["agents"]}],
    }


def _without_field_titles(part: Schema) -> Schema:
    """Titles that only repeat a field's name say nothing."""
    for field in part.get("properties", {}).values():
        field.pop("title", None)
        for choice in field.get("anyOf", []):
            choice.pop("title", None)
    if "description" in part:
        part["description"] = " ".join(str(part["description"]).split())
    return part


def _describe(parts: Mapping[str, Schema], checks: Mapping[str, type[BaseModel]]) -> None:
    for name, part in parts.items():
        notes = CHECK_NOTES if name in checks else NOTES.get(name, {})
        for field, schema in part.get("properties", {}).items():
            if field in notes:
                schema["description"] = notes[field]
            if (name, field) in EXAMPLES:
                schema["examples"] = EXAMPLES[name, field]


def _let_files_in(parts: Mapping[str, Schema]) -> None:
    for name, field in (("Agent", "tools"), ("Llm", "script")):
        schema = parts[name]["properties"][field]
        described = {key: schema.pop(key) for key in ("description", "default") if key in schema}
        parts[name]["properties"][field] = {"anyOf": [schema, _PATH], **described}
    by_path: Schema = {
        "type": "object",
        "title": "Document in a file",
        "properties": {
            "name": {"type": "string", "description": "What the document is called; by default as its file."},
            "file": _PATH,
        },
        "required": ["file"],
        "additionalProperties": False,
    }
    documents = parts["Knowledge"]["properties"]["documents"]
    documents["items"] = {"anyOf": [_PATH, documents["items"], by_path]}


def _let_short_forms_in(parts: Mapping[str, Schema]) -> None:
    messages = parts["Caller"]["properties"]["messages"]["anyOf"][0]
    messages["items"] = {"anyOf": [_TEXT, messages["items"]]}
    one_of = parts["EndedByCheck"]["properties"]["any_of"]
    parts["EndedByCheck"]["properties"]["any_of"] = {
        "anyOf": [one_of, one_of["items"]],
        "description": one_of.pop("description", ""),
    }
    for name in ("Agent", "Test", "Variation"):
        parts[name]["properties"]["variables"]["additionalProperties"] = {"type": ["string", "number", "boolean"]}


def _state_rules(parts: Mapping[str, Schema]) -> None:
    """What the models check beyond the single field, as far as a schema can say it."""
    for part in parts.values():
        if "const" in part.get("properties", {}).get("type", {}):
            # It has a default for those who write Python; in a file it is what tells one kind from another.
            part["properties"]["type"].pop("default", None)
            part["required"] = ["type", *(name for name in part.get("required", []) if name != "type")]
    kinds = ("persona", "messages", "history")
    parts["Caller"]["oneOf"] = [_has(kind) for kind in kinds]
    parts["Agent"]["anyOf"] = [_has("prompt"), _has("remote")]
    parts["McpServer"]["oneOf"] = [_has(way) for way in ("url", "command")]
    scripted: Schema = {"properties": {"model": {"pattern": "^scripted:"}}, "required": ["model"]}
    parts["Llm"]["if"] = scripted
    parts["Llm"]["then"] = {"required": ["script"]}
    parts["Llm"]["else"] = {"properties": {"script": {"maxItems": 0, "not": {"type": "string"}}}}
    parts["Llm"]["properties"]["model"]["pattern"] = r"^\s*[^:\s][^:]*:\s*\S"
    parts["ToolMock"]["oneOf"] = [
        {"required": ["result"]},
        _has("error"),
        {"required": ["timeout"], "properties": {"timeout": {"const": True}}},
    ]


def _has(field: str) -> Schema:
    return {"required": [field], "properties": {field: {"not": {"type": "null"}}}}


def _check(parts: dict[str, Schema], checks: Mapping[str, type[BaseModel]]) -> Schema:
    """One check, told from the others by its `type`: an editor can then complete the fields of that type alone."""
    tags = {name: tag_of(model) for name, model in checks.items()}
    for name, tag in tags.items():
        parts[name]["properties"]["type"] = {"const": tag}
    return {
        "title": "Check",
        "description": "One condition on the finished talk.",
        "type": "object",
        "properties": {
            "type": {
                "description": "What is checked.",
                "enum": list(tags.values()),
                "enumDescriptions": [parts[name].get("description", "") for name in tags],
            },
        },
        "required": ["type"],
        "allOf": [
            {
                "if": {"properties": {"type": {"const": tag}}, "required": ["type"]},
                "then": {"$ref": f"#/$defs/{name}"},
            }
            for name, tag in tags.items()
        ],
    }


def _agent_change(agent: Schema) -> Schema:
    """What a variant may hold: any of an agent's fields but its names, and `null` to take one out."""
    fields = {name: field for name, field in agent["properties"].items() if name not in ("id", "name")}
    changes: Schema = {name: {"anyOf": [field, {"type": "null"}]} for name, field in fields.items()}
    inner: Schema = {"type": "object", "properties": changes, "additionalProperties": False}
    return {
        "title": "Variant",
        "description": "Changes of every agent of the file; under `agents`, of one of them alone.",
        "type": "object",
        "properties": {
            **changes,
            "agents": {
                "type": "object",
                "additionalProperties": inner,
                "description": "Changes by the agent's name.",
            },
        },
        "additionalProperties": False,
    }


def _listed_agent(agent: Schema) -> Schema:
    """An agent that is listed under its name."""
    required = [name for name in agent["required"] if name != "name"]
    return {**agent, "title": "Agent listed by name", "required": required}
