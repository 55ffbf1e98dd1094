"""Whether the service lives, and whether it can be sent requests."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from greenroom.server.context import CurrentContext
from greenroom.server.problems import Unavailable

_PATIENCE_SECONDS = 5.0

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"] = "ok"


@router.get("/livez", summary="Does the process live?")
async def live() -> Health:
    """Answer as long as the process can answer at all."""
    return Health()


@router.get("/readyz", summary="Can it be sent requests?")
async def ready(context: CurrentContext) -> Health:
    """Answer with 200 while the database answers too, else with 503."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await context.database.answers()
    except (SQLAlchemyError, OSError, TimeoutError):
        raise Unavailable("The database does not answer.") from None
    return Health()
