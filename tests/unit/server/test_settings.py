"""Settings, and the URL of the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.model.errors import UserMistake
from greenroom.server.database.engine import database_url
from greenroom.server.settings import Settings, read_settings


def test_every_setting_says_what_it_is() -> None:
    assert not [name for name, field in Settings.model_fields.items() if not field.description]


def test_what_is_given_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_PORT", "9000")
    assert read_settings().port == 9000
    assert read_settings(port=9001, host=None).port == 9001


def test_a_wrong_setting_is_told_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_PORT", "many")
    with pytest.raises(UserMistake, match="GREENROOM_PORT"):
        read_settings()


def test_secrets_of_settings_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_SECRET_KEYS", "s3cret")
    monkeypatch.setenv("GREENROOM_DATABASE_URL", "postgresql://u:s3cret@h/d")
    assert "s3cret" not in repr(read_settings())


def test_the_database_is_a_file_of_the_data_folder_by_default() -> None:
    assert Settings(data=Path("/var/lib/greenroom")).url == "sqlite:////var/lib/greenroom/greenroom.db"


@pytest.mark.parametrize(
    ("written", "driver"),
    [
        ("sqlite:////tmp/x.db", "sqlite+aiosqlite"),
        ("postgres://h/d", "postgresql+psycopg"),
        ("postgresql+asyncpg://h/d", "postgresql+psycopg"),
    ],
)
def test_a_database_is_reached_by_the_driver_that_is_installed(written: str, driver: str) -> None:
    assert database_url(written).drivername == driver


@pytest.mark.parametrize("written", ["", "mysql://h/d", "sqlite://", "nonsense"])
def test_another_database_is_refused(written: str) -> None:
    with pytest.raises(UserMistake):
        database_url(written)
