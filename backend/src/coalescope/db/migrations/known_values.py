# SPDX-License-Identifier: Apache-2.0
"""Let a column have more values than its constraint allowed. No row changes."""

import sqlalchemy as sa
from alembic import op


def allow(table: str, column: str, known: str, added: str) -> None:
    """Of the constraint ck_TABLE_COLUMN_known; `known` and `added` as SQL lists them."""
    before, after = f"{column} IN ({known})", f"{column} IN ({known}, {added})"
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        name = op.f(f"ck_{table}_{column}_known")
        op.drop_constraint(name, table)
        op.create_check_constraint(name, table, after)
    else:
        _change_text(connection, table, before, after)


def _change_text(connection: sa.Connection, table: str, before: str, after: str) -> None:
    """Change the constraint's text alone: copying the table would take minutes in a large store.

    What SQLite recommends for a change that leaves the rows as they are:
    https://www.sqlite.org/lang_altertable.html#otheralter
    """
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    changed = connection.exec_driver_sql(
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) "
        "WHERE type = 'table' AND name = ? AND instr(sql, ?)",
        (before, after, table, before),
    )
    assert changed.rowcount == 1
    connection.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = OFF")
