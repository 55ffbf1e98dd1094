from __future__ import annotations

from typing import Any

import pytest
from tests.support.runs import a_report, a_run

from greenroom.cli.comparing import comparison_code
from greenroom.cli.exits import ExitCode, exit_code
from greenroom.grade.repeats import Gate


@pytest.mark.parametrize(
    ("statuses", "ending", "code"),
    [
        (["passed", "passed"], {}, ExitCode.ALL_PASSED),
        (["passed", "failed"], {}, ExitCode.A_TEST_FAILED),
        (["passed", "error"], {}, ExitCode.COULD_NOT_FINISH),
        (["failed", "error"], {}, ExitCode.COULD_NOT_FINISH),
        (["failed", "cancelled"], {}, ExitCode.A_TEST_FAILED),
        (["passed", "cancelled"], {}, ExitCode.COULD_NOT_FINISH),
        (["passed", "failed", "error"], {"over_budget": True}, ExitCode.OVER_BUDGET),
        (["passed"], {"over_budget": True, "interrupted": True}, ExitCode.INTERRUPTED),
        (["passed"], {"interrupted": True}, ExitCode.INTERRUPTED),
    ],
)
def test_what_makes_a_result_incomplete_goes_before_what_it_was(
    statuses: list[str], ending: dict[str, Any], code: ExitCode
) -> None:
    assert exit_code(a_report(*(a_run(status) for status in statuses), **ending)) == code


@pytest.mark.parametrize(
    ("statuses", "rate", "code"),
    [
        (["passed", "failed"], 0.5, ExitCode.ALL_PASSED),
        (["passed", "failed"], 0.6, ExitCode.A_TEST_FAILED),
        (["passed", "error"], 0.5, ExitCode.COULD_NOT_FINISH),
        (["failed", "error"], 0.5, ExitCode.COULD_NOT_FINISH),
        (["passed", "cancelled"], 0.5, ExitCode.COULD_NOT_FINISH),
    ],
)
def test_a_gate_decides_in_the_place_of_every_run_but_never_hides_an_error(
    statuses: list[str], rate: float, code: ExitCode
) -> None:
    report = a_report(*(a_run(status) for status in statuses), gate=Gate(min_pass_rate=rate))
    assert exit_code(report) == code


@pytest.mark.parametrize(
    ("first", "second", "fail_on_worse", "code"),
    [
        ("passed", "failed", True, ExitCode.A_TEST_FAILED),
        ("passed", "failed", False, ExitCode.ALL_PASSED),
        ("failed", "passed", True, ExitCode.ALL_PASSED),
        ("failed", "failed", True, ExitCode.ALL_PASSED),
        ("passed", "error", True, ExitCode.COULD_NOT_FINISH),
        ("passed", "cancelled", False, ExitCode.COULD_NOT_FINISH),
    ],
)
def test_a_comparison_fails_on_what_is_seen_to_be_worse_if_asked_to(
    first: str, second: str, fail_on_worse: bool, code: ExitCode
) -> None:
    runs = [
        a_run(status, variant=variant, repeat_index=index)
        for index in range(8)
        for variant, status in (("old", first), ("new", second))
    ]
    assert comparison_code(a_report(*runs, sides=("old", "new")), fail_on_worse=fail_on_worse) == code


def test_the_codes_are_those_that_scripts_rely_on() -> None:
    assert {code.name: code.value for code in ExitCode} == {
        "ALL_PASSED": 0,
        "A_TEST_FAILED": 1,
        "USERS_MISTAKE": 2,
        "COULD_NOT_FINISH": 3,
        "OVER_BUDGET": 4,
        "BUG": 70,
        "INTERRUPTED": 130,
        "BROKEN_PIPE": 141,
    }
