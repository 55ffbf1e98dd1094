"""Copies of the database, made while it is used, and services that start from them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from tests.integration.server.conftest import settings_of
from tests.support.private_postgres import find_binaries, make_database
from tests.support.web_service import AGENT, open_web
from typer.testing import CliRunner

from greenroom.cli.serve_admin import db
from greenroom.model.errors import UserMistake
from greenroom.server.database.backup import back_up, restore
from greenroom.server.database.engine import open_database
from greenroom.server.settings import Settings


@pytest.fixture
def sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    return settings_of(request, "sqlite", tmp_path / "old")


def elsewhere(settings: Settings, url: str) -> Settings:
    """The same settings, with another database."""
    return settings.model_copy(update={"database_url": SecretStr(url)})


async def test_a_copy_of_a_running_service_starts_another_with_everything_in_it(
    sqlite: Settings, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    async with open_web(sqlite) as web, await web.client() as client:
        made = (await client.post("/v1/agents", json=AGENT)).json()
        size = back_up(sqlite.url, copy)
        later = (await client.post("/v1/agents", json=AGENT)).json()
    assert size == copy.stat().st_size
    assert copy.stat().st_mode & 0o077 == 0

    other = elsewhere(sqlite, f"sqlite:///{tmp_path / 'new' / 'greenroom.db'}")
    restore(other.url, copy)
    async with open_web(other) as web, await web.client() as client:
        assert (await client.get(f"/v1/agents/{made['id']}")).json() == made
        assert (await client.get(f"/v1/agents/{later['id']}")).status_code == 404
        # Its secrets are sealed with the same key: they open, and the agent can be changed.
        changed = await client.patch(f"/v1/agents/{made['id']}", json={"greeting": "Hello again."})
        assert changed.status_code == 200


async def test_a_copy_holds_all_of_a_transaction_or_nothing_of_it(sqlite: Settings, tmp_path: Path) -> None:
    async with open_web(sqlite) as web, web.context.database.writing() as session:
        await session.execute(text("DELETE FROM projects"))
        back_up(sqlite.url, tmp_path / "copy.db")
    async with open_database(f"sqlite:///{tmp_path / 'copy.db'}") as database, database.reading() as session:
        assert await session.scalar(text("SELECT count(*) FROM projects")) == 1


async def test_nothing_is_overwritten_and_nothing_else_is_taken_for_a_backup(sqlite: Settings, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with pytest.raises(UserMistake, match="there is no database"):
        back_up(sqlite.url, copy)
    async with open_web(sqlite):
        back_up(sqlite.url, copy)
    before = copy.read_bytes()
    with pytest.raises(UserMistake, match="is there already"):
        back_up(sqlite.url, copy)
    with pytest.raises(UserMistake, match="move the old database away"):
        restore(sqlite.url, copy)
    assert copy.read_bytes() == before

    new = f"sqlite:///{tmp_path / 'new.db'}"
    (tmp_path / "new.db-wal").write_bytes(b"the log of an old database")
    with pytest.raises(UserMistake, match=r"new\.db-wal already"):
        restore(new, copy)
    (tmp_path / "new.db-wal").unlink()
    for content in (b"", b"no database at all" * 100, before[: len(before) // 2]):
        (tmp_path / "wrong.db").write_bytes(content)
        with pytest.raises(UserMistake):
            restore(new, tmp_path / "wrong.db")
        assert not (tmp_path / "new.db").exists()
    with pytest.raises(UserMistake, match="there is no file"):
        restore(new, tmp_path / "nowhere.db")
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []


async def test_the_commands_say_where_the_copy_is_and_that_the_key_is_not_in_it(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    async with open_web(Settings(data=data)):
        pass
    run = CliRunner().invoke

    told = run(db, ["backup", str(copy), "--data", str(data)])
    assert told.exit_code == 0
    assert str(copy) in told.stdout
    assert str(data / "secret.key") in told.stdout

    restored = run(db, ["restore", str(copy), "--data", str(tmp_path / "new"), "--json"])
    assert json.loads(restored.stdout) == {"file": str(copy), "bytes": copy.stat().st_size}


async def test_postgresql_is_backed_up_with_its_own_tools_as_the_docs_say(
    request: pytest.FixtureRequest, postgres: str, tmp_path: Path
) -> None:
    settings = settings_of(request, "postgresql", tmp_path)
    with pytest.raises(UserMistake, match="pg_dump"):
        back_up(settings.url, tmp_path / "copy.db")
    async with open_web(settings) as web, await web.client() as client:
        made = (await client.post("/v1/agents", json=AGENT)).json()

    new = make_database(postgres, f"restored_{os.getpid()}")
    binaries, dump = find_binaries(), tmp_path / "greenroom.dump"
    assert binaries is not None
    for command in (
        ["pg_dump", "--format=custom", f"--file={dump}", settings.url],
        ["pg_restore", "--clean", "--if-exists", "--no-owner", f"--dbname={new}", str(dump)],
    ):
        await asyncio.to_thread(subprocess.run, [str(binaries / command[0]), *command[1:]], check=True)
    other = elsewhere(settings, new)
    async with open_web(other) as web, await web.client() as client:
        assert (await client.get(f"/v1/agents/{made['id']}")).json() == made
