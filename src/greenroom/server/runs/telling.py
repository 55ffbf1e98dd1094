"""How runs are told: as they stand while they play, as they were when they are over, in short in lists."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.run import CheckResult, Line, RoleUsage, Run
from greenroom.server.runs import store
from greenroom.server.runs.store import EventRow, RunRow

EVERY_EVENT = 1_000_000
_LINE: TypeAdapter[Line] = TypeAdapter(Line)

_SHORT = (
    "id",
    "batch_id",
    "agent_id",
    "agent_version",
    "agent",
    "provider",
    "model",
    "test_id",
    "test",
    "kind",
    "variation",
    "variant",
    "repeat_index",
    "tags",
    "seed",
    "policy",
    "overrides_used",
    "force_primary_failure",
    "status",
    "ended_by",
    "end_detail",
    "error",
    "passed_checks",
    "total_checks",
    "score",
    "input_tokens",
    "output_tokens",
    "cancel_requested_at",
    "created_at",
    "started_at",
    "finished_at",
)


def in_short(row: RunRow) -> dict[str, Any]:
    """A run as lists show it: without its transcript. Money in the currency's unit; an unknown cost is `None`."""
    told = {name: getattr(row, name) for name in _SHORT}
    told["cost"] = None if row.cost is None else row.cost / 1_000_000
    told["charged"] = row.charged / 1_000_000
    return told


async def whole(session: AsyncSession, row: RunRow) -> dict[str, Any]:
    """A run with all that belongs to it."""
    record = await store.find_record(session, row.id) if row.is_over else None
    if record is None:
        record = (await run_so_far(session, row)).model_dump(mode="json")
    rest = {
        name: record.get(name)
        for name in ("schema_version", "transcript", "checks", "scorecard", "reason_language", "usage", "warnings")
    }
    return {**in_short(row), **rest}


async def run_so_far(session: AsyncSession, row: RunRow) -> Run:
    """A run as its events have it."""
    return fold(row, await store.events_after(session, row.id, 0, EVERY_EVENT))


def fold(row: RunRow, events: list[EventRow]) -> Run:
    """A run from its row and its events, of which the last of each key counts."""
    run = Run.model_validate(
        {name: getattr(row, name) for name in _SHORT if name in Run.model_fields and name not in ("score",)}
    )
    last = {event.key: event.body for event in events}
    lines: dict[int, Line] = {}
    for body in last.values():
        match body["event"]:
            case "queued":
                run.checks = [CheckResult.model_validate({"check": check}) for check in body["checks"]]
                run.reason_language = body.get("reason_language")
            case "warning":
                run.warnings.append(str(body["warning"]))
            case "usage":
                run.usage.append(RoleUsage.model_validate(body["usage"]))
            case "line":
                lines[int(body["index"])] = _LINE.validate_python(body["line"])
            case _:
                pass
    for body in last.values():
        if body["event"] == "check" and int(body["index"]) < len(run.checks):
            run.checks[int(body["index"])] = CheckResult.model_validate(body["result"])
    run.transcript = [lines[index] for index in sorted(lines)]
    return run
