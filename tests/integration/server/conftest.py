"""The databases that the service is tested on."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from tests.support.private_postgres import WHAT_TO_DO, find_binaries, make_database, private_postgres

from greenroom.server.settings import Settings


@pytest.fixture(scope="session")
def postgres() -> Generator[str]:
    """A PostgreSQL server of the tests' own."""
    if find_binaries() is None:
        pytest.fail(WHAT_TO_DO, pytrace=False)
    with private_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings for an empty database of each kind."""
    return settings_of(request, str(request.param), tmp_path)


def settings_of(request: pytest.FixtureRequest, kind: str, folder: Path) -> Settings:
    if kind == "sqlite":
        url = f"sqlite:///{folder / 'greenroom.db'}"
    else:
        url = make_database(request.getfixturevalue("postgres"), f"test_{uuid.uuid4().hex}")
    return Settings.model_validate(
        {
            "data": folder,
            "database_url": url,
            "secret_keys": Fernet.generate_key().decode(),
            "allow_private_networks": True,
            "worker_lease_seconds": 2,
        }
    )
