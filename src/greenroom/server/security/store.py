"""The table with the one row that says of which keys this database's secrets are."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from greenroom.server.database.base import Base

_ONLY = 1


class InstallationRow(Base):
    """This installation. `sealed_check` opens with the keys that its secrets were sealed with."""

    __tablename__ = "installation"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sealed_check: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


async def find_installation(session: AsyncSession) -> InstallationRow | None:
    return await session.get(InstallationRow, _ONLY)


def first_installation(sealed_check: str, now: datetime) -> InstallationRow:
    """The row of a new installation."""
    return InstallationRow(id=_ONLY, sealed_check=sealed_check, created_at=now)
