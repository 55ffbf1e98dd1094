"""A copy of a SQLite database in one file, made while the service runs, and a new database from it.

PostgreSQL has tools of its own for that, which do it better.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from greenroom.model.errors import UserMistake
from greenroom.server.database.engine import database_url

_REVISION = "SELECT version_num FROM alembic_version"


def back_up(url: str, file: Path) -> int:
    """Copy the database at a URL into a file that does not exist yet; how many bytes it has.

    The copy is the database at one moment, whatever is written meanwhile, and nobody waits for it.

    Raises:
        UserMistake: it is no SQLite database, there is none, or the file cannot be written.
    """
    source = _database_file(url, "pg_dump --format=custom --file=FILE")
    if not source.exists():
        raise UserMistake(f"there is no database in {source}: say with --data where it is")
    return _copy(source, file)


def restore(url: str, file: Path) -> int:
    """Make the database at a URL from a backup; how many bytes it has. There must be no database yet.

    Raises:
        UserMistake: it is no SQLite database, there is one already, or the file is no backup.
    """
    target = _database_file(url, "pg_restore --clean --if-exists --no-owner --dbname=URL")
    if not file.is_file():
        raise UserMistake(f"there is no file {file}")
    # A log that an old database left behind would be taken for the new one's.
    for old in (target, *(target.with_name(target.name + ending) for ending in ("-wal", "-shm"))):
        if old.exists():
            raise UserMistake(f"there is {old} already: stop the service, and move the old database away first")
    target.parent.mkdir(parents=True, exist_ok=True)
    return _copy(file, target)


def _database_file(url: str, instead: str) -> Path:
    parsed = database_url(url)
    if not parsed.drivername.startswith("sqlite"):
        raise UserMistake(f"PostgreSQL has a command of its own for this: `{instead}`")
    return Path(str(parsed.database))


def _copy(source: Path, target: Path) -> int:
    if target.exists():
        raise UserMistake(f"{target} is there already: name a file that does not exist yet")
    aside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        # Made by us before SQLite opens it, so that nobody else can ever read it.
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with _open(source, "ro") as old, _open(aside, "rw") as new:
                if not old.execute(_REVISION).fetchone():
                    raise UserMistake(f"{source} is no database of Greenroom")
                old.backup(new)
                new.execute("PRAGMA journal_mode = DELETE")  # all of it in the one file
                if new.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise UserMistake(f"{source} is damaged: nothing was copied")
            os.link(aside, target)
        finally:
            aside.unlink(missing_ok=True)
    except sqlite3.Error as problem:
        raise UserMistake(f"{source} cannot be copied to {target}: {problem}") from None
    except OSError as problem:
        raise UserMistake(f"{target} cannot be written: {problem.strerror}") from None
    return target.stat().st_size


@contextmanager
def _open(path: Path, mode: str) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=30, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()
