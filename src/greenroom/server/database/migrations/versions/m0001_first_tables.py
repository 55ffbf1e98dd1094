"""The first tables: accounts, projects, keys, agents, tests, credentials, and the record of changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from greenroom.server.database.base import Moment

revision = "0001"
down_revision = None


def upgrade() -> None:
    _make_audit()
    _make_developers()
    _make_idempotency()
    _make_installation()
    _make_rates()
    _make_links()
    _make_projects()
    _make_sessions()
    _make_agents()
    _make_credentials()
    _make_keys()
    _make_members()
    _make_agent_versions()
    _make_tests()
    _make_test_tags()


def _make_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=True),
        sa.Column("actor_kind", sa.String(length=20), nullable=False),
        sa.Column("actor_id", sa.String(length=32), nullable=False),
        sa.Column("actor_name", sa.String(length=254), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("subject_id", sa.String(length=32), nullable=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("request_id", sa.String(length=128), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_created_at"), "audit", ["created_at"], unique=False)
    op.create_index(op.f("ix_audit_project_id"), "audit", ["project_id"], unique=False)
    op.create_index("ix_audit_project_id_subject_id", "audit", ["project_id", "subject_id"], unique=False)


def _make_developers() -> None:
    op.create_table(
        "developers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=True),
        sa.Column("suspended_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_developers")),
        sa.UniqueConstraint("email", name=op.f("uq_developers_email")),
    )


def _make_idempotency() -> None:
    op.create_table(
        "idempotency",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("claim", sa.String(length=32), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", sa.JSON(), nullable=True),
        sa.Column("sealed_body", sa.Text(), nullable=True),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "key", name=op.f("pk_idempotency")),
    )
    op.create_index(op.f("ix_idempotency_expires_at"), "idempotency", ["expires_at"], unique=False)


def _make_installation() -> None:
    op.create_table(
        "installation",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sealed_check", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installation")),
    )


def _make_rates() -> None:
    op.create_table(
        "rates",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", "minute", name=op.f("pk_rates")),
    )


def _make_links() -> None:
    op.create_table(
        "links",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("developer_id", sa.String(length=32), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("used_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["developer_id"], ["developers.id"], name=op.f("fk_links_developer_id_developers"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_links")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_links_token_digest")),
    )
    op.create_index(op.f("ix_links_developer_id"), "links", ["developer_id"], unique=False)


def _make_projects() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("owner_id", sa.String(length=32), nullable=True),
        sa.Column("requests_per_minute", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["developers.id"], name=op.f("fk_projects_owner_id_developers"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
    )
    op.create_index(op.f("ix_projects_name"), "projects", ["name"], unique=False)
    op.create_index(op.f("ix_projects_owner_id"), "projects", ["owner_id"], unique=False)


def _make_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("developer_id", sa.String(length=32), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("last_used_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["developer_id"], ["developers.id"], name=op.f("fk_sessions_developer_id_developers"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_sessions_token_digest")),
    )
    op.create_index(op.f("ix_sessions_developer_id"), "sessions", ["developer_id"], unique=False)
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"], unique=False)


def _make_agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("draft", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("published_revision", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_agents_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
    )
    op.create_index(op.f("ix_agents_name"), "agents", ["name"], unique=False)
    op.create_index("ix_agents_project_id_id", "agents", ["project_id", "id"], unique=False)


def _make_credentials() -> None:
    op.create_table(
        "credentials",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("sealed_key", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_credentials_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credentials")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_credentials_project_id_name")),
    )
    op.create_index(op.f("ix_credentials_project_id"), "credentials", ["project_id"], unique=False)


def _make_keys() -> None:
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("developer_id", sa.String(length=32), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("prefix", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.Column("last_used_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["developer_id"], ["developers.id"], name=op.f("fk_keys_developer_id_developers"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_keys_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_keys_digest")),
    )
    op.create_index(op.f("ix_keys_project_id"), "keys", ["project_id"], unique=False)


def _make_members() -> None:
    op.create_table(
        "members",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("developer_id", sa.String(length=32), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["developer_id"], ["developers.id"], name=op.f("fk_members_developer_id_developers"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_members_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "developer_id", name=op.f("pk_members")),
    )
    op.create_index(op.f("ix_members_developer_id"), "members", ["developer_id"], unique=False)


def _make_agent_versions() -> None:
    op.create_table(
        "agent_versions",
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("author", sa.String(length=254), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_agent_versions_agent_id_agents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("agent_id", "number", name=op.f("pk_agent_versions")),
    )


def _make_tests() -> None:
    op.create_table(
        "tests",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("agent_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("policy", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_tests_agent_id_agents"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_tests_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tests")),
    )
    op.create_index("ix_tests_agent_id_id", "tests", ["agent_id", "id"], unique=False)
    op.create_index(op.f("ix_tests_project_id"), "tests", ["project_id"], unique=False)


def _make_test_tags() -> None:
    op.create_table(
        "test_tags",
        sa.Column("test_id", sa.String(length=32), nullable=False),
        sa.Column("tag", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(["test_id"], ["tests.id"], name=op.f("fk_test_tags_test_id_tests"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("test_id", "tag", name=op.f("pk_test_tags")),
    )
    op.create_index("ix_test_tags_tag_test_id", "test_tags", ["tag", "test_id"], unique=False)
