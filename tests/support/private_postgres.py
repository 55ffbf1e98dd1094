"""A PostgreSQL server of the tests' own, from the distribution's package, on a free port of loopback.

Where its programs are not found, `make test` leaves the tests that need it out, so that it passes on a machine with
Python, make and git alone. Where `GREENROOM_REQUIRE_POSTGRES` is set, as `.ci/run` sets it, they fail instead and say
what to install.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg

_VERSIONS = Path("/usr/lib/postgresql")
_USER = "postgres"


WHAT_TO_DO = (
    "No PostgreSQL server was found, and GREENROOM_REQUIRE_POSTGRES says that there must be one: install it "
    "(on Debian `apt-get install postgresql`), or name the folder of its programs in GREENROOM_POSTGRES."
)


def find_binaries() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: what `GREENROOM_POSTGRES` names, else the newest that this machine has."""
    named = os.environ.get("GREENROOM_POSTGRES")
    if named:
        return Path(named) if (Path(named) / "initdb").exists() else None
    found = sorted(_VERSIONS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    # What is on the path is often a link: `pg_ctl` is beside the program itself.
    return Path(on_path).resolve().parent if on_path else None


def is_required() -> bool:
    """Whether tests on PostgreSQL must not be left out."""
    return os.environ.get("GREENROOM_REQUIRE_POSTGRES", "") not in ("", "0")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def private_postgres() -> Generator[str]:
    """Start the server; gives the URL of a database in it."""
    binaries, port = find_binaries(), _free_port()
    if binaries is None:
        raise FileNotFoundError(WHAT_TO_DO)
    folder = Path(tempfile.mkdtemp(prefix="greenroom-postgres-"))
    data = folder / "data"
    user = pwd.getpwnam(_USER) if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    if user is not None:
        shutil.chown(folder, user.pw_uid)

    def run(*command: str) -> None:
        if user is None:
            subprocess.run(command, check=True, capture_output=True, cwd="/")
            return
        subprocess.run(
            command, check=True, capture_output=True, cwd="/", user=user.pw_uid, group=user.pw_gid, extra_groups=()
        )

    try:
        run(str(binaries / "initdb"), "-D", str(data), "-U", _USER, "-A", "trust", "-N", "-E", "UTF8")
        where = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        options = f"{where} -c fsync=off -c max_connections=200"
        run(str(binaries / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}/postgres"
        finally:
            run(str(binaries / "pg_ctl"), "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_database(server: str, name: str) -> str:
    """Make an empty database in the server; gives its URL."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return server.rpartition("/")[0] + f"/{name}"
