"""Replies that are recorded nowhere, counted by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("usage_days", sa.Column("replies", sa.Integer(), server_default="0", nullable=False))
