"""The one route of this door."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from greenroom.server.doors.zavu.mapping import answer_of, asked_of
from greenroom.server.doors.zavu.policy import NAME
from greenroom.server.doors.zavu.schemas import RESPONSES, TestAnswer, TestWanted
from greenroom.server.reaching import CurrentReach
from greenroom.server.routing import Route
from greenroom.server.runs.immediate import reply_at_once
from greenroom.server.runs.routes import CurrentDesk
from greenroom.server.security.access import Requires
from greenroom.server.security.scopes import Scope
from greenroom.server.security.who import Access

router = APIRouter(prefix="/v2", tags=["agents"], route_class=Route, responses=RESPONSES)

AgentId = Annotated[str, Path(alias="agentId")]
Tests = Annotated[Access, Depends(Requires(Scope.TESTS_RUN, named="agents:test"))]


@router.post("/agents/{agentId}/test", response_model=TestAnswer, summary="Test an agent")
async def test_agent(
    desk: CurrentDesk, reach: CurrentReach, access: Tests, agent_id: AgentId, wanted: TestWanted
) -> TestAnswer:
    """Have an agent reply to a message. Nobody gets the reply, and no run is recorded; what its model costs on an
    account of the operator's is charged. Without `executeTools` the reply stops at the first tools that it picks."""
    replied = await reply_at_once(desk, reach, access, agent_id, asked_of(wanted), desk.policies.find(NAME))
    return answer_of(replied, wanted, reach.prices)
