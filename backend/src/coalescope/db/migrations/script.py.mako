# SPDX-License-Identifier: Apache-2.0
"""${message}."""

import sqlalchemy as sa
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Forward only: a downgrade would lose data."""
    ${upgrades if upgrades else "raise NotImplementedError"}
