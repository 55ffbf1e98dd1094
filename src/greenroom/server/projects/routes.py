"""The project of the key."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from greenroom.server.context import CurrentContext
from greenroom.server.projects import service
from greenroom.server.projects.schemas import Project, ProjectChange
from greenroom.server.routing import Admin, Route, Signed

router = APIRouter(prefix="/v1/project", tags=["project"], route_class=Route)


@router.get("", response_model=Project, summary="Show the project")
async def show_project(context: CurrentContext, access: Signed) -> dict[str, Any]:
    """Show the project that the key belongs to."""
    return await service.show(context, access)


@router.patch("", response_model=Project, summary="Change the project")
async def change_project(context: CurrentContext, access: Admin, wanted: ProjectChange) -> dict[str, Any]:
    """Change the project's name or its rate."""
    return await service.change(context, access, wanted)
