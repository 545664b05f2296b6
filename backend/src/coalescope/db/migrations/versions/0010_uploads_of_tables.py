# SPDX-License-Identifier: Apache-2.0
"""A table may go to several places, and keeps what its columns were said to mean.

What was unique, the SHA-256 of the bytes, becomes the identity of an upload; the bytes of several
uploads may be the same.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Give the unique column its new name, and add what is not unique beside it."""
    op.alter_column("uploads", "sha256", new_column_name="identity")
    op.add_column("uploads", sa.Column("sha256", sa.Text(), server_default="", nullable=False))
    op.execute("UPDATE uploads SET sha256 = identity")
    op.create_index("ix_uploads_sha256", "uploads", ["sha256"])
    op.add_column("uploads", sa.Column("mapping", sa.JSON(none_as_null=True), nullable=True))
