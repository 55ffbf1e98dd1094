"""All tables of the service, so that migrations can be compared with them."""

from __future__ import annotations

from importlib import import_module

from sqlalchemy import MetaData

from greenroom.server.database.base import Base

ROOMS = ("accounts", "agents", "audit", "credentials", "idempotency", "keys", "projects", "rates", "security", "tests")


def all_tables() -> MetaData:
    """The tables of every room."""
    for room in ROOMS:
        import_module(f"greenroom.server.{room}.store")
    return Base.metadata
