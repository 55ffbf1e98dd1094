"""The table of keys."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, String, Update, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id
from greenroom.server.paging import Slice, Wish, fetch_slice


class KeyRow(Base):
    """A key of a project. Of the key itself, only its digest and its first characters are kept."""

    __tablename__ = "keys"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    developer_id: Mapped[str | None] = mapped_column(Id, ForeignKey("developers.id", ondelete="SET NULL"))
    name: Mapped[str] = mapped_column(String(200))
    prefix: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[str]] = mapped_column(JSON)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


async def find_by_digest(session: AsyncSession, digest: str) -> KeyRow | None:
    return await session.scalar(select(KeyRow).where(KeyRow.digest == digest))


async def find_key(session: AsyncSession, project_id: str, key_id: str) -> KeyRow | None:
    return await session.scalar(select(KeyRow).where(KeyRow.project_id == project_id, KeyRow.id == key_id))


async def list_keys(session: AsyncSession, project_id: str, wish: Wish) -> Slice[KeyRow]:
    return await fetch_slice(session, select(KeyRow).where(KeyRow.project_id == project_id), KeyRow.id, wish)


def note_use(key_id: str, now: datetime) -> Update:
    """The statement that notes when a key was last used."""
    return update(KeyRow).where(KeyRow.id == key_id).values(last_used_at=now)
