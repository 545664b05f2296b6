# SPDX-License-Identifier: Apache-2.0
"""Experiments can be deleted, and restored."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add when an experiment was deleted; of those that are there, none was."""
    op.add_column("experiments", sa.Column("deleted_at", sa.Text(), nullable=True))
