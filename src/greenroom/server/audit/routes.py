"""The record of who changed what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from greenroom.server.audit import service
from greenroom.server.audit.schemas import Change
from greenroom.server.context import CurrentContext
from greenroom.server.paging import AskedPage, Page
from greenroom.server.routing import Admin, Route

router = APIRouter(prefix="/v1/audit", tags=["audit"], route_class=Route)


@router.get("", response_model=Page[Change], summary="List changes")
async def list_changes(
    context: CurrentContext,
    access: Admin,
    page: AskedPage,
    subject_id: Annotated[
        str | None, Query(pattern=r"^[a-z]{3}_[0-9a-z]{26}$", description="Only changes of the thing with this id.")
    ] = None,
) -> dict[str, Any]:
    """List who changed what in the project, the newest first."""
    return await service.list_changes(context, access, subject_id, page)
