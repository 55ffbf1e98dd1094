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
from greenroom.report.progress import Progress, ProgressView, RunProgress, finished_line, finished_test_line


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


def test_a_price_that_becomes_known_and_one_that_does_not_are_counted_as_they_stand() -> None:
    progress = after(STARTED, UsageChanged("run_1", a_usage(None)))
    assert progress.cost() == (Decimal(0), False)
    progress.hear(UsageChanged("run_1", a_usage("0.20")), 11.0)
    assert progress.cost() == (Decimal("0.20"), True)
    progress.hear(UsageChanged("run_1", a_usage(None)), 12.0)
    assert progress.cost() == (Decimal(0), False)


def test_of_a_thousand_runs_only_the_rows_that_fit_are_drawn() -> None:
    class Counted(RunProgress):
        drawn = 0

        def __getattribute__(self, name: str) -> object:
            if name == "title":
                Counted.drawn += 1
            return super().__getattribute__(name)

    progress = Progress(1_000)
    for number in range(1_000):
        progress.running[f"run_{number}"] = Counted(f"Talk {number}", 0.0)
    page = drawn(progress, rows=20)
    assert len(page.splitlines()) == 22
    assert "and 980 more runs in progress" in page
    assert Counted.drawn == 20


def test_a_repeated_test_is_told_in_one_line() -> None:
    runs = [a_run(usage=[a_usage("0.10")]), a_run("failed", id="run_2", repeat_index=1, usage=[a_usage("0.10")])]
    progress = after(*(RunFinished(run) for run in runs), total=2)
    assert finished_test_line(runs, progress, UNICODE).plain == "✗ 1/2 passed    Moves a booking  [2/2]  $0.20"


def test_where_several_variants_play_each_run_is_told_with_its_own() -> None:
    progress = Progress(2, names_variants=True)
    run = a_run(variant="cheap")
    progress.hear(RunStarted(run), 0.0)
    assert "Moves a booking, cheap" in drawn(progress)
    assert "Moves a booking, cheap  [" in finished_line(run, progress, UNICODE).plain
    assert "Moves a booking, cheap  [" in finished_test_line([run], progress, UNICODE).plain
