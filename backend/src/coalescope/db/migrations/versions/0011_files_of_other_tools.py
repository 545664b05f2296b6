# SPDX-License-Identifier: Apache-2.0
"""Uploads and runs may be of files of other tools."""

from coalescope.db.migrations.known_values import allow

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Allow one more content. No row changes."""
    allow("uploads", "content", "'run_log', 'csv'", "'foreign'")
    allow("runs", "content", "'run_log', 'csv', 'dataset'", "'foreign'")
