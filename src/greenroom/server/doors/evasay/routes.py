"""The routes of this door, under `/api/v1/voice`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import TypeAdapter

from greenroom.server.context import CurrentContext
from greenroom.server.doors.evasay import rooms
from greenroom.server.doors.evasay.access import Reads, ReadsAgents, Runs, Writes
from greenroom.server.doors.evasay.answers import (
    RESPONSES,
    Drafted,
    RunsTold,
    RunTold,
    TestsTold,
    TestTold,
    ToolsTold,
    Tried,
)
from greenroom.server.doors.evasay.bodies import Body
from greenroom.server.doors.evasay.mapping import changed, native_test, told_test
from greenroom.server.doors.evasay.policy import RULES
from greenroom.server.doors.evasay.schemas import TEST_BODY, AnyTest, GenerateBody, RunsBody, TestPatch, ToolBody
from greenroom.server.etags import etag
from greenroom.server.reaching import CurrentQueue, CurrentReach
from greenroom.server.runs import dropping
from greenroom.server.runs.routes import CurrentDesk
from greenroom.server.tests import service as tests

_TEST = Body(TEST_BODY)
_PATCH = Body(TypeAdapter(TestPatch))
_RUNS = Body(TypeAdapter(RunsBody), optional=True)
_TOOL = Body(TypeAdapter(ToolBody), optional=True)
_GENERATE = Body(TypeAdapter(GenerateBody), optional=True)

AskedTest = Annotated[AnyTest, Depends(_TEST)]
AskedPatch = Annotated[TestPatch, Depends(_PATCH)]
AskedRuns = Annotated[RunsBody, Depends(_RUNS)]
AskedTool = Annotated[ToolBody, Depends(_TOOL)]
AskedDrafts = Annotated[GenerateBody, Depends(_GENERATE)]

router = APIRouter(prefix="/api/v1/voice", responses=RESPONSES)


@router.post(
    "/agents/{agent_id}/tests",
    status_code=201,
    response_model=TestTold,
    openapi_extra=_TEST.described(),
    summary="Make a test",
)
async def make_test(context: CurrentContext, access: Writes, agent_id: str, body: AskedTest) -> dict[str, Any]:
    """Make a test of an agent. It must fit the agent's draft."""
    with rooms.told_of_a_test():
        made = await tests.create(context, access, agent_id, native_test(body), RULES)
    return await rooms.tell_test(context, access, agent_id, str(made.body["id"]))


@router.get("/agents/{agent_id}/tests", response_model=TestsTold, summary="List tests")
async def list_tests(context: CurrentContext, access: Reads, agent_id: str) -> dict[str, Any]:
    """The tests of an agent, in the order in which they were made."""
    carried = await rooms.carried_tests(context, access, agent_id)
    told = [told_test(agent_id, each.kept, each.body) for each in carried]
    return {"tests": told, "credits_per_run": context.settings.evasay_credits_per_run}


@router.post(
    "/agents/{agent_id}/tests/generate",
    response_model=Drafted,
    response_model_exclude_unset=True,
    openapi_extra=_GENERATE.described(),
    summary="Draft tests",
)
async def generate_tests(
    context: CurrentContext, reach: CurrentReach, access: Writes, agent_id: str, body: AskedDrafts
) -> dict[str, Any]:
    """Have a model draft tests from the agent's draft. It is paid like a run."""
    return await rooms.generate(context, reach, access, agent_id, body)


@router.get("/agents/{agent_id}/tests/{test_id}", response_model=TestTold, summary="Show a test")
async def show_test(context: CurrentContext, access: Reads, agent_id: str, test_id: str) -> dict[str, Any]:
    """One test."""
    return await rooms.tell_test(context, access, agent_id, test_id)


@router.patch(
    "/agents/{agent_id}/tests/{test_id}",
    response_model=TestTold,
    openapi_extra=_PATCH.described(),
    summary="Change a test",
)
async def change_test(
    context: CurrentContext, access: Writes, agent_id: str, test_id: str, body: AskedPatch
) -> dict[str, Any]:
    """Change what is given of a test."""
    before = await rooms.carried_test(context, access, agent_id, test_id)
    test = native_test(_TEST.read(changed(before.body, body)), before.kept.test.tags)
    with rooms.told_of_a_test():
        await tests.replace(context, access, agent_id, test_id, test, etag(before.kept.revision), RULES)
    return await rooms.tell_test(context, access, agent_id, test_id)


@router.delete("/agents/{agent_id}/tests/{test_id}", status_code=204, summary="Delete a test")
async def delete_test(
    context: CurrentContext, queue: CurrentQueue, access: Writes, agent_id: str, test_id: str
) -> None:
    """Delete a test and its runs."""
    await rooms.carried_test(context, access, agent_id, test_id)
    await dropping.delete_test(context, queue, access, agent_id, test_id)


@router.post(
    "/agents/{agent_id}/test-runs",
    status_code=201,
    response_model=RunsTold,
    openapi_extra=_RUNS.described(),
    summary="Run tests",
)
async def run_tests(desk: CurrentDesk, access: Runs, agent_id: str, body: AskedRuns) -> dict[str, Any]:
    """Run every test of an agent, or those in `test_ids`: a run a test, up to the first that cannot be paid."""
    return await rooms.start(desk, access, agent_id, body)


@router.get("/test-runs/{run_id}", response_model=RunTold, response_model_exclude_unset=True, summary="Show a run")
async def show_run(context: CurrentContext, access: Reads, run_id: str) -> dict[str, Any]:
    """A run; once it is over, with transcript and reason."""
    return await rooms.find_run(context, access, run_id)


@router.get("/agents/{agent_id}/tools", response_model=ToolsTold, summary="List functions")
async def list_tools(context: CurrentContext, access: ReadsAgents, agent_id: str) -> dict[str, Any]:
    """The functions of an agent's draft, with the ids that they are tried by."""
    return {"tools": await rooms.list_tools(context, access, agent_id)}


@router.post("/tools/{tool_id}/test", response_model=Tried, openapi_extra=_TOOL.described(), summary="Try a function")
async def try_tool(desk: CurrentDesk, access: Runs, tool_id: str, body: AskedTool) -> dict[str, Any]:
    """Call one function for real, and tell what it answers."""
    return await rooms.try_tool(desk, access, tool_id, body)
