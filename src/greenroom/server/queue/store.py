"""The table of workers, by which each sees that the others live."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base


class WorkerRow(Base):
    """A worker process. `beats` grows for as long as it lives; a worker that leaves sets `gone`."""

    __tablename__ = "workers"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    host: Mapped[str] = mapped_column(String(255))
    process: Mapped[int]
    beats: Mapped[int] = mapped_column(default=0)
    gone: Mapped[bool] = mapped_column(default=False)
    started_at: Mapped[datetime]
    beat_at: Mapped[datetime]


async def beat(session: AsyncSession, worker_id: str, now: datetime) -> bool:
    """Show a sign of life; `False` where the others have given the worker up."""
    statement = (
        update(WorkerRow).where(WorkerRow.id == worker_id).values(beats=WorkerRow.beats + 1, beat_at=now, gone=False)
    )
    return getattr(await session.execute(statement), "rowcount", 0) == 1


async def all_workers(session: AsyncSession) -> list[WorkerRow]:
    return list((await session.scalars(select(WorkerRow).execution_options(populate_existing=True))).all())


async def leave(session: AsyncSession, worker_id: str) -> None:
    await session.execute(update(WorkerRow).where(WorkerRow.id == worker_id).values(gone=True))


async def forget_worker(session: AsyncSession, worker_id: str) -> None:
    await session.execute(delete(WorkerRow).where(WorkerRow.id == worker_id))
