"""Whoever follows the runs of a command live: keeps what there is so far, and shows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from rich.live import Live

from greenroom.cli.output import Output
from greenroom.model.events import (
    CheckGraded,
    Event,
    LineAdded,
    RunFinished,
    RunStarted,
    UsageChanged,
    WarningAdded,
)
from greenroom.model.run import Line, RoleUsage, Run
from greenroom.report.console import signs_for
from greenroom.report.progress import Progress, ProgressView, finished_line, finished_test_line

_REDRAW_SECONDS = 0.1
_ROWS_LEFT_FREE = 4
STOPPING = "Stopping: runs end before their next model request. Press Ctrl-C again to end them at once."


class Notebook:
    """The runs as the events tell of them, so that one that is cut off in the middle is kept too."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._lines: dict[str, dict[int, Line]] = {}
        self._usage: dict[str, dict[tuple[str, str, str], RoleUsage]] = {}

    def hear(self, event: Event) -> None:
        match event:
            case RunStarted(run) | RunFinished(run):
                self._runs[run.id] = run
            case LineAdded(run_id, index, line):
                self._lines.setdefault(run_id, {})[index] = line
            case UsageChanged(run_id, usage):
                self._usage.setdefault(run_id, {})[usage.role, usage.provider, usage.model] = usage
            case WarningAdded(run_id, warning):
                run = self._runs[run_id]
                if warning not in run.warnings:
                    self._runs[run_id] = run.model_copy(update={"warnings": [*run.warnings, warning]})
            case CheckGraded(run_id, index, result):
                run = self._runs[run_id]
                if run.checks[index] != result:
                    checks = [*run.checks[:index], result, *run.checks[index + 1 :]]
                    self._runs[run_id] = run.model_copy(update={"checks": checks})
            case _:
                pass

    def run(self, run_id: str) -> Run | None:
        """The run as it stands; `None` when it never started. One that is not over counts as stopped."""
        run = self._runs.get(run_id)
        if run is None or run.is_over:
            return run
        lines = self._lines.get(run_id, {})
        return run.model_copy(
            update={
                "status": "cancelled",
                "ended_by": "stopped",
                "transcript": [lines[index] for index in sorted(lines)],
                "usage": list(self._usage.get(run_id, {}).values()),
            }
        )


class Watcher:
    """Follows the events of a batch of `total` runs and shows them: live where somebody watches, else a line a run, or
    a line for all runs of a test (`repeats` holds the ids of such). `names_variants`: several variants play."""

    def __init__(
        self, output: Output, total: int, repeats: Sequence[Sequence[str]] = (), *, names_variants: bool = False
    ) -> None:
        self.notebook = Notebook()
        self._output = output
        self._progress = Progress(total, names_variants=names_variants)
        self._says_each = not output.is_live and not output.as_json
        self._repeats = {run_id: (ids, left) for ids in repeats for left in [set(ids)] for run_id in ids}

    async def hear(self, event: Event) -> None:
        self.notebook.hear(event)
        self._progress.hear(event, time.monotonic())
        if self._says_each and isinstance(event, RunFinished):
            self._say_finished(event.run)

    def _say_finished(self, run: Run) -> None:
        if run.id not in self._repeats:
            self._output.say(finished_line(run, self._progress, self._output.signs))
            return
        ids, left = self._repeats[run.id]
        left.discard(run.id)
        if not left:
            runs = [played for run_id in ids if (played := self.notebook.run(run_id)) is not None]
            self._output.say(finished_test_line(runs, self._progress, self._output.signs))

    def pressed(self, presses: int) -> None:
        """The stop button was pressed."""
        self._progress.stopping = True
        if presses == 1 and not self._output.is_live:
            self._output.say_aside(STOPPING)

    @asynccontextmanager
    async def showing(self) -> AsyncGenerator[None]:
        """Draw live, from here to the end of the block; leaves no trace on the screen."""
        if not self._output.is_live:
            yield
            return
        with Live(self._view(), console=self._output.aside, auto_refresh=False, transient=True) as live:
            drawing = asyncio.create_task(self._draw(live))
            try:
                yield
            finally:
                drawing.cancel()
                await asyncio.gather(drawing, return_exceptions=True)

    async def _draw(self, live: Live) -> None:
        while True:
            live.update(self._view(), refresh=True)
            await asyncio.sleep(_REDRAW_SECONDS)

    def _view(self) -> ProgressView:
        console = self._output.aside
        rows = console.height - _ROWS_LEFT_FREE
        return ProgressView(self._progress, time.monotonic(), signs_for(console), rows)
