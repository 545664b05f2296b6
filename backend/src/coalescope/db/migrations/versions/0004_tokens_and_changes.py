# SPDX-License-Identifier: Apache-2.0
"""Tokens of callers, and the record of changes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the two tables."""
    op.create_table(
        "tokens",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("last_used_at", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.Text(), nullable=True),
        sa.Column("revoked_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "scope IN ('read', 'upload', 'admin')", name=op.f("ck_tokens_scope_known")
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_tokens")),
        sa.UniqueConstraint("name", name=op.f("uq_tokens_name")),
    )
    op.create_table(
        "changes",
        sa.Column("id", _ID, nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
    )
