from __future__ import annotations

from typing import Any

import pytest
from tests.support.runs import a_failed_run, a_report, a_run, not_started

from greenroom.grade.repeats import Gate
from greenroom.model.checks import Says
from greenroom.model.run import CheckResult, Scorecard
from greenroom.report.verdict import percent, sums, verdict, why


def runs(*statuses: str) -> list[Any]:
    return [a_run(status, repeat_index=index) for index, status in enumerate(statuses)]


@pytest.mark.parametrize(
    ("statuses", "status", "sentence"),
    [
        (["passed"], "passed", "The run passed"),
        (["passed", "passed"], "passed", "All 2 runs passed"),
        (["passed", "failed"], "failed", "1 of 2 runs failed"),
        (["error", "failed", "cancelled"], "failed", "1 of 3 runs failed, 1 could not finish, 1 stopped"),
        (["error"], "error", "1 of 1 run could not finish"),
        (["cancelled", "passed"], "cancelled", "1 of 2 runs stopped"),
        ([], "cancelled", "Nothing was played"),
    ],
)
def test_the_verdict_counts_what_went_wrong_the_gravest_first(statuses: list[str], status: str, sentence: str) -> None:
    found = verdict(a_report(*runs(*statuses)))
    assert (found.status, found.sentence) == (status, sentence)


def test_what_was_not_started_keeps_a_verdict_from_being_a_pass() -> None:
    found = verdict(a_report(a_run(), not_started=[not_started()], interrupted=True))
    assert (found.status, found.sentence) == ("cancelled", "The run passed, 1 not started")
    assert found.remarks == ("Greenroom was stopped before all was played.",)


@pytest.mark.parametrize(
    ("statuses", "gate", "status", "sentence"),
    [
        (
            ["passed", "failed", "passed"],
            Gate(min_pass_rate=0.6),
            "passed",
            "Every test has a pass rate of 60% or more, 1 of 3 runs failed",
        ),
        (
            ["passed", "failed", "passed"],
            Gate(min_pass_rate=0.9),
            "failed",
            "1 of 1 test lacks a pass rate of 90% or more, 1 of 3 runs failed",
        ),
        (
            ["passed", "passed", "error"],
            Gate(0.5, (2, 0.5)),
            "error",
            "Every test has a pass rate of 50% and pass^2 of 50% or more, 1 of 3 runs could not finish",
        ),
        (
            ["passed", "failed", "passed", "error"],
            Gate(min_pass_rate=0.5),
            "error",
            "Every test has a pass rate of 50% or more, 1 of 4 runs failed, 1 could not finish",
        ),
    ],
)
def test_a_gate_decides_in_the_place_of_every_run(statuses: list[str], gate: Gate, status: str, sentence: str) -> None:
    found = verdict(a_report(*runs(*statuses), gate=gate))
    assert (found.status, found.sentence) == (status, sentence)


def test_the_sums_are_named() -> None:
    assert sums(a_report(a_failed_run())) == [
        ("Runs", "1"),
        ("Checks held", "1 of 3"),
        ("Tokens", "1,234"),
        ("Cost", "$0.01"),
        ("Time", "2.0 s"),
    ]


def test_why_names_the_first_required_check_that_did_not_hold_and_counts_the_others() -> None:
    checks = [
        CheckResult(check=Says(text="a", required=False), passed=False),
        CheckResult(check=Says(text="b"), passed=False, detail="not said"),
        CheckResult(check=Says(text="c"), passed=False),
    ]
    assert why(a_failed_run(checks=checks)) == 'says "b": not said (and 1 more check)'


def test_why_falls_back_on_the_score_and_the_error() -> None:
    assert (
        why(a_failed_run(checks=[], scorecard=Scorecard(score=41, summary="Be kind."))) == "score 41 of 100: Be kind."
    )
    assert why(a_run("error", error="No key.")) == "No key."
    assert why(a_run("error")) == "The run could not finish."
    assert why(a_run("failed")) == why(a_run()) == ""


def test_why_is_never_longer_than_a_line_of_300() -> None:
    assert len(why(a_run("error", error="x" * 5000))) == 300


@pytest.mark.parametrize(("share", "shown"), [(0, "0%"), (1, "100%"), (0.999, ">99%"), (0.001, "<1%"), (0.5, "50%")])
def test_only_what_is_whole_reads_as_nothing_or_all(share: float, shown: str) -> None:
    assert percent(share) == shown
