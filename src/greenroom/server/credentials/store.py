"""The table of credentials."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base, Id
from greenroom.server.paging import Slice, Wish, fetch_slice


class CredentialRow(Base):
    """A provider's account. `sealed_key` is the provider's key, encrypted."""

    __tablename__ = "credentials"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    sealed_key: Mapped[str] = mapped_column(Text)
    base_url: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


async def find_credential(session: AsyncSession, project_id: str, credential_id: str) -> CredentialRow | None:
    query = select(CredentialRow).where(CredentialRow.project_id == project_id, CredentialRow.id == credential_id)
    return await session.scalar(query)


async def find_named(session: AsyncSession, project_id: str, name: str) -> CredentialRow | None:
    query = select(CredentialRow).where(CredentialRow.project_id == project_id, CredentialRow.name == name)
    return await session.scalar(query)


async def list_credentials(session: AsyncSession, project_id: str, wish: Wish) -> Slice[CredentialRow]:
    query = select(CredentialRow).where(CredentialRow.project_id == project_id)
    return await fetch_slice(session, query, CredentialRow.id, wish)


async def all_of_project(session: AsyncSession, project_id: str) -> list[CredentialRow]:
    return list((await session.scalars(select(CredentialRow).where(CredentialRow.project_id == project_id))).all())


async def some_after(session: AsyncSession, after: str, count: int) -> list[CredentialRow]:
    """Credentials of all projects, in order of their ids."""
    query = select(CredentialRow).where(CredentialRow.id > after).order_by(CredentialRow.id).limit(count)
    return list((await session.scalars(query)).all())
