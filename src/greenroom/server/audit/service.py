"""What was changed, by whom and when: written in the same transaction as the change. Never a secret, never a text that
was written: the names of fields say enough."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.base import Json
from greenroom.server.audit import store
from greenroom.server.audit.store import AuditRow
from greenroom.server.context import Context
from greenroom.server.database.ids import new_id
from greenroom.server.paging import Wish
from greenroom.server.security.who import Access


def record(
    session: AsyncSession,
    access: Access,
    now: datetime,
    action: str,
    subject_id: str | None,
    details: Mapping[str, Json] | None = None,
) -> None:
    """Note a change, such as `agent.published`, of the thing `subject_id`."""
    session.add(
        AuditRow(
            id=new_id("aud"),
            project_id=access.project_id or None,
            actor_kind=access.kind,
            actor_id=access.actor_id,
            actor_name=access.actor_name,
            action=action,
            subject_id=subject_id,
            details=dict(details or {}),
            request_id=access.request_id,
            created_at=now,
        )
    )


async def list_changes(context: Context, access: Access, subject_id: str | None, wish: Wish) -> dict[str, Any]:
    """The changes in the project, the newest first; with `subject_id`, those of one thing."""
    async with context.database.reading() as session:
        found = await store.list_changes(session, access.project_id, subject_id, wish)
    return found.page(_shown)


async def forget_before(context: Context, moment: datetime) -> None:
    """Forget what was changed before a moment."""
    async with context.database.writing() as session:
        await store.forget_before(session, moment)


def _shown(row: AuditRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "at": row.created_at,
        "action": row.action,
        "subject_id": row.subject_id,
        "actor": {"kind": row.actor_kind, "id": row.actor_id, "name": row.actor_name},
        "details": row.details,
        "request_id": row.request_id,
    }
