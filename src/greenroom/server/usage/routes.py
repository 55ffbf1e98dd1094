"""What a project used."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query

from greenroom.server.context import CurrentContext
from greenroom.server.routing import ReadsTests, Route
from greenroom.server.usage import service
from greenroom.server.usage.schemas import Usage

router = APIRouter(prefix="/v1/usage", tags=["usage"], route_class=Route)


@router.get("", response_model=Usage, summary="Show usage by day")
async def show_usage(
    context: CurrentContext,
    access: ReadsTests,
    first: Annotated[
        date | None, Query(alias="from", description="The first day, in UTC; by default 29 days before the last.")
    ] = None,
    last: Annotated[date | None, Query(alias="to", description="The last day; by default today.")] = None,
) -> dict[str, Any]:
    """Show what the project's runs, drafts and replies came to on each day. A run counts on the day it is over, and
    stays counted when it is let go of."""
    return await service.by_day(context, access.project_id, first, last)
