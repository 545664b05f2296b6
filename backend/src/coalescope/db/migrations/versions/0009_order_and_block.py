# SPDX-License-Identifier: Apache-2.0
"""Runs know their order and block.

Run logs are measured again when the store is opened, which fills in the order that they hold.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the columns; of what is there, nothing is known yet."""
    op.add_column("runs", sa.Column("order", sa.BigInteger(), nullable=True))
    op.add_column("runs", sa.Column("block", sa.Text(), nullable=True))
