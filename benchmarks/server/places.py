"""Where a measurement keeps its data: a SQLite file, or a database of a private PostgreSQL."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cryptography.fernet import Fernet
from tests.support.private_postgres import find_binaries, make_database, private_postgres

from greenroom.server.settings import PREFIX, Settings, read_settings

MANY = 1_000_000
MODEL = "openai-compatible:agent"


class Places:
    """Makes empty databases. `kinds` are those that this machine can make."""

    def __init__(self, postgres: str | None) -> None:
        self._postgres = postgres
        self.kinds = ("SQLite", "PostgreSQL") if postgres else ("SQLite",)

    @contextmanager
    def settings(self, kind: str) -> Generator[Settings]:
        """Settings of a service with an empty database, and without limits that a measurement would meet."""
        with tempfile.TemporaryDirectory(prefix="greenroom-bench-") as folder:
            url = f"sqlite:///{folder}/greenroom.db"
            if kind == "PostgreSQL":
                assert self._postgres is not None
                url = make_database(self._postgres, f"bench_{uuid.uuid4().hex}")
            yield read_settings(
                data=Path(folder),
                database_url=url,
                secret_keys=Fernet.generate_key().decode(),
                allow_private_networks=True,
                requests_per_minute=0,
                worker_runs=MANY,
                project_runs=500,
                runs_per_request=MANY,
                project_active_runs=MANY,
                developer_active_runs=MANY,
                worker_lease_seconds=2,
                platform_credentials=json.dumps({"house": {"api_key": "sk-house"}}),
                platform_prices=json.dumps({MODEL: {"input": 1_000_000, "output": 2_000_000}}),
            )


@contextmanager
def open_places() -> Generator[Places]:
    """Start a private PostgreSQL, where this machine has one, until the end of the block."""
    with contextlib.ExitStack() as stack:
        yield Places(stack.enter_context(private_postgres()) if find_binaries() else None)


def environment(settings: Settings) -> Mapping[str, str]:
    """The environment of a process with these settings."""
    written = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        text = value.get_secret_value() if hasattr(value, "get_secret_value") else str(value)
        written[f"{PREFIX}{name.upper()}"] = text
    return written
