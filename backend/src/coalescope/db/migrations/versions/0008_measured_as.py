# SPDX-License-Identifier: Apache-2.0
"""Files know by which definitions their runs were measured; a measure that promised too much goes.

receiver_cpu_* counted every task in the interface's network namespace. Run logs are measured again
when the store is opened; what tables said under these names stays in their files alone.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the number, 0 for all that is there, and remove values under names that are gone."""
    op.add_column(
        "uploads", sa.Column("measured_as", sa.Integer(), server_default="0", nullable=False)
    )
    op.execute(
        "UPDATE experiments SET data_version = data_version + 1 WHERE id IN ("
        "SELECT experiment_id FROM runs JOIN run_measures ON runs.id = run_measures.run_id"
        " WHERE measure LIKE 'receiver!_cpu!_%' ESCAPE '!')"
    )
    op.execute("DELETE FROM run_measures WHERE measure LIKE 'receiver!_cpu!_%' ESCAPE '!'")
    op.execute("DELETE FROM summaries WHERE measure LIKE 'receiver!_cpu!_%' ESCAPE '!'")
