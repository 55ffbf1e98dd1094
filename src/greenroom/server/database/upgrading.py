"""Bringing the database up to the newest migration: one process does it, the others wait."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from greenroom.model.errors import UserMistake
from greenroom.server.database.engine import Database

# Any number that no other program on the same database uses for its own lock.
_LOCK = 7_201_946_133
_FOLDER = Path(__file__).with_name("migrations")


async def upgrade(database: Database) -> tuple[str | None, str]:
    """Run the migrations that are missing; the revisions before and after.

    Raises:
        UserMistake: the database was made by a newer Greenroom.
    """
    async with database.connecting() as connection:
        if database.is_sqlite:
            # A migration holds the write lock from its first statement to its last.
            await connection.execution_options(greenroom_writes=True)
        async with connection.begin():
            if not database.is_sqlite:
                await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            return await connection.run_sync(_upgrade)


async def revision_of(database: Database) -> str | None:
    """The revision that the database is at."""
    async with database.connecting() as connection:
        return await connection.run_sync(lambda each: MigrationContext.configure(each).get_current_revision())


def newest_revision() -> str:
    """The revision that this Greenroom needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None  # noqa: S101 - the package always holds migrations
    return head


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config


def _upgrade(connection: Connection) -> tuple[str | None, str]:
    config = _config()
    script = ScriptDirectory.from_config(config)
    before = MigrationContext.configure(connection).get_current_revision()
    if before is not None and before not in {each.revision for each in script.walk_revisions()}:
        raise UserMistake(
            f"this database is of a newer Greenroom (its migration is `{before}`): start that version, or a newer one"
        )
    after = newest_revision()
    if before != after:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return before, after
