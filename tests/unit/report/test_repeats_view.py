"""Repeated tests on a terminal."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.support.runs import a_report, a_run, a_talk, some_checks

from greenroom.grade.repeats import Gate
from greenroom.model.checks import Says
from greenroom.model.run import CheckResult
from greenroom.report.bars import difference_bar, rate_bar
from greenroom.report.console import ASCII, UNICODE, QuietConsole, Signs
from greenroom.report.repeats_view import shown_powers, worth_showing
from greenroom.report.results import Report, ReportedRun
from greenroom.report.talk import QUIET
from greenroom.report.terminal import render_report

STATUSES = {"+": "passed", "-": "failed", "!": "error", "/": "cancelled"}


def repeats(outcomes: str, **fields: object) -> list[ReportedRun]:
    """Runs of one test: `+` passed, `-` failed, `!` could not finish, `/` was stopped."""
    return [
        a_run(
            STATUSES[outcome],
            id=f"run_{index}",
            repeat_index=index,
            checks=[CheckResult(check=Says(text="Monday"), passed={"+": True, "-": False}.get(outcome), line=3)],
            transcript=a_talk(),
            error="The model is gone." if outcome == "!" else None,
            **fields,
        )
        for index, outcome in enumerate(outcomes)
    ]


def shown(report: Report, width: int = 110, signs: Signs = UNICODE) -> str:
    page = io.StringIO()
    console = QuietConsole(file=page, width=width, markup=False, emoji=False, highlight=False, _environ={})
    for part in render_report(report, signs):
        console.print(part)
    return page.getvalue()


def row(page: str, words: str) -> list[str]:
    return next(line for line in page.splitlines() if words in line).split()


def test_a_row_says_how_many_passed_how_sure_that_is_and_how_likely_several_pass() -> None:
    cells = row(shown(a_report(*repeats("++-+"))), "Moves a booking")
    assert cells[0] == "✗"
    assert cells[4:6] == ["3/4", "75%"]
    assert cells[7:] == ["30%", "to", "95%", "50%", "0%", "flaky"]


@pytest.mark.parametrize(
    ("outcomes", "sign", "remark"),
    [
        ("++", "✓", ""),
        ("--", "✗", ""),
        ("+-", "✗", "flaky"),
        ("++!", "!", "1 could not finish"),
        ("//", "–", "2 stopped"),
        ("+-!/", "✗", "flaky, 1 could not finish, 1 stopped"),
    ],
)
def test_the_sign_of_a_row_is_the_gravest_that_happened(outcomes: str, sign: str, remark: str) -> None:
    line = next(line for line in shown(a_report(*repeats(outcomes))).splitlines() if "Moves a booking" in line)
    assert line.startswith(sign)
    assert remark.partition(",")[0] in line


def test_with_a_gate_the_sign_is_the_gates_and_open_tests_show_no_talk() -> None:
    page = shown(a_report(*repeats("+++-"), gate=Gate(min_pass_rate=0.7)))
    assert row(page, "3/4")[0] == "✓"
    assert "► " not in page
    assert "1 run did not pass (4)" in page
    closed = shown(a_report(*repeats("+++-"), gate=Gate(min_pass_rate=0.8)))
    assert row(closed, "3/4")[0] == "✗"
    assert "► " in closed
    assert "The gate is closed: 1 of 1 test lacks a pass rate of 80% or more." in closed


def test_a_run_of_a_repeated_test_is_told_by_its_number() -> None:
    page = shown(a_report(*repeats("+-")))
    assert "✗ Moves a booking, run 2 of 2 ─" in page
    assert "played 2 times · greenroom.yaml:12" in page
    assert '✗ 1/2 50% says "Monday"' in page


def test_what_many_runs_warn_of_is_told_once() -> None:
    page = shown(a_report(*repeats("+++", warnings=["The variable `day` has no value."])))
    assert page.count("The variable `day` has no value. (in 3 runs)") == 1


def test_runs_that_broke_the_same_are_shown_once_and_no_more_than_two_in_all() -> None:
    other = [CheckResult(check=Says(text="Monday"), passed=True), *some_checks()[1:2]]
    runs = [*repeats("!!--"), a_run("failed", id="run_9", checks=other), a_run("error", id="run_10", error="Else.")]
    assert [run.id for run in worth_showing(runs)] == ["run_2", "run_9"]
    assert [run.id for run in worth_showing(repeats("-!!"))] == ["run_0", "run_1"]


@pytest.mark.parametrize(
    ("finished", "gate", "powers"),
    [(1, None, []), (2, None, [2]), (5, None, [3, 5]), (20, None, [10, 20]), (20, Gate(None, (3, 0.5)), [3, 10, 20])],
)
def test_the_powers_worth_a_column_are_half_of_the_runs_and_all(
    finished: int, gate: Gate | None, powers: list[int]
) -> None:
    report = a_report(*repeats("+" * finished), gate=gate)
    assert shown_powers(report.summaries, report.gate) == powers


@pytest.mark.parametrize("signs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [30, 50, 60, 79, 80, 104, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width: int, signs: Signs) -> None:
    runs = [*repeats("+-" * 50), *repeats("!/+", test="預約一次洗牙，並且問清楚價錢 " * 3, agent="Another agent")]
    page = shown(a_report(*runs, gate=Gate(0.9, (3, 0.8))), width, signs)
    assert all(cell_len(line) <= width for line in page.splitlines())
    assert "50/100" in page
    assert "flaky" in page
    assert "…" not in page.split("\n\n")[0]
    if signs is ASCII:
        assert "●" not in page


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(3, 60))
def test_a_bar_has_its_width_and_its_point_whatever_it_shows(a: float, b: float, c: float, width: int) -> None:
    low, value, high = sorted((a, b, c))
    bar = rate_bar(value, low, high, UNICODE, width=width, style=QUIET).plain
    assert len(bar) == width
    assert bar.count("●") == 1
    assert bar.strip("·").strip("━") == "●"


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.integers(4, 60))
def test_a_difference_is_drawn_on_its_side_of_zero(value: float, less: float, more: float, width: int) -> None:
    low, high = max(-1.0, value - less), min(1.0, value + more)
    bar = difference_bar(value, low, high, UNICODE, width=width, style=QUIET).plain
    middle = len(bar) // 2
    assert len(bar) % 2 == 1
    assert bar[middle] in "┼●"
    point = bar.index("●")
    assert point >= middle if value > 0 else point <= middle
