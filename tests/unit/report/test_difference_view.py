"""Two variants on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from tests.support.runs import a_report, a_run, a_talk

from greenroom.model.checks import NeverSays, Says
from greenroom.model.run import CheckResult
from greenroom.report.console import ASCII, UNICODE, QuietConsole, Signs
from greenroom.report.difference_view import points
from greenroom.report.results import Report, ReportedRun
from greenroom.report.terminal import render_report

STATUSES = {"+": "passed", "-": "failed", "!": "error"}


def side(variant: str, outcomes: str, **fields: object) -> list[ReportedRun]:
    return [
        a_run(
            STATUSES[outcome],
            id=f"{variant}_{index}",
            variant=variant,
            repeat_index=index,
            transcript=a_talk(),
            error="The model is gone." if outcome == "!" else None,
            checks=[
                CheckResult(
                    check=Says(text="Monday"), passed={"+": True, "-": False}.get(outcome), detail="Nobody did."
                ),
                CheckResult(check=NeverSays(text="x"), passed=None if outcome == "!" else True),
            ],
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


def compared(first: str, second: str, *more: ReportedRun) -> Report:
    return a_report(*side("old", first), *side("new", second), *more, sides=("old", "new"))


def test_the_sentence_over_all_comes_first_and_each_test_has_a_row() -> None:
    page = shown(compared("--------", "++++++++"))
    lines = page.splitlines()
    assert lines[:2] == ["A  old", "B  new"]
    assert lines[3].startswith("new is 100 points better (95% interval +54 to +100 points")
    cells = next(line for line in lines if "Moves a booking" in line).split()
    assert cells[3:6] == ["0/8", "8/8", "+100"]
    assert cells[-1] == "better"


def test_only_checks_that_held_differently_are_listed_with_a_run_that_broke_one() -> None:
    page = shown(compared("-+++", "+++-"))
    assert "1 of 4 pairs passed with A alone, 1 with B alone." in page
    assert "never_says" not in page
    assert '✗ Run 1 failed with A: says "Monday": Nobody did.' in page
    assert '✗ Run 4 failed with B: says "Monday": Nobody did.' in page


def test_how_often_a_check_held_stands_side_by_side() -> None:
    page = shown(compared("-+++", "++++"))
    assert '3/4  75%  4/4 100%  says "Monday"' in page


def test_tests_that_do_not_differ_are_not_gone_into() -> None:
    page = shown(compared("+-", "+-"))
    assert "with A alone" not in page
    assert "► " not in page


def test_better_and_worse_tests_do_not_hide_behind_the_sum() -> None:
    other = [*side("old", "+" * 8, test="Other"), *side("new", "-" * 8, test="Other")]
    page = shown(compared("-" * 8, "+" * 8, *other))
    assert "No difference seen with 16 runs" in page
    assert "Test by test, B against A: 1 better, 1 worse." in page
    assert next(line for line in page.splitlines() if line.startswith("All")).split()[1:3] == ["8/16", "8/16"]


def test_a_pair_that_did_not_finish_says_why_once() -> None:
    page = shown(compared("!!+", "+++"))
    assert page.count("! 2 runs of A could not finish: The model is gone.") == 1
    nothing = shown(compared("!", "+"))
    assert "no pair finished" in nothing


def test_a_test_that_only_one_side_has_is_unpaired() -> None:
    report = a_report(*side("old", "+"), *side("new", "+", test="New one"), sides=("old", "new"))
    assert report.comparison is not None
    assert [test.unpaired for test in report.comparison.tests] == [1, 1]
    assert "no pair finished" in shown(report)


def test_the_same_test_in_another_file_on_the_other_side_is_the_same_test() -> None:
    report = a_report(*side("old", "-", file="a.yaml"), *side("new", "+", file="b.yaml"), sides=("old", "new"))
    assert report.comparison is not None
    (test,) = report.comparison.tests
    assert (test.only_second, test.unpaired) == (1, 0)


@pytest.mark.parametrize("signs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [30, 50, 60, 76, 80, 105, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int, signs: Signs) -> None:
    long = "Asks for everything there is to know about a filling"
    more = [*side("old", "-" * 20, test=long), *side("new", "+" * 20, test=long)]
    page = shown(compared("+" * 20, "-" * 20, *more), width, signs)
    assert all(cell_len(line) <= width for line in page.splitlines())
    assert all(word in page for word in ("better", "worse", "20/20"))


@pytest.mark.parametrize(("share", "words"), [(0.25, "+25"), (-0.104, "-10"), (0.0, "0"), (-0.001, "0"), (1.0, "+100")])
def test_a_difference_is_written_in_points_with_its_sign(share: float, words: str) -> None:
    assert points(share) == words
