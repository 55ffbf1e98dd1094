"""Writes a run down while it plays: each thing that happens once, with nothing written again."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

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
from greenroom.server.queue.steps import Remembered, fingerprint
from greenroom.server.runs import store
from greenroom.server.runs.journal import Entry, Journal, Standing

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
    """The writing down of one playing of a run. What is heard is kept in mind, and committed before the next request
    goes out: in between nothing waits, so the store is up to date whenever there is time to look. `batch_id` is given
    where the batch has a cap."""

    journal: Journal
    prices: PriceList
    run_id: str
    execution: str
    batch_id: str | None = None
    number: int = 0
    written: dict[str, Body] = field(default_factory=dict[str, "Body"])
    run: Run | None = None
    _heard: dict[str, Body] = field(default_factory=dict[str, "Body"])

    async def load(self, session: AsyncSession) -> None:
        """Read what an earlier playing of the run has written."""
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

    def keep(self, number: int, name: str, outcome: Remembered) -> None:
        """Keep the outcome of a step; see `Memory.keep`."""
        step = {"run_id": self.run_id, "number": number, "name": name, "outcome": outcome}
        self.journal.hand_in(Entry(self.run_id, self.execution, steps=[step]))

    async def write(self) -> Standing:
        """Commit what was heard and kept since the last time; how the run stands.

        Raises:
            Superseded: another worker plays the run now.
        """
        rows = self._new_rows()
        figures = {"last_event": self.number, **figures_of(self.run, self.prices)} if rows else None
        entry = Entry(self.run_id, self.execution, self.batch_id, events=rows, figures=figures)
        standing = await self.journal.commit(entry)
        if not standing.plays:
            raise Superseded
        return standing

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
