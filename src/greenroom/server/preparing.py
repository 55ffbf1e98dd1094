"""What must be there before a service, a worker or a command begins."""

from __future__ import annotations

from greenroom.server.context import Context
from greenroom.server.projects import service as projects
from greenroom.server.security.installing import check_vault


async def prepare(context: Context) -> None:
    """Make sure of the right keys, and of a project."""
    await check_vault(context.database, context.vault, context.now())
    await projects.make_default(context)
