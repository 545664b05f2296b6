# SPDX-License-Identifier: Apache-2.0
"""Runs are listed by what they are: a flag for warnings, and an index that has all it takes."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_LISTED = (
    "cell_id",
    "status",
    "partial",
    "warned",
    "replicate",
    "recorded_at",
    "created_at",
)


def upgrade() -> None:
    """Add the flag, set it where there are warnings, and make the index."""
    op.add_column(
        "runs", sa.Column("warned", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.execute("UPDATE runs SET warned = true WHERE CAST(warnings AS TEXT) <> '[]'")
    op.create_index("ix_runs_listing", "runs", _LISTED)
    # the first column of the new one
    op.drop_index("ix_runs_cell_id", "runs")
