"""The tests of an agent."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from greenroom.server.bodies import JsonBody
from greenroom.server.context import CurrentContext
from greenroom.server.etags import IfMatch, set_etag
from greenroom.server.openapi import TEST_BODY, TEST_PATCH
from greenroom.server.paging import AskedPage, Page
from greenroom.server.reaching import CurrentQueue
from greenroom.server.routing import ReadsTests, Route, WritesTests
from greenroom.server.runs import dropping
from greenroom.server.runs import service as runs
from greenroom.server.tests import service
from greenroom.server.tests.schemas import ListedTest, TestAnswer
from greenroom.server.tests.service import Answer

router = APIRouter(prefix="/v1/agents/{agent_id}/tests", tags=["tests"], route_class=Route)

Tag = Annotated[str, Query(min_length=1, max_length=100, pattern=r"^[^\x00]+$")]


def _tell(response: Response, answer: Answer) -> dict[str, Any]:
    set_etag(response, answer.revision)
    return answer.body


@router.get("", response_model=Page[ListedTest], summary="List tests")
async def list_tests(
    context: CurrentContext,
    access: ReadsTests,
    agent_id: str,
    page: AskedPage,
    tag: Annotated[
        list[Tag] | None, Query(max_length=20, description="Only tests with this tag; again for one more.")
    ] = (None),
) -> dict[str, Any]:
    """List the tests of an agent, the newest first, each with its newest run in short."""
    found = await service.list_tests(context, access, agent_id, tag or (), page)
    last = await runs.last_of(context, [each["id"] for each in found["items"]])
    items = [{**each, "last_run": last.get(each["id"])} for each in found["items"]]
    return {**found, "items": items}


@router.post("", response_model=TestAnswer, status_code=201, summary="Make a test", openapi_extra=TEST_BODY)
async def create_test(
    response: Response, context: CurrentContext, access: WritesTests, agent_id: str, body: JsonBody
) -> dict[str, Any]:
    """Make a test of an agent. It must fit the agent's draft."""
    return _tell(response, await service.create(context, access, agent_id, body))


@router.get("/{test_id}", response_model=TestAnswer, summary="Show a test")
async def show_test(
    response: Response, context: CurrentContext, access: ReadsTests, agent_id: str, test_id: str
) -> dict[str, Any]:
    """Show one test."""
    return _tell(response, await service.show(context, access, agent_id, test_id))


@router.put("/{test_id}", response_model=TestAnswer, summary="Replace a test", openapi_extra=TEST_BODY)
async def replace_test(
    response: Response,
    context: CurrentContext,
    access: WritesTests,
    agent_id: str,
    test_id: str,
    body: JsonBody,
    if_match: IfMatch,
) -> dict[str, Any]:
    """Put another test in the place of one."""
    return _tell(response, await service.replace(context, access, agent_id, test_id, body, if_match))


@router.patch("/{test_id}", response_model=TestAnswer, summary="Change a test", openapi_extra=TEST_PATCH)
async def change_test(
    response: Response,
    context: CurrentContext,
    access: WritesTests,
    agent_id: str,
    test_id: str,
    body: JsonBody,
    if_match: IfMatch,
) -> dict[str, Any]:
    """Change a test by a JSON Merge Patch."""
    return _tell(response, await service.change(context, access, agent_id, test_id, body, if_match))


@router.delete("/{test_id}", status_code=204, summary="Delete a test")
async def delete_test(
    context: CurrentContext, queue: CurrentQueue, access: WritesTests, agent_id: str, test_id: str, if_match: IfMatch
) -> None:
    """Delete a test and its runs. Those that wait are over at once, those that play stop before their next request."""
    await dropping.delete_test(context, queue, access, agent_id, test_id, if_match)
