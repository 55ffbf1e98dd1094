"""Whether the keys at hand are those of this database: told at the start, not at the first secret."""

from __future__ import annotations

from datetime import datetime

from greenroom.model.errors import UserMistake
from greenroom.server.database.engine import Database
from greenroom.server.security.store import find_installation, first_installation
from greenroom.server.security.vault import CannotOpen, Vault
from greenroom.server.settings import PREFIX

_CHECK = "greenroom"


async def check_vault(database: Database, vault: Vault, now: datetime) -> None:
    """
    Raises:
        UserMistake: the secrets of this database were sealed with other keys.
    """
    async with database.writing() as session:
        row = await find_installation(session)
        if row is None:
            session.add(first_installation(vault.seal(_CHECK), now))
            return
        try:
            vault.open(row.sealed_check)
        except CannotOpen:
            raise UserMistake(
                "the secrets of this database were encrypted with another key: put that key into "
                f"{PREFIX}SECRET_KEYS, after the new one, joined by a comma"
            ) from None


async def reseal_check(database: Database, vault: Vault) -> None:
    """Seal the check with the newest key."""
    async with database.writing() as session:
        row = await find_installation(session)
        if row is not None:
            row.sealed_check = vault.seal(_CHECK)
