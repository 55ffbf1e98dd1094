"""Telling a database that is away from one that was asked something wrong."""

from __future__ import annotations

from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout


def is_away(problem: Exception) -> bool:
    """Whether an error of the database's means that it does not answer at the moment."""
    return isinstance(problem, PoolTimeout | OperationalError) or bool(
        getattr(problem, "connection_invalidated", False)
    )
