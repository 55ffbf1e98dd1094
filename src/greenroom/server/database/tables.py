"""All tables of the service, so that migrations can be compared with them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from sqlalchemy import MetaData

from greenroom.server.database.base import Base


def all_tables() -> MetaData:
    """The tables of every room: what its `store.py` declares."""
    for store in sorted(Path(__file__).parent.parent.rglob("store.py")):
        parts = store.relative_to(Path(__file__).parent.parent).with_suffix("").parts
        import_module(".".join(("greenroom.server", *parts)))
    return Base.metadata
