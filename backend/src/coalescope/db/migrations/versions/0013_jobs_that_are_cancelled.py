# SPDX-License-Identifier: Apache-2.0
"""Jobs say how far they are, and may be cancelled."""

import sqlalchemy as sa
from alembic import op
from coalescope.db.migrations.known_values import allow

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the columns, of which nothing is known yet, and one more state."""
    op.add_column("jobs", sa.Column("parts_done", sa.Integer(), nullable=True))
    op.add_column("jobs", sa.Column("parts", sa.Integer(), nullable=True))
    allow("jobs", "state", "'queued', 'running', 'done', 'failed'", "'cancelled'")
