from __future__ import annotations

import io
from decimal import Decimal

import pytest
from rich.cells import cell_len
from tests.support.runs import a_run, a_talk, a_usage, some_checks

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
)
from greenroom.report.console import UNICODE, QuietConsole
from greenroom.report.progress import Progress, ProgressView, finished_line


def drawn(progress: Progress, now: float = 0.0, width: int = 100, rows: int = 20) -> str:
    page = io.StringIO()
    console = QuietConsole(file=page, width=width, markup=False, highlight=False, _environ={})
    console.print(ProgressView(progress, now, UNICODE, rows))
    return page.getvalue()


def after(*events: Event, total: int = 3) -> Progress:
    progress = Progress(total)
    for event in events:
        progress.hear(event, 10.0)
    return progress


STARTED = RunStarted(a_run("running"))


def test_a_run_shows_as_soon_as_it_starts_with_how_long_it_takes() -> None:
    row = drawn(after(STARTED), now=14.25).splitlines()[0]
    assert row.split() == ["Moves", "a", "booking", "turn", "0", "starting", "4.2", "s"]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (ModelAsked("run_1", "caller"), "caller is asked"),
        (ModelAsked("run_1", "agent"), "agent is asked"),
        (LineAdded("run_1", 2, a_talk()[2]), "tool answered"),
        (LineAdded("run_1", 3, a_talk()[3]), "agent spoke"),
        (GradingStarted("run_1", 3), "grading, 0 of 3 checks"),
    ],
)
def test_the_row_of_a_run_says_what_it_is_doing(event: Event, words: str) -> None:
    assert words in drawn(after(STARTED, event))


def test_the_row_of_a_run_says_its_turn() -> None:
    assert "turn 4" in drawn(after(STARTED, TurnStarted("run_1", 4)))


def test_grading_counts_the_checks_that_are_decided() -> None:
    graded = CheckGraded("run_1", 0, some_checks()[0])
    progress = after(STARTED, GradingStarted("run_1", 3), ModelAsked("run_1", "judge"), graded, graded)
    assert "grading, 2 of 3 checks" in drawn(progress)


def test_a_finished_run_leaves_its_row_and_moves_the_bar() -> None:
    page = drawn(after(STARTED, RunFinished(a_run())))
    assert "Moves a booking" not in page
    assert "1/3" in page


def test_the_bar_counts_what_failed_and_what_could_not_finish() -> None:
    page = drawn(after(RunFinished(a_run("failed")), RunFinished(a_run("error", id="run_2"))))
    assert "2/3 · 1 failed · 1 could not finish" in page


def test_the_cost_is_the_sum_of_the_latest_totals_and_counts_nothing_twice() -> None:
    usage = a_usage("0.25")
    events = [STARTED, UsageChanged("run_1", a_usage("0.10")), UsageChanged("run_1", usage)]
    progress = after(*events, RunFinished(a_run(usage=[usage])))
    assert progress.cost() == (Decimal("0.25"), True)
    assert "$0.25" in drawn(progress)


def test_an_unknown_price_shows_in_the_bar() -> None:
    assert "unknown" in drawn(after(STARTED, UsageChanged("run_1", a_usage(None))))


def test_more_runs_than_there_are_rows_are_counted() -> None:
    runs = [RunStarted(a_run("running", id=f"run_{number}")) for number in range(9)]
    page = drawn(after(*runs, total=9), rows=6)
    assert page.count("Moves a booking") == 6
    assert "and 3 more runs in progress" in page


def test_stopping_is_announced() -> None:
    progress = after(STARTED)
    progress.stopping = True
    assert "Ctrl-C again" in drawn(progress)


def test_events_of_a_run_that_never_started_change_nothing() -> None:
    assert drawn(after(TurnStarted("run_9", 4))) == drawn(after())


@pytest.mark.parametrize("width", [24, 40, 80])
def test_the_live_view_fits_the_terminal(width: int) -> None:
    run = a_run("running", test="A name that is far too long for a narrow terminal [red]" * 2)
    page = drawn(after(RunStarted(run), GradingStarted("run_1", 12)), width=width)
    assert all(cell_len(line) <= width for line in page.splitlines())


def test_without_a_terminal_a_finished_run_is_one_line() -> None:
    progress = after(STARTED, RunFinished(a_run("failed", checks=some_checks(), usage=[a_usage()])))
    line = finished_line(a_run("failed", checks=some_checks(), usage=[a_usage()]), progress, UNICODE).plain
    assert line == "✗ failed    Moves a booking  [1/3]  1/3 checks · $0.01 · 1.5 s"
