"""Why a run failed, in words and with the lines that its checks rest on."""

from __future__ import annotations

from typing import Any

from greenroom.model.run import CheckResult, Line, Run, ToolLine
from greenroom.report.describe import describe_call, describe_check, describe_end

_AROUND = 2


def run_of(told: dict[str, Any]) -> Run:
    """A run, from what the API tells of it, whole or in short."""
    return Run.model_validate({name: told[name] for name in Run.model_fields if told.get(name) is not None})


def explain(run: Run) -> dict[str, Any]:
    """What broke in a run: each check that does not hold, why, and the lines around the one that it rests on."""
    broken = [each for each in run.checks if each.passed is False]
    calls = [line for line in run.transcript if isinstance(line, ToolLine) and line.reason is not None]
    return {
        "run_id": run.id,
        "test": run.title,
        "agent": run.agent,
        "status": run.status,
        "in_short": _in_short(run, broken),
        "ended": describe_end(run),
        "broken": [_broken(run, each) for each in broken],
        "not_graded": [describe_check(each.check) for each in run.checks if each.passed is None and run.is_over],
        "failed_tool_calls": [f"{describe_call(line)}: {str(line.reason).replace('_', ' ')}" for line in calls],
        "warnings": run.warnings,
        "advice": run.scorecard.summary if run.scorecard else None,
    }


def _in_short(run: Run, broken: list[CheckResult]) -> str:
    match run.status:
        case "passed":
            return "The run passed: there is nothing to explain."
        case "queued" | "running":
            return "The run is not over yet."
        case "cancelled":
            return "The run was stopped, so that its checks decide nothing."
        case "error":
            return f"The run could not finish: {run.error or describe_end(run)}"
        case "failed":
            required = [each for each in broken if getattr(each.check, "required", True)] or broken
            first = required[0] if required else None
            if first is None:
                return run.end_detail or f"The run failed: {describe_end(run)}."
            more = len(broken) - 1
            rest = f" ({more} more below)" if more else ""
            return f"{describe_check(first.check)} does not hold: {first.detail or 'no reason was given'}{rest}"


def _broken(run: Run, result: CheckResult) -> dict[str, Any]:
    around = range(0)
    if result.line is not None and 0 <= result.line < len(run.transcript):
        around = range(max(0, result.line - _AROUND), min(len(run.transcript), result.line + _AROUND + 1))
    return {
        "check": describe_check(result.check),
        "why": result.detail,
        "quote": result.quote,
        "line": result.line,
        "talk": [f"{index}. {_words(run.transcript[index])}" for index in around],
    }


def _words(line: Line) -> str:
    if isinstance(line, ToolLine):
        return f"tool: {describe_call(line)}"
    return f"{line.role}: {line.text}"
