from __future__ import annotations

from typing import Any

import pytest
from tests.support.runs import a_report, a_run

from greenroom.cli.exits import ExitCode, exit_code


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
