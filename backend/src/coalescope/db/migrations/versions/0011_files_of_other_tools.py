# SPDX-License-Identifier: Apache-2.0
"""Uploads and runs may be of files of other tools."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_KNOWN = {"uploads": "'run_log', 'csv'", "runs": "'run_log', 'csv', 'dataset'"}


def upgrade() -> None:
    """Allow one more content. No row changes."""
    if op.get_bind().dialect.name == "postgresql":
        for table, known in _KNOWN.items():
            name = f"ck_{table}_content_known"
            op.drop_constraint(op.f(name), table)
            op.create_check_constraint(op.f(name), table, f"content IN ({known}, 'foreign')")
    else:
        _change_checks(op.get_bind())


def _change_checks(connection: sa.Connection) -> None:
    """Change the constraints' text alone: copying the tables would take minutes in a large store.

    What SQLite recommends for a change that leaves the rows as they are:
    https://www.sqlite.org/lang_altertable.html#otheralter
    """
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    for table, known in _KNOWN.items():
        changed = connection.exec_driver_sql(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = ?",
            (f"content IN ({known})", f"content IN ({known}, 'foreign')", table),
        )
        assert changed.rowcount == 1
    connection.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = OFF")
