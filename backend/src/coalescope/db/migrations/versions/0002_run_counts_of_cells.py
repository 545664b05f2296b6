# SPDX-License-Identifier: Apache-2.0
"""Keep each cell's number of current runs beside its summaries: reading cells reads no runs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_COUNT = "SELECT count(*) FROM runs WHERE runs.cell_id = cells.id AND runs.status = 'current'"


def upgrade() -> None:
    """Add the counts and fill them from the runs there are."""
    for name in ("current_runs", "partial_runs"):
        op.add_column("cells", sa.Column(name, sa.Integer(), server_default="0", nullable=False))
    op.execute(f"UPDATE cells SET current_runs = ({_COUNT})")  # noqa: S608  constants only
    op.execute(f"UPDATE cells SET partial_runs = ({_COUNT} AND runs.partial)")  # noqa: S608
