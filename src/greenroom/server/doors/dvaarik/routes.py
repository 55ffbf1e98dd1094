"""The routes of both doors: the machine's under `/v2`, and the same under `/console/v2/projects/{project_id}`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from greenroom.server.agents import service as agents
from greenroom.server.context import CurrentContext
from greenroom.server.doors.dvaarik import rooms
from greenroom.server.doors.dvaarik.access import Reads, Runs, Stops, Writes
from greenroom.server.doors.dvaarik.answers import RESPONSES, RunPage, RunsTold, RunWhole, TestsTold, TestTold
from greenroom.server.doors.dvaarik.bodies import Body
from greenroom.server.doors.dvaarik.mapping import native_test, told_run, told_whole_run
from greenroom.server.doors.dvaarik.policy import RULES
from greenroom.server.doors.dvaarik.schemas import RUN_EXAMPLE, TEST_EXAMPLE, RunAllBody, RunBody, TestBody
from greenroom.server.paging import AskedPage, Wish
from greenroom.server.problems import Conflict, Invalid
from greenroom.server.reaching import CurrentQueue
from greenroom.server.runs import dropping
from greenroom.server.runs import service as runs
from greenroom.server.runs.routes import CurrentDesk
from greenroom.server.tests import service as tests

_READ_ONLY = frozenset({"id", "agent_id", "last_run", "created_at", "updated_at"})
_TEST = Body(TestBody, told=_READ_ONLY)
_RUN = Body(RunBody, optional=True)
_RUN_ALL = Body(RunAllBody, optional=True)

AskedTest = Annotated[TestBody, Depends(_TEST)]
AskedRun = Annotated[RunBody, Depends(_RUN)]
AskedRunAll = Annotated[RunAllBody, Depends(_RUN_ALL)]

_both = APIRouter()


@_both.post(
    "/tests",
    status_code=201,
    response_model=TestTold,
    response_model_exclude_unset=True,
    openapi_extra=_TEST.described(TEST_EXAMPLE),
    summary="Save a test",
)
async def save_test(context: CurrentContext, access: Writes, agent_id: str, body: AskedTest) -> dict[str, Any]:
    """Save a test of an agent."""
    with rooms.told_of_a_test(body):
        try:
            made = await tests.create(context, access, agent_id, native_test(body), RULES)
        except Conflict as full:
            raise Invalid(str(full.detail)) from None
    return await _show(context, access, agent_id, str(made.body["id"]))


@_both.get("/tests", response_model=TestsTold, response_model_exclude_unset=True, summary="List tests")
async def list_tests(context: CurrentContext, access: Reads, agent_id: str) -> dict[str, Any]:
    """Every test of an agent, with its last run."""
    carried = await rooms.carried_tests(context, access, agent_id)
    return {"tests": await rooms.tell(context, agent_id, carried)}


@_both.get("/tests/{test_id}", response_model=TestTold, response_model_exclude_unset=True, summary="Show a test")
async def show_test(context: CurrentContext, access: Reads, agent_id: str, test_id: str) -> dict[str, Any]:
    """One test, with its last run."""
    return await _show(context, access, agent_id, test_id)


@_both.put(
    "/tests/{test_id}",
    response_model=TestTold,
    response_model_exclude_unset=True,
    openapi_extra=_TEST.described(TEST_EXAMPLE),
    summary="Replace a test",
)
async def replace_test(
    context: CurrentContext, access: Writes, agent_id: str, test_id: str, body: AskedTest
) -> dict[str, Any]:
    """Put another test in the place of one."""
    before = await rooms.carried_test(context, access, agent_id, test_id)
    test = native_test(body, before.kept.test.tags)
    with rooms.told_of_a_test(body):
        await tests.replace(context, access, agent_id, test_id, test, rules=RULES)
    return await _show(context, access, agent_id, test_id)


@_both.delete("/tests/{test_id}", status_code=204, summary="Delete a test")
async def delete_test(
    context: CurrentContext, queue: CurrentQueue, access: Writes, agent_id: str, test_id: str
) -> None:
    """Delete a test and its runs."""
    await rooms.carried_test(context, access, agent_id, test_id)
    await dropping.delete_test(context, queue, access, agent_id, test_id)


@_both.post(
    "/tests/run-all",
    status_code=202,
    response_model=RunsTold,
    openapi_extra=_RUN_ALL.described(RUN_EXAMPLE),
    summary="Run all tests",
)
async def run_all(desk: CurrentDesk, access: Runs, agent_id: str, body: AskedRunAll) -> dict[str, Any]:
    """Run every test of an agent, or those in `test_ids`."""
    carried = await rooms.carried_tests(desk.context, access, agent_id)
    return await rooms.start(desk, access, agent_id, rooms.choose(carried, body.test_ids), body)


@_both.post(
    "/tests/{test_id}/run",
    status_code=202,
    response_model=RunsTold,
    openapi_extra=_RUN.described(RUN_EXAMPLE),
    summary="Run a test",
)
async def run_test(desk: CurrentDesk, access: Runs, agent_id: str, test_id: str, body: AskedRun) -> dict[str, Any]:
    """Run one test."""
    await rooms.carried_test(desk.context, access, agent_id, test_id)
    return await rooms.start(desk, access, agent_id, [test_id], body)


@_both.get("/test-runs", response_model=RunPage, summary="List runs")
async def list_runs(
    context: CurrentContext,
    access: Reads,
    agent_id: str,
    page: AskedPage,
    test_id: Annotated[str | None, Query(description="Only runs of this test.")] = None,
) -> dict[str, Any]:
    """The runs of an agent's tests, the newest first, without their transcripts."""
    carried = await rooms.carried_tests(context, access, agent_id)
    test_ids = [each.kept.id for each in carried if test_id is None or each.kept.id == test_id]
    filters = runs.Filters(agent_id=agent_id, test_id=test_ids)
    found = await runs.list_runs(context, access.project_id, filters, page)
    return {"runs": [told_run(run) for run in found["items"]], "next_cursor": found["next_cursor"]}


@_both.get("/test-runs/{run_id}", response_model=RunWhole, response_model_exclude_unset=True, summary="Show a run")
async def show_run(context: CurrentContext, access: Reads, agent_id: str, run_id: str) -> dict[str, Any]:
    """A run as it stands, with its transcript and its checks."""
    return told_whole_run(await rooms.find_run(context, access, agent_id, run_id))


@_both.post(
    "/test-runs/{run_id}/cancel", response_model=RunWhole, response_model_exclude_unset=True, summary="Stop a run"
)
async def cancel_run(
    context: CurrentContext, desk: CurrentDesk, access: Stops, agent_id: str, run_id: str
) -> dict[str, Any]:
    """Stop a run. One that waits is over at once; one that plays ends before its next request to a model."""
    await rooms.find_run(context, access, agent_id, run_id)
    return told_whole_run(await runs.cancel(context, desk.queue, access.project_id, run_id))


async def stop_all(context: CurrentContext, desk: CurrentDesk, access: Stops, agent_id: str) -> dict[str, Any]:
    """Stop every run of an agent that waits or plays."""
    await agents.require(context, access, agent_id)
    stopped = await runs.cancel_all(context, desk.queue, access.project_id, agent_id)
    run_ids = [*stopped["cancelled"], *stopped["stopping"]]
    filters = runs.Filters(id=run_ids)
    found = await runs.list_runs(context, access.project_id, filters, Wish(limit=max(1, len(run_ids))))
    return {"runs": [told_run(run) for run in found["items"]]}


async def _show(context: CurrentContext, access: Reads, agent_id: str, test_id: str) -> dict[str, Any]:
    [told] = await rooms.tell(context, agent_id, [await rooms.carried_test(context, access, agent_id, test_id)])
    return told


def _in_a_project(project_id: str) -> None:
    """The path of the console door names a project: who may act in it is found out with the session."""


machine = APIRouter(tags=["machine"], responses=RESPONSES)
machine.include_router(_both, prefix="/v2/agents/{agent_id}")

console = APIRouter(tags=["console"], responses=RESPONSES, dependencies=[Depends(_in_a_project)])
_CONSOLE = "/console/v2/projects/{project_id}/agents/{agent_id}"
console.include_router(_both, prefix=_CONSOLE)
console.add_api_route(
    f"{_CONSOLE}/test-runs/cancel-all", stop_all, methods=["POST"], response_model=RunsTold, summary="Stop all runs"
)
