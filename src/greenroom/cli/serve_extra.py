"""Whether the service's libraries are there, and the settings that its commands work with."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from greenroom.server.settings import Settings

_NEEDED = (
    "alembic",
    "argon2",
    "cryptography",
    "dbos",
    "fastapi",
    "prometheus_client",
    "sqlalchemy",
    "structlog",
    "uvicorn",
)


def settings_for(data: Path | None, **given: object) -> Settings:
    """The settings of the environment, with what the command line gives in their place.

    Raises:
        UserMistake: the service's libraries are not installed, or a setting is wrong.
    """
    if any(find_spec(name) is None for name in _NEEDED):
        raise UserMistake("the service needs more libraries: install them with `pip install 'greenroom[server]'`")
    from greenroom.server.settings import read_settings

    return read_settings(data=data, **given)


def print_result(result: Any, words: str, *, as_json: bool) -> None:
    """Print a result: as JSON, or in words."""
    typer.echo(json.dumps(result, indent=2, default=str) if as_json else words)
