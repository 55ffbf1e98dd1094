"""The table of what was changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, delete, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id
from greenroom.server.paging import Slice, Wish, fetch_slice


class AuditRow(Base):
    """One change. It outlives what it is about, so that nothing here points at another table."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_project_id_subject_id", "project_id", "subject_id"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str | None] = mapped_column(Id, index=True)
    actor_kind: Mapped[str] = mapped_column(String(20))
    actor_id: Mapped[str] = mapped_column(Id)
    actor_name: Mapped[str] = mapped_column(String(254))
    action: Mapped[str] = mapped_column(String(60))
    subject_id: Mapped[str | None] = mapped_column(Id)
    details: Mapped[dict[str, Any]]
    request_id: Mapped[str | None] = mapped_column(String(128))
    created_at: Mapped[datetime] = mapped_column(index=True)


async def list_changes(session: AsyncSession, project_id: str, subject_id: str | None, wish: Wish) -> Slice[AuditRow]:
    query = select(AuditRow).where(AuditRow.project_id == project_id)
    if subject_id is not None:
        query = query.where(AuditRow.subject_id == subject_id)
    return await fetch_slice(session, query, AuditRow.id, wish)


async def forget_before(session: AsyncSession, moment: datetime) -> None:
    await session.execute(delete(AuditRow).where(AuditRow.created_at < moment))
