"""Runs as this door tells them: the talk with the functions that were called, and the reason of the verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from greenroom.model.base import Json
from greenroom.model.checks import CallsTool
from greenroom.model.run import AgentLine, CallerLine, CheckResult, Line, ToolLine
from greenroom.model.text import shorten
from greenroom.model.values import same_value
from greenroom.server.doors.evasay.mapping import door_tool, type_of
from greenroom.server.doors.evasay.policy import NAME, credits_for
from greenroom.server.doors.evasay.schemas import Type
from greenroom.server.settings import Settings

LANGUAGES = {"en": "English", "zh": "Chinese"}
"""What the judge is told to write its reason in."""
_STATUSES = {"queued": "running", "cancelled": "error"}
_OVER = ("passed", "failed", "error")
_LINES: TypeAdapter[list[Line]] = TypeAdapter(list[Line])
_RESULTS: TypeAdapter[list[CheckResult]] = TypeAdapter(list[CheckResult])
_SHOWN = 300


def told_run(run: Mapping[str, Any], kind: Type, settings: Settings) -> dict[str, Any]:
    """A run without what is only known at its end."""
    status = _STATUSES.get(run["status"]) or str(run["status"])
    return {
        "id": run["id"],
        "agent_id": run["agent_id"],
        "test_id": run["test_id"],
        "test_name": run["test"],
        "type": kind,
        "status": status,
        "reason": None,
        "transcript": None,
        "credits": _credits(run, status, settings),
        "created_at": run["created_at"],
        "finished_at": run["finished_at"],
    }


def told_whole_run(run: Mapping[str, Any], settings: Settings) -> dict[str, Any] | None:
    """A run with all that it has by now; `None` where it is no run of one of this door's types."""
    results = _RESULTS.validate_python(run["checks"])
    kind = type_of(run["kind"], [result.check for result in results])
    if kind is None:
        return None
    told = told_run(run, kind, settings)
    if told["status"] not in _OVER:
        return told
    lines = _LINES.validate_python(run["transcript"])
    return {**told, "reason": _reason(run, results[0], lines), "transcript": told_talk(lines)}


def told_talk(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """The talk. Calls stand with the words of the agent's that they came with, or came after in the same turn; where it
    said nothing, with an empty line."""
    talk: list[dict[str, Any]] = []
    turn = -1
    for line in lines:
        match line:
            case CallerLine():
                talk.append({"role": "caller", "text": line.text})
            case AgentLine():
                talk.append({"role": "agent", "text": line.text, "tool_calls": []})
            case ToolLine():
                if not talk or talk[-1]["role"] == "caller" or turn != line.turn:
                    talk.append({"role": "agent", "text": "", "tool_calls": []})
                talk[-1]["tool_calls"].append({"name": door_tool(line.name), "arguments": line.arguments})
        turn = line.turn
    return talk


def _credits(run: Mapping[str, Any], status: str, settings: Settings) -> int | float:
    if run["policy"] != NAME and not settings.evasay_credit_price:
        return 0
    if status == "running" and run["policy"] == NAME:
        return settings.evasay_credits_per_run
    return credits_for(settings, run["charged"], is_refunded=status == "error")


def _reason(run: Mapping[str, Any], result: CheckResult, lines: Sequence[Line]) -> str:
    is_chinese = run["reason_language"] == LANGUAGES["zh"]
    if run["status"] == "cancelled":
        return "测试被中止。" if is_chinese else "The run was stopped."
    if run["status"] == "error":
        sentence = str(run["error"] or "It could not finish.")
        return f"测试未能完成：{sentence}" if is_chinese else sentence
    check = result.check
    if isinstance(check, CallsTool) and not any(usage["role"] == "judge" for usage in run["usage"]):
        return _words(check, bool(result.passed), lines, is_chinese=is_chinese)
    return result.detail


def _words(check: CallsTool, passed: bool, lines: Sequence[Line], *, is_chinese: bool) -> str:
    """What the agent called, where no judge had to be asked."""
    calls = [line for line in lines if isinstance(line, ToolLine)]
    wanted = [line for line in calls if line.name == check.tool]
    name = f"`{door_tool(check.tool)}`"
    if not wanted:
        others = ", ".join(dict.fromkeys(f"`{door_tool(line.name)}`" for line in calls))
        if is_chinese:
            return (
                f"智能体没有调用 {name}；它调用了 {others}。"
                if others
                else f"智能体没有调用 {name}，也没有调用其他函数。"
            )
        return f"The agent did not call {name}; it called {others or 'nothing'}."
    if passed:
        fitting = next((line for line in wanted if not _differences(check, line)), wanted[0])
        shown = _shown(fitting.arguments)
        return f"智能体调用了 {name}，参数为 {shown}。" if is_chinese else f"The agent called {name} with {shown}."
    usable = [line for line in wanted if line.reason is None]
    if not usable:
        shown = _shown(wanted[0].arguments)
        if is_chinese:
            return f"智能体调用了 {name}，但参数无效：{shown}。"
        return f"The agent called {name}, but with arguments that do not fit the function: {shown}."
    wrong = min((_differences(check, line) for line in usable), key=len)
    listed = "; ".join(_difference(each, is_chinese=is_chinese) for each in wrong)
    if is_chinese:
        return f"智能体调用了 {name}，但参数不符：{listed}。"
    return f"The agent called {name}, but {listed}."


def _differences(check: CallsTool, line: ToolLine) -> list[tuple[str, Json, Json]]:
    """The arguments of a call that are not as expected: the name, what was expected, and what came."""
    expected = check.arguments if isinstance(check.arguments, dict) else {}
    passed = line.arguments if isinstance(line.arguments, dict) else {}
    return [(key, value, passed.get(key)) for key, value in expected.items() if not same_value(value, passed.get(key))]


def _difference(each: tuple[str, Json, Json], *, is_chinese: bool) -> str:
    name, expected, got = each
    if is_chinese:
        came = "缺失" if got is None else f"为 {_shown(got)}"
        return f"`{name}` {came}，应为 {_shown(expected)}"
    came = "missing" if got is None else _shown(got)
    return f"`{name}` was {came}, not {_shown(expected)}"


def _shown(value: Json) -> str:
    return shorten(json.dumps(value, ensure_ascii=False), _SHOWN)
