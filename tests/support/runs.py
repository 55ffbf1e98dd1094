"""Runs and reports to print, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from greenroom.model.checks import JudgeCheck, NeverSays, Says
from greenroom.model.run import AgentLine, CallerLine, CheckResult, Line, RoleUsage, ToolLine
from greenroom.report.results import NotStarted, Report, ReportedRun, make_report

MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def a_talk() -> list[Line]:
    """Four lines; the third (index 2) calls a tool and the last (index 3) says `guarantee`."""
    return [
        AgentLine(turn=0, agent="Northline Dental", text="Northline Dental, this is Maya."),
        CallerLine(turn=1, text="I need to move my booking."),
        ToolLine(
            turn=1,
            agent="Northline Dental",
            name="book_slot",
            arguments={"day": "Monday"},
            result={"ok": True},
            source="canned",
            latency_ms=12,
        ),
        AgentLine(turn=1, agent="Northline Dental", text="Done: I guarantee you Monday at ten."),
    ]


def some_checks() -> list[CheckResult]:
    """One that holds, one that line 3 broke, one that was not graded."""
    return [
        CheckResult(check=Says(text="Monday"), passed=True, detail="line 3 says it", turn=1, line=3),
        CheckResult(
            check=NeverSays(text="guarantee"), passed=False, detail='the agent said "I guarantee you"', turn=1, line=3
        ),
        CheckResult(check=JudgeCheck(question="Was it polite?", required=False)),
    ]


def a_usage(cost: str | None = "0.0123", **fields: Any) -> RoleUsage:
    """Tokens of an agent's brain: 1200 in, 34 out."""
    values: dict[str, Any] = {"role": "agent", "provider": "openai", "model": "gpt-4.1-mini", "calls": 2}
    values |= {"input_tokens": 1200, "output_tokens": 34, "cost_usd": None if cost is None else Decimal(cost)}
    return RoleUsage(**{**values, **fields})


def a_run(status: str = "passed", **fields: Any) -> ReportedRun:
    """A run of 1.5 seconds."""
    values: dict[str, Any] = {
        "id": "run_1",
        "test": "Moves a booking",
        "kind": "simulation",
        "agent": "Northline Dental",
        "status": status,
        "ended_by": {"error": "error", "cancelled": "stopped"}.get(status, "agent_hung_up"),
        "started_at": MORNING,
        "finished_at": MORNING + timedelta(seconds=1.5),
        "file": "greenroom.yaml",
        "line": 12,
    }
    return ReportedRun(**{**values, **fields})


def a_failed_run(**fields: Any) -> ReportedRun:
    return a_run("failed", **{"transcript": a_talk(), "checks": some_checks(), "usage": [a_usage()], **fields})


def a_report(*runs: ReportedRun, not_started: Sequence[NotStarted] = (), **fields: Any) -> Report:
    return make_report(runs, not_started, started_at=MORNING, finished_at=MORNING + timedelta(seconds=2), **fields)


def not_started(title: str = "Cancels a booking", reason: Any = "over_budget") -> NotStarted:
    return NotStarted(title=title, test=title, agent="Northline Dental", reason=reason, file="greenroom.yaml", line=30)
