"""From this door's tests to native ones and back. Nothing about a talk is decided here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from greenroom.model.base import Json
from greenroom.model.case import Caller, Test
from greenroom.model.checks import CallsTool, Check, Criterion, ReplyMeets
from greenroom.server.doors.evasay.schemas import (
    TEST_BODY,
    USUAL_TURNS,
    AnyTest,
    NextReply,
    Simulation,
    TestPatch,
    ToolCall,
    Type,
)
from greenroom.server.tests.service import Kept

Path = tuple[str | int, ...]

HAND_OFF, NATIVE_HAND_OFF = "handoff_to_agent", "hand_off_to_agent"
_SHOWN = frozenset({"id", "agent", "name", "kind", "caller", "max_turns", "tools", "checks"})
_NOT_SHOWN = frozenset({"tags"})
"""What stays as it is when a test is changed here."""
_MODELS: Mapping[Type, type[AnyTest]] = {"simulation": Simulation, "next_reply": NextReply, "tool_call": ToolCall}


def native_test(body: AnyTest, tags: Sequence[str] = ()) -> dict[str, Json]:
    """The test in the shape that tests have here."""
    test: dict[str, Json] = {"name": body.name, **({"tags": [*tags]} if tags else {})}
    match body:
        case Simulation():
            test["caller"] = {"persona": body.scenario}
            test["max_turns"] = body.max_turns or USUAL_TURNS
            test["checks"] = [{"type": "criterion", "text": body.success_criteria}]
        case NextReply():
            test["caller"] = _caller(body)
            test["checks"] = [{"type": "reply_meets", "criteria": body.success_criteria}]
        case ToolCall():
            expected = body.expected_tool
            test["caller"] = _caller(body)
            test["tools"] = "plan"  # the reply ends with the calls that it picks
            test["checks"] = [
                {
                    "type": "calls_tool",
                    "tool": native_tool(expected.name),
                    "arguments": expected.arguments,
                    "match": expected.match,
                    "expect_planned": True,
                }
            ]
    return test


def body_of(test: Test) -> AnyTest | None:
    """A test as this door shows it; `None` where its shape cannot carry all of it."""
    if test.model_dump(exclude_defaults=True, exclude=set(_SHOWN | _NOT_SHOWN)) or len(test.checks) != 1:
        return None
    fields = _fields(test.caller, test.checks[0], test)
    if fields is None:
        return None
    try:
        return TEST_BODY.validate_python({"name": test.name, **fields})
    except ValidationError:
        return None


def type_of(kind: str, checks: Sequence[Check]) -> Type | None:
    """Which type a run is, by its kind and checks; `None` where it is none of this door's."""
    match kind, *checks:
        case "simulation", Criterion():
            return "simulation"
        case "next_reply", ReplyMeets():
            return "next_reply"
        case "next_reply", CallsTool():
            return "tool_call"
        case _:
            return None


def told_test(agent_id: str, kept: Kept, body: AnyTest) -> dict[str, Any]:
    """A test as it is answered."""
    return {
        **dict.fromkeys(TestPatch.model_fields),
        **told_draft(body),
        "id": kept.id,
        "agent_id": agent_id,
        "created_at": kept.created_at,
        "updated_at": kept.updated_at,
    }


def told_draft(body: AnyTest) -> dict[str, Any]:
    """A test as it is made."""
    fields = body.model_dump()
    return {**fields, "max_turns": body.max_turns or USUAL_TURNS} if isinstance(body, Simulation) else fields


def changed(before: AnyTest, patch: TestPatch) -> dict[str, Any]:
    """The fields of a test after a change; those that its new type does not have are gone, unless the change has
    them."""
    kind = patch.type or before.type
    kept = {name: value for name, value in told_draft(before).items() if name in _MODELS[kind].model_fields}
    fields = kept | patch.model_dump(exclude_unset=True)
    return {name: value for name, value in fields.items() if value is not None} | {"type": kind}


def door_path(path: Path) -> Path:
    """Where in a body of this door stands what is at `path` in a native test."""
    match path:
        case ("caller", "persona", *_):
            return ("scenario",)
        case ("caller", "history", *rest):
            return ("chat_history", *rest)
        case ("checks", int(), "tool"):
            return ("expected_tool", "name")
        case ("checks", int(), "arguments", *rest):
            return ("expected_tool", "arguments", *rest)
        case ("checks", int(), "text" | "criteria"):
            return ("success_criteria",)
        case ("checks", *_):
            return ("expected_tool",)
        case _:
            return path


def native_tool(name: str) -> str:
    """What a function of this door is called natively."""
    return NATIVE_HAND_OFF if name == HAND_OFF else name


def door_tool(name: str) -> str:
    """What a native tool is called at this door."""
    return HAND_OFF if name == NATIVE_HAND_OFF else name


def _caller(body: NextReply | ToolCall) -> dict[str, Json]:
    return {"history": [{"role": line.role, "text": line.text} for line in body.chat_history]}


def _fields(caller: Caller, check: Check, test: Test) -> dict[str, Any] | None:
    if not check.required:
        return None
    written = caller.model_dump(exclude_defaults=True)
    match [*written], check, test.tools:
        case ["persona"], Criterion(), "canned":
            fields = {"scenario": caller.persona, "success_criteria": check.text, "max_turns": test.max_turns}
            return {"type": "simulation", **fields}
        case ["history"], ReplyMeets(), "canned":
            return {"type": "next_reply", "chat_history": written["history"], "success_criteria": check.criteria}
        case ["history"], CallsTool(), "plan" if _is_expected(check):
            expected = {"name": door_tool(check.tool), "arguments": check.arguments or {}, "match": check.match}
            return {"type": "tool_call", "chat_history": written["history"], "expected_tool": expected}
        case _:
            return None


def _is_expected(check: CallsTool) -> bool:
    """Whether a call is expected as this door can tell it."""
    return (
        check.expect_planned
        and check.times is None
        and check.match != "regex"
        and not (isinstance(check.arguments, list) and check.arguments)
        and check.tool != HAND_OFF
    )
