"""Starting, following, stopping and listing runs; one reply; one call of a tool."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from greenroom.model.run import Status
from greenroom.server.agents import service as agents
from greenroom.server.context import CurrentContext
from greenroom.server.paging import AskedPage, Page
from greenroom.server.routing import ReadsTests, Route, RunsTests
from greenroom.server.runs import service
from greenroom.server.runs.following import follow
from greenroom.server.runs.requesting import Desk
from greenroom.server.runs.schemas import (
    Batch,
    BatchStarted,
    ReplyWanted,
    RunHead,
    RunsWanted,
    RunWhole,
    Stopped,
    Tried,
    TryWanted,
)

router = APIRouter(prefix="/v1", tags=["runs"], route_class=Route)

_EVENT: dict[str, Any] = {
    "type": "object",
    "description": "One event of the stream. `data` is JSON.",
    "required": ["event", "data"],
    "properties": {"id": {"type": "string"}, "event": {"type": "string"}, "data": {"type": "string"}},
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "Server-sent events.", "content": {"text/event-stream": {"schema": _EVENT}}}
}


def _desk(request: Request) -> Desk:
    state = request.app.state
    return Desk(state.context, state.queue, state.policies)


CurrentDesk = Annotated[Desk, Depends(_desk)]


@router.post(
    "/agents/{agent_id}/runs",
    response_model=BatchStarted,
    status_code=202,
    summary="Start runs",
    responses={200: {"model": BatchStarted, "description": "All runs are over."}},
)
async def start_runs(
    response: Response, desk: CurrentDesk, access: RunsTests, agent_id: str, wanted: RunsWanted
) -> dict[str, Any]:
    """Start runs of saved tests (by id or tag, or all) or of tests that come with the request. With `wait`, the answer
    comes once they are over (200), or after so many seconds as they stand (202)."""
    answer, over = await desk.start(access, agent_id, wanted)
    response.status_code = 200 if over else 202
    return answer


@router.post("/agents/{agent_id}/cancel-all", response_model=Stopped, summary="Stop all runs of an agent")
async def cancel_all(context: CurrentContext, desk: CurrentDesk, access: RunsTests, agent_id: str) -> dict[str, Any]:
    """Stop every run of the agent that waits or plays."""
    await agents.require(context, access, agent_id)
    return await service.cancel_all(context, desk.queue, access.project_id, agent_id)


@router.post(
    "/agents/{agent_id}/reply",
    response_model=RunWhole,
    summary="Ask for one reply",
    responses={202: {"model": RunWhole, "description": "The reply is not there yet."}},
)
async def reply(
    response: Response, desk: CurrentDesk, access: RunsTests, agent_id: str, wanted: ReplyWanted
) -> dict[str, Any]:
    """Let the agent reply once to a talk. By default its tools are only planned: the reply stops at what it picks."""
    answer, over = await desk.reply(access, agent_id, wanted)
    response.status_code = 200 if over else 202
    return answer


@router.post("/agents/{agent_id}/tools/{name}/try", response_model=Tried, summary="Try a tool")
async def try_tool(desk: CurrentDesk, access: RunsTests, agent_id: str, name: str, wanted: TryWanted) -> dict[str, Any]:
    """Call one of the agent's tools for real, and tell what it answers."""
    return await desk.try_tool(access, agent_id, name, wanted)


@router.get("/runs", response_model=Page[RunHead], summary="List runs")
async def list_runs(
    context: CurrentContext,
    access: ReadsTests,
    page: AskedPage,
    agent_id: str | None = None,
    test_id: str | None = None,
    batch_id: str | None = None,
    status: Annotated[list[Status] | None, Query()] = None,
) -> dict[str, Any]:
    """List the runs of the project, the newest first, without their transcripts."""
    filters = service.Filters(agent_id=agent_id, test_id=test_id, batch_id=batch_id, status=status or None)
    return await service.list_runs(context, access.project_id, filters, page)


@router.get("/runs/{run_id}", response_model=RunWhole, summary="Show a run")
async def show_run(context: CurrentContext, access: ReadsTests, run_id: str) -> dict[str, Any]:
    """Show a run as it stands, with its transcript and its checks."""
    return await service.show(context, access.project_id, run_id)


@router.get("/runs/{run_id}/events", summary="Follow a run", response_class=StreamingResponse, responses=_EVENTS)
async def follow_run(
    context: CurrentContext,
    access: ReadsTests,
    run_id: str,
    last_event_id: Annotated[int, Header(alias="Last-Event-ID", ge=0, le=2**31 - 1)] = 0,
) -> StreamingResponse:
    """Follow a run as server-sent events: what has happened, what happens, and `finished` with the whole run. With
    `Last-Event-ID`, only what came after that event."""
    await service.exists(context, access.project_id, run_id)
    return StreamingResponse(
        follow(context, access.project_id, run_id, last_event_id),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@router.post("/runs/{run_id}/cancel", response_model=RunWhole, summary="Stop a run")
async def cancel_run(context: CurrentContext, desk: CurrentDesk, access: RunsTests, run_id: str) -> dict[str, Any]:
    """Stop a run. One that waits is over at once; one that plays ends before its next request to a model, and keeps
    its talk so far. One that is over stays as it is (409)."""
    return await service.cancel(context, desk.queue, access.project_id, run_id)


@router.get("/batches/{batch_id}", response_model=Batch, summary="Show a batch")
async def show_batch(context: CurrentContext, access: ReadsTests, batch_id: str) -> dict[str, Any]:
    """Show what one request has started."""
    return await service.show_batch(context, access.project_id, batch_id)
