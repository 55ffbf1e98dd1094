"""The credits of the project and their ledger."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from greenroom.server.context import CurrentContext
from greenroom.server.credits import service
from greenroom.server.credits.schemas import BoundsWanted, Entry, Standing
from greenroom.server.paging import AskedPage, Page
from greenroom.server.routing import Admin, ReadsTests, Route

router = APIRouter(prefix="/v1/credits", tags=["credits"], route_class=Route)


@router.get("", response_model=Standing, summary="Show credits")
async def show_credits(context: CurrentContext, access: ReadsTests) -> dict[str, Any]:
    """Show how the project stands."""
    return await service.show(context, access.project_id)


@router.put("/bounds", response_model=Standing, summary="Bound what runs may cost")
async def set_bounds(context: CurrentContext, access: Admin, wanted: BoundsWanted) -> dict[str, Any]:
    """Set what runs may cost a month, and what one batch may."""
    return await service.bound(context, access, wanted.monthly_budget, wanted.batch_cap)


@router.get("/ledger", response_model=Page[Entry], summary="List the ledger")
async def list_ledger(context: CurrentContext, access: ReadsTests, page: AskedPage) -> dict[str, Any]:
    """List what the credits were spent on, the newest first."""
    return await service.show_ledger(context, access.project_id, page)
