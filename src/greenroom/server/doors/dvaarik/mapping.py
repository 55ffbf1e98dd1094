"""From this door's shapes to the rooms' and back. Nothing about a talk is decided here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from greenroom.model.agent import Agent, plain_values
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.checks import Check
from greenroom.server.doors.dvaarik.schemas import Overrides, TestBody
from greenroom.server.tests.service import Kept

Row = Mapping[str, Any]

_CARRIED = frozenset(
    {"id", "agent", "name", "kind", "caller", "max_turns", "variables", "tool_results", "tools", "use_real_tools"}
    | {"checks", "tags", "pass_score", "grounding"}
)
"""Fields of a test that this door shows, or that change nothing in what it shows."""
_CALLER = frozenset({"persona", "opening_line"})
_CHECK_FIELDS = ("type", "text", "tool", "arguments", "question")
_ENDS = {
    "rescheduled": "agent_hung_up",
    "time_ran_out": "turns_ran_out",
    # Of runs of a test that had another shape then.
    "script_ended": "turns_ran_out",
    "replied": "turns_ran_out",
}
_SOURCES = {"recorded": "engine", "planned": "refused"}
_NATIVE_PLACES: Mapping[tuple[str, ...], str] = {
    ("caller", "persona"): "caller_persona",
    ("caller", "opening_line"): "opening_line",
    ("use_real_tools",): "use_real_tool_webhook",
}
_NOT_GRADED = {
    "cancelled": "Not graded: the run was stopped first.",
    "error": "Not graded: the run could not finish.",
}
_NOT_YET = "Not graded yet."


# Tests


def native_test(body: TestBody, tags: Sequence[str] = ()) -> dict[str, Json]:
    """A test as the room of tests takes it. `tags` are kept, since this door does not show them."""
    caller: dict[str, Json] = {"persona": body.caller_persona}
    if body.opening_line and body.opening_line.strip():
        caller["opening_line"] = body.opening_line
    test: dict[str, Json] = {
        "name": body.name,
        "caller": caller,
        "max_turns": body.max_turns,
        "variables": texts(body.variables),
        "tool_results": body.tool_results,
        "use_real_tools": body.use_real_tool_webhook,
        "checks": [check.model_dump(exclude_none=True) for check in body.checks],
    }
    return {**test, "tags": [*tags]} if tags else test


def native_overrides(overrides: Overrides, agent: Agent) -> dict[str, Json]:
    """Changes of an agent as the room of runs takes them: what is given stands in the place of all that was there."""
    given = overrides.model_dump(exclude_unset=True)
    if "variables" in given:
        given["variables"] = {**dict.fromkeys(agent.variables), **texts(overrides.variables)}
    return given


def texts(variables: Mapping[str, str | int | float | bool]) -> dict[str, Json]:
    """Variables as text, which is what is put in their places."""
    return cast("dict[str, Json]", plain_values(dict(variables)))  # an object is given back for an object


def body_of(test: Test) -> TestBody | None:
    """A test in the shape of this door; `None` where its shape cannot carry it."""
    if any(name not in _CARRIED and _says(test, name) for name in type(test).model_fields):
        return None
    caller = test.caller
    if caller.persona is None or any(name not in _CALLER and _says(caller, name) for name in type(caller).model_fields):
        return None
    if test.tool_mode == "plan":
        return None
    try:
        return TestBody.model_validate(
            {
                "name": test.name,
                "caller_persona": caller.persona,
                "opening_line": caller.opening_line,
                "max_turns": test.max_turns,
                "variables": test.variables,
                "tool_results": test.tool_results,
                "use_real_tool_webhook": test.tool_mode == "real",
                "checks": [_written_check(check) for check in test.checks],
            }
        )
    except ValidationError:
        return None


def told_test(agent_id: str, kept: Kept, body: TestBody, last_run: Row | None) -> dict[str, Any]:
    """A test as this door tells it."""
    return {
        "id": kept.id,
        "agent_id": agent_id,
        **body.model_dump(exclude={"checks"}),
        "checks": [check.model_dump(exclude_none=True) for check in body.checks],
        "last_run": None if last_run is None else told_run(last_run),
        "created_at": kept.created_at,
        "updated_at": kept.updated_at,
    }


def door_path(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Where this door's body has what stands at `path` in a test."""
    for native, name in _NATIVE_PLACES.items():
        if path[: len(native)] == native:
            return (name, *path[len(native) :])
    return path


def _says(model: BaseModel, name: str) -> bool:
    """Whether a field says anything but its default."""
    return getattr(model, name) != type(model).model_fields[name].get_default(call_default_factory=True)


def _written_check(check: Check) -> dict[str, Any]:
    """A check with all that it says: what this door has no field for makes it one that it cannot carry."""
    said = {name: getattr(check, name) for name in type(check).model_fields if _says(check, name)}
    return {"type": check.type, **said}


# Runs


def told_run(run: Row) -> dict[str, Any]:
    """A run in short."""
    ended_by = run["ended_by"]
    detail = run["end_detail"]
    if ended_by == "time_ran_out":
        detail = f"The time was up: {detail or 'the talk stopped'}."
    return {
        **{name: run[name] for name in ("id", "agent_id", "test_id", "status", "error", "provider", "model")},
        "test_name": run["test"],
        "ended_by": _ENDS.get(ended_by, ended_by),
        "detail": detail,
        **{name: run[name] for name in ("passed_checks", "total_checks", "input_tokens", "output_tokens")},
        **{name: run[name] for name in ("agent_version", "overrides_used", "force_primary_failure")},
        **{name: run[name] for name in ("cancel_requested_at", "created_at", "started_at", "finished_at")},
    }


def told_whole_run(run: Row) -> dict[str, Any]:
    """A run with its transcript and its checks."""
    return {
        **told_run(run),
        "transcript": [_told_line(line) for line in run["transcript"]],
        "check_results": [_told_result(result, str(run["status"])) for result in run["checks"]],
        "warnings": run["warnings"],
    }


def _told_line(line: Row) -> dict[str, Any]:
    told = {"role": line["role"], "turn": line["turn"]}
    match line["role"]:
        case "tool":
            told |= {name: line[name] for name in ("agent", "name", "arguments", "result")}
            told["source"] = _SOURCES.get(line["source"], line["source"])
            if line["reason"] and line["source"] != "refused":
                told["reason"] = line["reason"]
        case "agent":
            told |= {name: line[name] for name in ("agent", "text", "truncated", "fallback")}
        case _:
            told |= {name: line[name] for name in ("text", "truncated")}
    return told


def _told_result(result: Row, status: str) -> dict[str, Any]:
    check, passed = result["check"], result["passed"]
    told = {name: check[name] for name in _CHECK_FIELDS if check.get(name) is not None}
    detail = " ".join(str(result["detail"]).split())
    if not detail:
        detail = _NOT_GRADED.get(status, _NOT_YET)
    return {**told, "passed": passed, "detail": detail}
