"""Labels of judged checks, and what projects used by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from greenroom.server.database.base import Moment, Money

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _make_labels()
    _make_usage_days()


def _make_labels() -> None:
    op.create_table(
        "labels",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("check", sa.Integer(), nullable=False),
        sa.Column("test", sa.String(length=200), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("judge", sa.Boolean(), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("author", sa.String(length=200), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_labels_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_labels")),
        sa.UniqueConstraint("run_id", "check", name=op.f("uq_labels_run_id_check")),
    )
    op.create_index("ix_labels_project_id_agent_id", "labels", ["project_id", "agent_id"], unique=False)


def _make_usage_days() -> None:
    op.create_table(
        "usage_days",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("errors", sa.Integer(), nullable=False),
        sa.Column("cancelled", sa.Integer(), nullable=False),
        sa.Column("drafts", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost", Money(), nullable=False),
        sa.Column("unknown_costs", sa.Integer(), nullable=False),
        sa.Column("charged", Money(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_usage_days_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "day", name=op.f("pk_usage_days")),
    )
