"""Which brain a run plays."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("runs", sa.Column("provider", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("model", sa.Text(), nullable=True))
