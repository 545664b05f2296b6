# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL keeps and sorts texts as SQLite does: of any length, by code point.

Its unique indexes take no text above 2.7 kB, so of long texts the digest is unique.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_SORTED = {
    "experiments": ["slug", "title"],
    "summaries": ["measure"],
    "run_measures": ["measure"],
}


def upgrade() -> None:
    """Exchange two constraints and four collations; nothing changes in SQLite."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.drop_constraint("uq_cells_experiment_id_factor_key", "cells")
    digest = sa.func.md5(sa.column("factor_key"))
    op.create_index("uq_cells_factor_key", "cells", ["experiment_id", digest], unique=True)
    op.create_index("ix_cells_factor_key", "cells", ["factor_key"], postgresql_using="hash")
    op.drop_constraint("uq_links_path", "links")
    op.create_index("uq_links_path", "links", [sa.func.md5(sa.column("path"))], unique=True)
    op.create_index("ix_links_path", "links", ["path"], postgresql_using="hash")
    for table, columns in _SORTED.items():
        for column in columns:
            op.alter_column(table, column, type_=sa.Text(collation="C"))
