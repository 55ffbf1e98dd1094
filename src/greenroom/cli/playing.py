"""Plays runs with this process's own models and tools, shown live, and makes the report of what came of them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from greenroom.batch import BatchOptions, BatchResult, play_batch
from greenroom.cli.agreeing import note_agreements
from greenroom.cli.exits import AfterReport
from greenroom.cli.output import Output
from greenroom.cli.stopping import StopButton
from greenroom.cli.taping import save_tape
from greenroom.cli.watching import Notebook, Watcher
from greenroom.grade.repeats import Gate
from greenroom.local import open_ports
from greenroom.model.llm import Credential
from greenroom.play.plan import Plan, Ports
from greenroom.report.results import NotStarted, Report, ReportedRun, WhyNotStarted, make_report

if TYPE_CHECKING:
    from greenroom.cassettes.tape import Tape


@dataclass(frozen=True, slots=True)
class Planned:
    """A run before it is played, and where its test is written."""

    plan: Plan
    file: str
    line: int

    @property
    def title(self) -> str:
        """The title that its run will have."""
        plan = self.plan
        name = f"{plan.test.name} [{plan.variation}]" if plan.variation else plan.test.name
        return f"{name} #{plan.repeat_index + 1}" if plan.repeat_index else name


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of playing: the report; the `problem` that ended it early, where one did; and whether somebody wants
    the process gone at once."""

    report: Report
    problem: Exception | None = None
    at_once: bool = False

    def raise_unreported(self) -> None:
        """Raise the problem where no run came of it, and so nothing is worth a report."""
        if self.problem is not None and not self.report.runs:
            raise self.problem

    def raise_reported(self) -> None:
        """Raise the problem, once the report on what there is was given."""
        if self.problem is not None:
            raise AfterReport from self.problem


@dataclass(frozen=True, slots=True)
class Aims:
    """What runs are played for: the `variant` that was chosen, the `gate` that tests have to pass, the `sides` that are
    compared, and the `tape` that answers or records."""

    variant: str | None = None
    gate: Gate | None = None
    sides: tuple[str, str] | None = None
    tape: Tape | None = None


_NO_AIMS = Aims()


def play(
    planned: Sequence[Planned],
    credentials: Mapping[str, Credential],
    options: BatchOptions,
    output: Output,
    aims: Aims = _NO_AIMS,
) -> Outcome:
    """Play all runs, and report on whatever became of them: finished, cut off, or never started."""
    watcher = Watcher(output, len(planned), _repeats(planned), names_variants=aims.sides is not None)
    button = StopButton(watcher.pressed)
    started_at = datetime.now(UTC)
    session = _Session(planned, credentials, options, watcher, button, aims.tape)
    runner = asyncio.Runner()
    try:
        runner.run(session.play())
    finally:
        # Closing waits for threads that cannot be cancelled, such as one that looks up a host's name.
        if button.presses < 2:
            runner.close()
    result = session.result
    result.interrupted = result.interrupted or button.presses > 0
    report = _report(planned, watcher.notebook, result, started_at, aims)
    return Outcome(report, session.problem, at_once=button.presses >= 2)


def _repeats(planned: Sequence[Planned]) -> list[list[str]]:
    """The ids of the runs of each test that is played more than once."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for entry in planned:
        plan = entry.plan
        key = (entry.file, entry.line, plan.agent.name, plan.test.name, plan.variation, plan.variant)
        groups.setdefault(key, []).append(plan.run_id)
    return [ids for ids in groups.values() if len(ids) > 1]


class _Session:
    """One playing of a batch. What goes wrong is kept in `problem`, so that what had finished is still reported."""

    def __init__(
        self,
        planned: Sequence[Planned],
        credentials: Mapping[str, Credential],
        options: BatchOptions,
        watcher: Watcher,
        button: StopButton,
        tape: Tape | None,
    ) -> None:
        self._plans = [entry.plan for entry in planned]
        self._credentials = credentials
        self._options = options
        self._watcher = watcher
        self._button = button
        self._tape = tape
        self.result = BatchResult()
        self.problem: Exception | None = None

    async def play(self) -> None:
        playing = asyncio.create_task(self._play())
        with self._button.listening(playing):
            # Not awaited by itself: whether it was cancelled by the button is the button's to know.
            await asyncio.wait([playing])
        if not playing.cancelled() and isinstance(problem := playing.exception(), Exception):
            self.problem = problem

    async def _play(self) -> None:
        try:
            async with open_ports(self._credentials, os.environ) as ports, self._watcher.showing():
                used = ports if self._tape is None else _taped(ports, self._tape)
                self.result = await play_batch(self._plans, used, self._watcher.hear, self._options, self._button)
        finally:
            self._save_tape()

    def _save_tape(self) -> None:
        # Whatever ended the session, what was answered is kept; one that was stopped before it got any answer must not
        # leave an empty recording in the place of a whole one.
        if self._tape is not None and not (self._tape.is_blank and self._button.presses):
            save_tape(self._tape)


def _taped(ports: Ports, tape: Tape) -> Ports:
    from greenroom.cassettes.wrap import with_cassette

    return with_cassette(ports, tape)


def _report(
    planned: Sequence[Planned], notebook: Notebook, result: BatchResult, started_at: datetime, aims: Aims
) -> Report:
    runs: list[ReportedRun] = []
    not_started: list[NotStarted] = []
    for entry in planned:
        run = notebook.run(entry.plan.run_id)
        if run is not None:
            runs.append(ReportedRun.of(run, entry.file, entry.line))
            continue
        not_started.append(
            NotStarted(
                title=entry.title,
                test=entry.plan.test.name,
                agent=entry.plan.agent.name,
                reason=_why(result),
                file=entry.file,
                line=entry.line,
            )
        )
    note_agreements(runs)
    return make_report(
        runs,
        not_started,
        started_at=started_at,
        finished_at=datetime.now(UTC),
        variant=aims.variant,
        gate=aims.gate,
        sides=aims.sides,
        over_budget=result.over_budget,
        interrupted=result.interrupted,
    )


def _why(result: BatchResult) -> WhyNotStarted:
    if result.over_budget:
        return "over_budget"
    return "fail_fast" if result.failed_fast else "stopped"


def leave_at_once(code: int) -> None:
    """End the process without waiting for anything that still runs in it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def shown_path(path: Path) -> str:
    """`path` as a person would write it: from here where it is below here, else whole."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):
        return str(path)
