"""Whether the judge was right, in people's words, and what these words come to."""

from __future__ import annotations

from typing import Any

from greenroom.grade.calibration import Label, agreement, agreements, can_be_labelled, question_of
from greenroom.model.errors import Problem
from greenroom.model.run import CheckResult
from greenroom.server.agents import service as agents
from greenroom.server.context import Context
from greenroom.server.database.ids import new_id
from greenroom.server.labels import store
from greenroom.server.labels.store import LabelRow
from greenroom.server.problems import Conflict, Invalid
from greenroom.server.runs import service as runs
from greenroom.server.security.who import Access

_ALL = "all questions"


async def add(context: Context, access: Access, run_id: str, check: int, right: bool, note: str) -> LabelRow:
    """Say whether the judge was right about a check (by its place, from 0). Said again, the last word counts.

    Raises:
        NotFound: the project has no such run.
        Conflict: the run is not over.
        Invalid: the run has no such check, or no judge decided it.
    """
    run = await runs.show(context, access.project_id, run_id)
    if run["finished_at"] is None:
        raise Conflict("This run is not over: wait for its end.")
    results = [CheckResult.model_validate(each) for each in run["checks"]]
    if check >= len(results):
        raise Invalid([Problem(("check",), f"this run has {len(results)} checks, and the first is number 0")])
    result = results[check]
    if not can_be_labelled(result):
        raise Invalid([Problem(("check",), "no judge decided this check: there is nothing to say about it")])
    async with context.database.writing() as session:
        row = await store.find_label(session, access.project_id, run_id, check)
        if row is None:
            row = LabelRow(
                id=new_id("lab"),
                project_id=access.project_id,
                agent_id=run["agent_id"],
                run_id=run_id,
                check=check,
                test=run["test"],
                question=str(question_of(result.check)),
                judge=result.passed is True,
            )
            session.add(row)
        row.right, row.note, row.author, row.created_at = right, note, access.actor_name, context.now()
        await session.flush()
    return row


async def of_run(context: Context, access: Access, run_id: str) -> list[LabelRow]:
    """The labels of a run, by check.

    Raises:
        NotFound: the project has no such run.
    """
    async with context.database.reading() as session:
        await runs.find(session, access.project_id, run_id)
        return await store.labels_of_run(session, access.project_id, run_id)


async def agreement_of(context: Context, access: Access, agent_id: str | None) -> dict[str, Any]:
    """How well the judge agrees with people: on each question, the worst first, and on all together.

    Raises:
        NotFound: the project has no such agent.
    """
    async with context.database.reading() as session:
        if agent_id is not None:
            await agents.find(session, access.project_id, agent_id)
        counted = await store.count_by_question(session, access.project_id, agent_id)
    labels = [
        label
        for question, judge, right, count in counted
        for label in [Label(question=question, judge=judge, right=right)] * count
    ]
    return {"items": agreements(labels), "overall": agreement(_ALL, labels) if labels else None}
