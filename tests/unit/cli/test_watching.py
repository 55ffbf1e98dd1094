from __future__ import annotations

from tests.support.runs import a_run, a_talk, a_usage, some_checks

from greenroom.cli.watching import Notebook
from greenroom.model.events import (
    CheckGraded,
    LineAdded,
    RunFinished,
    RunStarted,
    TurnStarted,
    UsageChanged,
    WarningAdded,
)
from greenroom.model.run import CheckResult


def test_a_run_that_never_started_is_not_in_the_notebook() -> None:
    assert Notebook().run("run_1") is None


def test_a_finished_run_is_kept_as_it_ended() -> None:
    notebook = Notebook()
    notebook.hear(RunStarted(a_run("running")))
    notebook.hear(RunFinished(a_run("failed")))
    run = notebook.run("run_1")
    assert run is not None
    assert run.status == "failed"


def test_a_run_that_is_cut_off_is_cancelled_and_keeps_what_was_said_and_spent() -> None:
    notebook = Notebook()
    checks = some_checks()
    notebook.hear(RunStarted(a_run("running", ended_by=None, checks=[CheckResult(check=c.check) for c in checks])))
    notebook.hear(TurnStarted("run_1", 1))
    for index, line in enumerate(a_talk()[:2]):
        notebook.hear(LineAdded("run_1", index, line))
    changed = a_talk()[1].model_copy(update={"text": "Corrected."})
    notebook.hear(LineAdded("run_1", 1, changed))
    notebook.hear(UsageChanged("run_1", a_usage("0.10")))
    notebook.hear(UsageChanged("run_1", a_usage("0.25")))
    notebook.hear(WarningAdded("run_1", "A slip."))
    notebook.hear(CheckGraded("run_1", 0, checks[0]))
    run = notebook.run("run_1")
    assert run is not None
    assert (run.status, run.ended_by) == ("cancelled", "stopped")
    assert run.transcript == [a_talk()[0], changed]
    assert [str(usage.cost_usd) for usage in run.usage] == ["0.25"]
    assert run.warnings == ["A slip."]
    assert [result.passed for result in run.checks] == [True, None, None]
