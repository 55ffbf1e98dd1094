"""Runs whose test or agent was deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("runs", sa.Column("dropped", sa.Boolean(), nullable=False, server_default=sa.false()))
    which = sa.text("dropped")
    op.create_index("ix_runs_dropped", "runs", ["id"], sqlite_where=which, postgresql_where=which)
