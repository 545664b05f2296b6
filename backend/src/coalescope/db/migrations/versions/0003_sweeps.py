# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are on their way."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "sweeps",
        sa.Column("id", _ID, nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("replicates", sa.Integer(), nullable=False),
        sa.Column("cells", sa.JSON(), nullable=False),
        sa.Column("runs_planned", sa.Integer(), nullable=False),
        sa.Column("runs_done", sa.Integer(), nullable=False),
        sa.Column("runs_failed", sa.Integer(), nullable=False),
        sa.Column("left_s", sa.Double(), nullable=True),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state IN ('running', 'ended', 'stopped')", name=op.f("ck_sweeps_state_known")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweeps")),
        sa.UniqueConstraint("uid", name=op.f("uq_sweeps_uid")),
    )
    op.create_index(op.f("ix_sweeps_slug"), "sweeps", ["slug"], unique=False)
