"""Drafting tests."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from greenroom.server.context import CurrentContext
from greenroom.server.drafts import service
from greenroom.server.drafts.schemas import DraftAnswer, DraftWish
from greenroom.server.reaching import CurrentReach
from greenroom.server.routing import Route, WritesTests

router = APIRouter(prefix="/v1/agents/{agent_id}/tests", tags=["tests"], route_class=Route)


@router.post("/generate", response_model=DraftAnswer, summary="Draft tests")
async def generate_tests(
    context: CurrentContext, reach: CurrentReach, access: WritesTests, agent_id: str, wish: DraftWish
) -> dict[str, Any]:
    """Have a model draft tests: from the agent's prompt, from a real call, or from a run that failed. It is held and
    charged like a run."""
    return await service.draft(context, reach, access, agent_id, wish)
