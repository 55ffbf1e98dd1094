"""The table of answers that are kept for requests sent again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String, Text, delete, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base


class AnswerRow(Base):
    """A request that carries an `Idempotency-Key`. Without `status`, it is still being carried out.

    `owner` is the digest of the sender's token. `sealed_body` is encrypted, since answers can hold new keys.
    """

    __tablename__ = "idempotency"

    owner: Mapped[str] = mapped_column(String(64), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    claim: Mapped[str] = mapped_column(String(32))
    fingerprint: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None]
    headers: Mapped[dict[str, Any] | None]
    sealed_body: Mapped[str | None] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(index=True)


async def claim_key(session: AsyncSession, row: dict[str, object], *, is_sqlite: bool) -> bool:
    """Put a row there if none is; whether it was put."""
    insert = sqlite.insert(AnswerRow) if is_sqlite else postgresql.insert(AnswerRow)
    statement = insert.values(**row).on_conflict_do_nothing(index_elements=["owner", "key"])
    return await session.scalar(statement.returning(AnswerRow.key)) is not None


async def find_answer(session: AsyncSession, owner: str, key: str) -> AnswerRow | None:
    return await session.get(AnswerRow, (owner, key))


async def keep_answer(session: AsyncSession, owner: str, key: str, claim: str, **answer: object) -> None:
    """Keep an answer for as long as the claim is still the sender's."""
    await session.execute(
        update(AnswerRow)
        .where(AnswerRow.owner == owner, AnswerRow.key == key, AnswerRow.claim == claim)
        .values(**answer)
    )


async def drop_claim(session: AsyncSession, owner: str, key: str, claim: str) -> None:
    await session.execute(
        delete(AnswerRow).where(AnswerRow.owner == owner, AnswerRow.key == key, AnswerRow.claim == claim)
    )


async def forget_before(session: AsyncSession, moment: datetime) -> None:
    await session.execute(delete(AnswerRow).where(AnswerRow.expires_at <= moment))
