"""How Alembic runs a migration: on the connection that it is given, inside the transaction that is open there."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

connection: Connection = context.config.attributes["connection"]
context.configure(connection=connection, render_as_batch=connection.dialect.name == "sqlite")
context.run_migrations()
