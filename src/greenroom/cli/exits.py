"""The exit codes of the program.

What tells that a result is not whole goes before what the result was: stopped by a signal, then over budget, then a
run that could not finish, then a test that failed.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from greenroom.report.results import Report


class ExitCode(IntEnum):
    """What the program's exit code says. `INTERRUPTED`: Ctrl-C or a polite kill; `BROKEN_PIPE`: whoever read the output
    went away before anything was decided."""

    ALL_PASSED = 0
    A_TEST_FAILED = 1
    USERS_MISTAKE = 2
    COULD_NOT_FINISH = 3
    OVER_BUDGET = 4
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class AfterReport(Exception):
    """The cause ended a command early, when its result was already printed: only the cause is still to be told."""


def exit_code(report: Report) -> ExitCode:
    """The exit code for a report. Where a gate was set, it decides of each test, in the place of every run.

    A run that was cancelled because an earlier test failed (`--fail-fast`) changes nothing: that failure is in the
    report.
    """
    statuses = {run.status for run in report.runs}
    if report.interrupted:
        return ExitCode.INTERRUPTED
    if report.over_budget:
        return ExitCode.OVER_BUDGET
    if "error" in statuses:
        return ExitCode.COULD_NOT_FINISH
    if report.gate.closed if report.gate is not None else "failed" in statuses:
        return ExitCode.A_TEST_FAILED
    return ExitCode.ALL_PASSED if statuses <= {"passed", "failed"} else ExitCode.COULD_NOT_FINISH
