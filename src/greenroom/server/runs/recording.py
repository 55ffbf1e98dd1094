"""Writes a run down while it plays: each thing that happens once, with nothing written again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from greenroom.model.events import (
    CheckGraded,
    Event,
    GradingStarted,
    LineAdded,
    ModelAsked,
    RunFinished,
    RunStarted,
    TurnStarted,
    UsageChanged,
    WarningAdded,
)
from greenroom.model.run import Run
from greenroom.server.credits.prices import PriceList
from greenroom.server.database.engine import Database
from greenroom.server.queue.steps import fingerprint
from greenroom.server.runs import store

Body = dict[str, Any]


class Superseded(BaseException):
    """Another worker plays this run now: whoever meets it stops, and writes nothing more.

    No ordinary exception, since the engine makes an error of the run of each of those.
    """


def describe_event(event: Event) -> tuple[str, Body] | None:
    """The key and the body under which an event is kept; `None` for one that is not kept."""
    match event:
        case RunStarted():
            return "started", {"event": "started"}
        case TurnStarted():
            return f"turn/{event.turn}", {"event": "turn", "turn": event.turn}
        case LineAdded():
            line = event.line.model_dump(mode="json")
            return f"line/{event.index}", {"event": "line", "index": event.index, "line": line}
        case UsageChanged():
            usage = event.usage
            key = fingerprint([usage.role, usage.provider, usage.model])
            return f"usage/{key}", {"event": "usage", "usage": usage.model_dump(mode="json")}
        case WarningAdded():
            return f"warning/{fingerprint(event.warning)}", {"event": "warning", "warning": event.warning}
        case GradingStarted():
            return "grading", {"event": "grading", "checks": event.checks}
        case CheckGraded():
            result = event.result.model_dump(mode="json")
            return f"check/{event.index}", {"event": "check", "index": event.index, "result": result}
        case ModelAsked() | RunFinished():
            return None


@dataclass(slots=True)
class Recording:
    """The writing down of one playing of a run. What is heard is kept in mind, and written before the next request goes
    out: in between nothing waits, so the store is up to date whenever there is time to look."""

    database: Database
    prices: PriceList
    run_id: str
    execution: str
    number: int = 0
    written: dict[str, Body] = field(default_factory=dict[str, "Body"])
    run: Run | None = None
    _heard: dict[str, Body] = field(default_factory=dict[str, "Body"])
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """Read what an earlier playing of the run has written."""
        async with self.database.reading() as session:
            for row in await store.events_after(session, self.run_id, 0, 1_000_000):
                self.written[row.key] = row.body
                self.number = max(self.number, row.number)

    async def __call__(self, event: Event) -> None:
        """Hear of an event. Never waits for anything, so that what runs side by side keeps its order."""
        if isinstance(event, RunStarted | RunFinished):
            self.run = event.run
        described = describe_event(event)
        if described is not None:
            key, body = described
            self._heard.pop(key, None)  # the order is that of the last change
            self._heard[key] = body

    async def write(self) -> bool:
        """Write what was heard since the last time; whether the run was asked to stop.

        Raises:
            Superseded: another worker plays the run now.
        """
        async with self._turn:
            rows = self._new_rows()
            if rows:
                async with self.database.writing() as session:
                    await store.add_events(session, rows)
                    figures = {"last_event": self.number, **figures_of(self.run, self.prices)}
                    plays, stop = await store.record_progress(session, self.run_id, self.execution, figures)
                    if not plays:
                        raise Superseded  # and what was just written is undone
            else:
                async with self.database.reading() as session:
                    plays, stop = await store.is_asked_to_stop(session, self.run_id, self.execution)
                if not plays:
                    raise Superseded
            return stop

    def last_rows(self) -> list[Body]:
        """What was heard and not yet written, as rows to be written with the run's end."""
        return self._new_rows()

    def _new_rows(self) -> list[Body]:
        rows: list[Body] = []
        for key, body in self._heard.items():
            if self.written.get(key) != body:
                self.number += 1
                self.written[key] = body
                rows.append({"run_id": self.run_id, "number": self.number, "key": key, "body": body})
        self._heard.clear()
        return rows


def figures_of(run: Run | None, prices: PriceList) -> Body:
    """What a run's row holds of how far it has come."""
    if run is None:
        return {}
    input_tokens, output_tokens = run.tokens()
    return {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost": prices.in_currency(run.cost_usd),
        "passed_checks": sum(check.passed is True for check in run.checks),
        "score": run.scorecard.score if run.scorecard else None,
    }


def known_cost(run: Run, prices: PriceList) -> int:
    """The part of a run's cost whose price is known."""
    return prices.in_currency(run.known_cost_usd if run.usage else Decimal(0)) or 0
