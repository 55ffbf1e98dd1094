"""One run from start to verdict: the talk is played, graded and decided.

    run = await play_test(plan, ports)

Everything that the run needs of the outside comes through `ports`; everything that happens is told to `listen`.
"""

from __future__ import annotations

import logging

from greenroom.grade.grading import grade
from greenroom.grade.grounding import ground
from greenroom.grade.ports import Talk
from greenroom.grade.verdict import verdict
from greenroom.model.errors import RunError, Stopped
from greenroom.model.events import Event, GradingStarted
from greenroom.model.run import AgentLine, CheckResult, Run
from greenroom.play.desk import Desk
from greenroom.play.ends import End
from greenroom.play.meter import Meter
from greenroom.play.plan import Plan, Ports
from greenroom.play.ports import Listener, StopSignal
from greenroom.play.recorder import Recorder
from greenroom.play.stage import Stage
from greenroom.play.talk import play_talk

__all__ = ["Plan", "Ports", "never", "play_test", "quiet"]

_log = logging.getLogger("greenroom.engine")


async def quiet(_event: Event) -> None:
    """A listener that does nothing."""


async def never() -> bool:
    """A stop signal that never asks to stop."""
    return False


async def play_test(plan: Plan, ports: Ports, listen: Listener = quiet, stop: StopSignal = never) -> Run:
    """Play one run and grade it.

    Nothing that goes wrong in a run is raised: a run that could not finish has the status `error` and one sentence in
    `error`; one that was stopped is `cancelled`. Only the cancellation of the task itself passes through.
    """
    recorder = Recorder(plan, ports.clock, listen)
    meter = Meter(ports, recorder, stop, plan.scope)
    stage = Stage(plan, ports, meter, recorder, Desk(plan, ports, meter))
    await recorder.start()
    try:
        return await _play_and_grade(stage)
    except Stopped:
        return await recorder.finish("cancelled", "stopped")
    except RunError as problem:
        return await recorder.finish("error", "error", str(problem))
    except Exception:  # noqa: BLE001 - a bug in one run must not take the others down
        _log.exception("run %s: Greenroom failed", plan.run_id)
        sentence = "Greenroom itself failed in this run; the log has the details. Please report it."
        return await recorder.finish("error", "error", sentence)
    finally:
        await ports.tools.close(plan.run_id)
        await ports.remote.close(plan.run_id)


async def _play_and_grade(stage: Stage) -> Run:
    plan, recorder, meter = stage.plan, stage.recorder, stage.meter
    meter.allow(plan.limits.chat_seconds)
    end = await play_talk(stage)
    recorder.run.ended_by, recorder.run.end_detail = end.by, end.detail
    talk = _finished(stage, end)
    for index, grounding in ground(talk).items():
        line = recorder.run.transcript[index]
        if isinstance(line, AgentLine):
            line.grounding = grounding
            await recorder.line_changed(index)
    if plan.test.checks:
        await recorder.tell(GradingStarted(plan.run_id, len(plan.test.checks)))
    meter.allow(plan.limits.judge_seconds)
    grades = await grade(_finished(stage, end), meter.ask, plan.judge_model, recorder.grade)
    recorder.run.scorecard = grades.scorecard
    await _keep(recorder, grades.results)
    made_up = sum(result.quote_verified is False for result in grades.results)
    if made_up:
        what = "a check" if made_up == 1 else f"{made_up} checks"
        await recorder.warn(f"The judge quoted words that nobody said for {what}: read the verdict with care.")
    if grades.stopped:
        return await recorder.finish("cancelled", "stopped")
    if grades.error is not None:
        return await recorder.finish("error", "error", grades.error)
    return await recorder.finish(verdict(plan.test, grades.results, grades.scorecard), end.by)


async def _keep(recorder: Recorder, results: tuple[CheckResult, ...]) -> None:
    for index, result in enumerate(results):
        if recorder.run.checks[index] != result:
            await recorder.grade(index, result)


def _finished(stage: Stage, end: End) -> Talk:
    return Talk(
        transcript=tuple(stage.recorder.run.transcript),
        ended_by=end.by,
        agent=stage.plan.agent,
        test=stage.plan.test,
        passages=dict(stage.recorder.passages),
    )
