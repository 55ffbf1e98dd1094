"""Migrations: they make the tables that the code has, once, whoever starts first."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from cryptography.fernet import Fernet
from pydantic import SecretStr
from sqlalchemy import Connection, text
from tests.support.web_service import open_web

from greenroom.model.errors import UserMistake
from greenroom.server.app import prepare
from greenroom.server.context import open_context
from greenroom.server.database.engine import open_database
from greenroom.server.database.tables import all_tables
from greenroom.server.database.upgrading import newest_revision, revision_of, upgrade
from greenroom.server.settings import Settings

_PROGRAM = """
import asyncio, sys
from greenroom.server.app import prepare
from greenroom.server.context import open_context
from greenroom.server.settings import read_settings

async def start():
    async with open_context(read_settings()) as context:
        await prepare(context)

asyncio.run(start())
"""


async def test_the_migrations_make_the_tables_of_the_code(settings: Settings) -> None:
    ours = set(all_tables().tables)

    def difference(connection: Connection) -> Any:
        options = {"include_object": lambda _, name, kind, *__: kind != "table" or name in ours}
        return compare_metadata(MigrationContext.configure(connection, opts=options), all_tables())

    async with open_database(settings.url) as database:
        assert (await upgrade(database))[0] is None
        async with database.connecting() as connection:
            assert await connection.run_sync(difference) == []
        assert await revision_of(database) == newest_revision()
        assert await upgrade(database) == (newest_revision(), newest_revision())


async def test_of_processes_that_start_at_once_one_migrates(settings: Settings) -> None:
    assert settings.secret_keys is not None
    environment = {
        "GREENROOM_DATABASE_URL": settings.url,
        "GREENROOM_SECRET_KEYS": settings.secret_keys.get_secret_value(),
    }
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROGRAM, env=environment, stderr=asyncio.subprocess.PIPE
        )
        for _ in range(4)
    ]
    told = await asyncio.gather(*(each.communicate() for each in started))
    assert [each.returncode for each in started] == [0] * 4, told
    async with open_database(settings.url) as database, database.reading() as session:
        assert await session.scalar(text("SELECT count(*) FROM projects")) == 1
        assert await session.scalar(text("SELECT count(*) FROM alembic_version")) == 1


async def test_a_database_of_a_newer_greenroom_is_left_alone(settings: Settings) -> None:
    async with open_database(settings.url) as database:
        await upgrade(database)
        async with database.writing() as session:
            await session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(UserMistake, match="newer Greenroom"):
            await upgrade(database)


async def test_a_second_start_makes_nothing_anew(settings: Settings) -> None:
    async with open_web(settings) as first:
        project = first.project_id
    async with open_web(settings) as second:
        assert second.project_id == project


async def test_another_key_for_secrets_is_told_at_the_start(settings: Settings) -> None:
    async with open_context(settings) as context:
        await prepare(context)
    other = settings.model_copy(update={"secret_keys": SecretStr(Fernet.generate_key().decode())})
    async with open_context(other) as context:
        with pytest.raises(UserMistake, match="encrypted with another key"):
            await prepare(context)
