"""What the repeats of a test come to."""

from __future__ import annotations

from greenroom.grade.repeats import Gate, summarise
from greenroom.model.checks import Says
from greenroom.model.run import CheckResult, Run, Status


def run(status: Status, said: bool | None = None, test: str = "A", **fields: object) -> Run:
    checks = [CheckResult(check=Says(text="hi"), passed=said)]
    return Run(id="r", test=test, kind="script", agent="Desk", status=status, checks=checks, **fields)  # type: ignore[arg-type]


def test_runs_that_disagree_are_flaky_and_errors_count_apart() -> None:
    runs = [run("passed", True), run("failed", False), run("passed", True), run("error"), run("cancelled")]
    (summary,) = summarise(runs)
    assert (summary.runs, summary.finished, summary.passes, summary.errors, summary.cancelled) == (5, 3, 2, 1, 1)
    assert summary.flaky
    assert summary.rate == 2 / 3
    assert summary.low is not None
    assert summary.high is not None
    assert summary.low < 2 / 3 < summary.high
    assert summary.pass_powers == [2 / 3, 1 / 3, 0]
    assert (summary.checks[0].passed, summary.checks[0].graded, summary.checks[0].rate) == (2, 3, 2 / 3)


def test_tests_variations_and_variants_are_told_apart() -> None:
    runs = [run("passed"), run("passed", variation="angry"), run("failed", variant="new"), run("passed", test="B")]
    assert [(s.title, s.variant) for s in summarise(runs)] == [
        ("A", None),
        ("A [angry]", None),
        ("A", "new"),
        ("B", None),
    ]
    assert not any(summary.flaky for summary in summarise(runs))


def test_a_test_of_which_no_run_finished_has_no_rate() -> None:
    (summary,) = summarise([run("error")])
    assert summary.rate is None
    assert summary.pass_powers == []
    assert "no run finished" in Gate(min_pass_rate=0.5).why_closed(summary)


def test_gates_name_what_was_reached_and_what_was_asked_for() -> None:
    (summary,) = summarise([run("passed"), run("passed"), run("failed"), run("passed")])
    assert Gate(min_pass_rate=0.75).why_closed(summary) == ""
    assert "3 of 4 runs passed (75%), below the 80% asked for" in Gate(min_pass_rate=0.8).why_closed(summary)
    assert Gate(min_pass_power=(2, 0.5)).why_closed(summary) == ""
    assert "pass^3 is 25%, below the 50%" in Gate(min_pass_power=(3, 0.5)).why_closed(summary)
    assert "needs 5 finished runs; there are 4" in Gate(min_pass_power=(5, 0.5)).why_closed(summary)
