"""What the author of tests answers, as tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, TypeAlias

from greenroom.model.case import Kind
from greenroom.model.loose_json import as_list, as_object

DraftKind: TypeAlias = Literal["simulation", "script", "next_reply", "tool_call"]
"""What can be drafted: the kinds of test, and one reply that must call a tool."""

Fields: TypeAlias = dict[str, object]


def as_test(fields: Fields, kind: DraftKind) -> Fields:
    """A drafted test in the shape that tests have.

    Raises:
        ValueError: it is none; the message says why.
    """
    checks = [_planned_call(fields)] if kind == "tool_call" else _checks(fields)
    test = _begun(fields, kind, _caller(fields, _kind_of(kind)), checks)
    if variables := _pairs(fields.get("variables")):
        test["variables"] = variables
    prepared = [_fields(item) for item in as_list(fields.get("tool_results"))]
    if prepared and kind != "tool_call":
        test["tool_results"] = {str(item.get("tool")): json.loads(str(item.get("json"))) for item in prepared}
    return test


def as_plain_test(fields: Fields, kind: DraftKind) -> Fields:
    """The same with nothing but what every caller and judge has: a persona or a talk so far, and one criterion.

    Raises:
        ValueError: it is none; the message says why.
    """
    if kind == "script":
        raise ValueError("a script has no persona: draft another kind")
    if kind == "tool_call":
        return _begun(fields, kind, _caller(fields, "next_reply"), [_planned_call(fields)])
    text = " ".join(_criterion(item)["text"] for item in map(_fields, as_list(fields.get("criteria"))))
    if not text:
        raise ValueError("it checks nothing: give `criteria`")
    if kind == "next_reply":
        return _begun(fields, kind, _caller(fields, kind), [{"type": "reply_meets", "criteria": text}])
    facts = "; ".join(f"{name}: {value}" for name, value in _pairs(fields.get("facts")).items())
    persona = " ".join(part for part in (str(fields.get("persona") or "").strip(), facts) if part)
    return _begun(fields, kind, {"persona": persona}, [{"type": "criterion", "text": text}])


def _kind_of(kind: DraftKind) -> Kind:
    return "next_reply" if kind == "tool_call" else kind


def _begun(fields: Fields, kind: DraftKind, caller: Fields, checks: list[Fields]) -> Fields:
    test: Fields = {"name": str(fields.get("name") or "").strip(), "caller": caller, "checks": checks}
    if kind == "simulation" and fields.get("max_turns"):
        test["max_turns"] = fields["max_turns"]
    if kind == "tool_call":
        test["tools"] = "plan"
    return test


def _caller(fields: Fields, kind: Kind) -> Fields:
    match kind:
        case "simulation":
            facts = _pairs(fields.get("facts"))
            caller: Fields = {"persona": fields.get("persona"), "opening_line": fields.get("opening_line") or None}
            return {**caller, "facts": facts} if facts else caller
        case "script":
            return {"messages": fields.get("messages")}
        case "next_reply":
            return {"history": fields.get("history")}


def _checks(fields: Fields) -> list[Fields]:
    checks: list[Fields] = [{"type": "says", "text": text} for text in as_list(fields.get("says"))]
    checks += [{"type": "never_says", "text": text} for text in as_list(fields.get("never_says"))]
    checks += [_call_check(call) for call in as_list(fields.get("calls_tools"))]
    checks += [
        {
            "type": "criterion",
            "text": item.get("text"),
            **({"required": False} if item.get("required") is False else {}),
        }
        for item in map(_fields, as_list(fields.get("criteria")))
    ]
    if not checks:
        raise ValueError("it checks nothing: give `criteria`")
    return checks


def _criterion(item: Mapping[str, object]) -> dict[str, str]:
    return {"text": str(item.get("text") or "").strip()}


def _planned_call(fields: Fields) -> Fields:
    """The check of a dry run: the tool that the reply must pick, and what it must pass."""
    call = _fields(fields.get("expected_call"))
    written = call.get("arguments") or "{}"
    arguments = json.loads(written) if isinstance(written, str) else written
    if not isinstance(arguments, dict):
        raise ValueError("`expected_call.arguments` is a JSON object")
    return {
        "type": "calls_tool",
        "tool": call.get("tool"),
        "arguments": arguments,
        "match": "judge" if call.get("match") == "judge" else "exact",
        "expect_planned": True,
    }


def _call_check(value: object) -> Fields:
    call = _fields(value)
    arguments = as_list(call.get("arguments"))
    return {"type": "calls_tool", "tool": call.get("tool"), **({"arguments": arguments} if arguments else {})}


def _fields(value: object) -> Fields:
    fields = as_object(value)
    if fields is None:
        raise ValueError(f"a JSON object was wanted, not {json.dumps(value, ensure_ascii=False)}")
    return fields


def _pairs(value: object) -> Fields:
    """`[{name, value}]` or a plain object as an object."""
    return as_object(value) or {str(pair.get("name")): pair.get("value") for pair in map(_fields, as_list(value))}
