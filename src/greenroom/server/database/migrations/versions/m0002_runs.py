"""Runs, the queue's workers, and credits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from greenroom.server.database.base import Moment, Money

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _make_active_runs()
    _make_workers()
    _make_batches()
    _make_credit_accounts()
    _make_credit_holds()
    _make_credit_ledger()
    _make_credit_months()
    _make_run_materials()
    _make_runs()
    _make_run_events()
    _make_run_records()


def _make_active_runs() -> None:
    op.create_table(
        "active_runs",
        sa.Column("scope", sa.String(length=48), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_active_runs")),
    )


def _make_workers() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("beats", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("started_at", Moment(), nullable=False),
        sa.Column("beat_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )


def _make_batches() -> None:
    op.create_table(
        "batches",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("cap", Money(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_batches_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batches")),
    )
    op.create_index(op.f("ix_batches_agent_id"), "batches", ["agent_id"], unique=False)
    op.create_index(op.f("ix_batches_project_id"), "batches", ["project_id"], unique=False)


def _make_credit_accounts() -> None:
    op.create_table(
        "credit_accounts",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("balance", Money(), nullable=False),
        sa.Column("held", Money(), nullable=False),
        sa.Column("monthly_budget", Money(), nullable=True),
        sa.Column("batch_cap", Money(), nullable=True),
        sa.CheckConstraint("balance >= held", name=op.f("ck_credit_accounts_is_not_overdrawn")),
        sa.CheckConstraint("held >= 0", name=op.f("ck_credit_accounts_holds_nothing_negative")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_credit_accounts_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_credit_accounts")),
    )


def _make_credit_holds() -> None:
    op.create_table(
        "credit_holds",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("estimate", Money(), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_credit_holds_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_credit_holds")),
    )
    op.create_index(op.f("ix_credit_holds_project_id"), "credit_holds", ["project_id"], unique=False)


def _make_credit_ledger() -> None:
    op.create_table(
        "credit_ledger",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=64), nullable=True),
        sa.Column("note", sa.String(length=300), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_credit_ledger_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credit_ledger")),
    )
    op.create_index("ix_credit_ledger_project_id_id", "credit_ledger", ["project_id", "id"], unique=False)
    op.create_index("uq_credit_ledger_reference", "credit_ledger", ["reference"], unique=True)


def _make_credit_months() -> None:
    op.create_table(
        "credit_months",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("spent", Money(), nullable=False),
        sa.Column("expected", Money(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_credit_months_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "month", name=op.f("pk_credit_months")),
    )


def _make_run_materials() -> None:
    op.create_table(
        "run_materials",
        sa.Column("batch_id", sa.String(length=32), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name=op.f("fk_run_materials_batch_id_batches"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("batch_id", "place", name=op.f("pk_run_materials")),
    )


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("developer_id", sa.String(length=32), nullable=False),
        sa.Column("batch_id", sa.String(length=32), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=True),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("test_id", sa.String(length=32), nullable=True),
        sa.Column("test", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("variation", sa.String(length=200), nullable=True),
        sa.Column("variant", sa.String(length=200), nullable=True),
        sa.Column("repeat_index", sa.Integer(), nullable=False),
        sa.Column("tags", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("policy", sa.String(length=40), nullable=False),
        sa.Column("tenant", sa.String(length=32), nullable=False),
        sa.Column("overrides_used", sa.Boolean(), nullable=False),
        sa.Column("force_primary_failure", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("ended_by", sa.String(length=20), nullable=True),
        sa.Column("end_detail", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("passed_checks", sa.Integer(), nullable=False),
        sa.Column("total_checks", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost", Money(), nullable=True),
        sa.Column("charged", Money(), nullable=False),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.Column("execution", sa.String(length=36), nullable=True),
        sa.Column("cancel_requested_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("started_at", Moment(), nullable=True),
        sa.Column("finished_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name=op.f("fk_runs_batch_id_batches"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_runs_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index("ix_runs_agent_id_id", "runs", ["agent_id", "id"], unique=False)
    op.create_index(op.f("ix_runs_batch_id"), "runs", ["batch_id"], unique=False)
    op.create_index("ix_runs_finished_at_id", "runs", ["finished_at", "id"], unique=False)
    op.create_index("ix_runs_project_id_id", "runs", ["project_id", "id"], unique=False)
    op.create_index("ix_runs_project_id_status_id", "runs", ["project_id", "status", "id"], unique=False)
    op.create_index("ix_runs_test_id_id", "runs", ["test_id", "id"], unique=False)


def _make_run_events() -> None:
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_events_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_run_events")),
    )


def _make_run_records() -> None:
    op.create_table(
        "run_records",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_records_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_records")),
    )
