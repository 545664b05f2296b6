# SPDX-License-Identifier: Apache-2.0
"""All rows of one database in another one of the same schema: SQLite or PostgreSQL, either way."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.tables import METADATA, experiments, links, tokens, uploads
from coalescope.errors import CoalescopeError

_ROWS_AT_ONCE = 1000
# What a store holds that nobody put there is nothing to lose: data sets come as experiments, too.
_SIGNS_OF_USE = (experiments, uploads, links, tokens)


def check_empty(target: Connection) -> None:
    """Errors: CoalescopeError 409 where somebody has stored something."""
    for table in _SIGNS_OF_USE:
        if target.execute(sa.select(table).limit(1)).first() is not None:
            raise CoalescopeError(
                "store_exists",
                f"The database has rows already, in {table.name}; nothing was changed.",
                advice="Restore into an empty database; the first start of a server fills it.",
                status=409,
            )


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy every table with its row ids. The target has the schema, and no rows."""
    for table in METADATA.sorted_tables:
        insert = sa.insert(table)
        for rows in _rows_of(source, table):
            target.execute(insert, rows)
    if target.dialect.name == "postgresql":
        _count_on(target)


def _rows_of(source: Connection, table: sa.Table) -> Iterator[list[dict[str, Any]]]:
    found = source.execution_options(yield_per=_ROWS_AT_ONCE).execute(sa.select(table))
    for rows in found.mappings().partitions():
        yield [dict(row) for row in rows]


def _count_on(target: Connection) -> None:
    """Let row ids go on after the highest; SQLite does so by itself."""
    for table in METADATA.sorted_tables:
        if "id" in table.c:
            highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
            sequence = sa.func.pg_get_serial_sequence(table.name, "id")
            # a highest of NULL leaves the sequence as it is
            target.execute(sa.select(sa.func.setval(sequence, highest)))
