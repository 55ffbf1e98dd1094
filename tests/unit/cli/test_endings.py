from __future__ import annotations

import pytest
from tests.support.runs import a_report, a_run, not_started

from greenroom.cli.exits import AfterReport, ExitCode
from greenroom.cli.playing import Outcome
from greenroom.cli.showing import FAILS_ON_PURPOSE, went_as_meant
from greenroom.cli.telling import tell_problem
from greenroom.model.errors import RunError, UserMistake


def test_a_problem_before_anything_was_played_is_told_instead_of_a_report() -> None:
    with pytest.raises(RunError, match="no models"):
        Outcome(a_report(not_started=[not_started()]), RunError("no models")).raise_unreported()


def test_a_problem_in_the_middle_is_told_after_the_report_on_what_there_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = Outcome(a_report(a_run()), RunError("no models"))
    outcome.raise_unreported()
    with pytest.raises(AfterReport) as caught:
        outcome.raise_reported()
    assert tell_problem(caught.value, wants_json=True) == ExitCode.COULD_NOT_FINISH
    told = capsys.readouterr()
    assert told.err == "Error: no models\n"
    assert told.out == ""


def test_a_mistake_is_told_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_problem(UserMistake("no \x1b[31m such"), wants_json=False) == ExitCode.USERS_MISTAKE
    assert capsys.readouterr().err == "Error: no ␛[31m such\n"


@pytest.mark.parametrize(
    ("status", "tags", "as_meant"),
    [
        ("passed", [], True),
        ("failed", [FAILS_ON_PURPOSE], True),
        ("failed", [], False),
        ("passed", [FAILS_ON_PURPOSE], False),
        ("error", [FAILS_ON_PURPOSE], False),
    ],
)
def test_the_demo_goes_as_meant_when_only_what_is_to_fail_fails(status: str, tags: list[str], as_meant: bool) -> None:
    assert went_as_meant(a_report(a_run(status, tags=tags))) is as_meant


def test_a_demo_that_was_stopped_did_not_go_as_meant() -> None:
    assert not went_as_meant(a_report(a_run(), interrupted=True))
    assert not went_as_meant(a_report(a_run(), not_started=[not_started(reason="stopped")]))
