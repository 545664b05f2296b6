# SPDX-License-Identifier: Apache-2.0
"""Whether a database holds this program's tables and nothing else that would run or be believed.

Triggers and views are programs: somebody who wrote to a backup can leave them there, and they run
when the store is used. What counts as this program's is what its own migrations make.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pysqlite3.dbapi2
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.migrations import upgrade
from coalescope.errors import Problem

_MADE = sa.text(
    "SELECT type, name, tbl_name, sql FROM sqlite_master"
    " WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' AND sql IS NOT NULL"
)
_ADVICE = (
    "Do not use it: triggers and views run when a store is used. Take another backup; files below "
    "logs/ can be imported again."
)


class Made(NamedTuple):
    """A table, an index, a view or a trigger, and the statement that makes it."""

    kind: str
    name: str
    table: str
    sql: str


def schema_faults(connection: Connection) -> Iterator[Problem]:
    """What a SQLite database of this schema has beside or instead of this program's own."""
    if connection.dialect.name != "sqlite":
        return
    own, found = _own(), _made(connection)
    for kind, name, table, _ in sorted(found - own):
        message = f"The {kind} {name!r} (of {table!r}) is not as this program makes it."
        yield Problem("foreign_schema", message, {"table": table}, _ADVICE)
    for kind, name, table, _ in sorted(own - found):
        if (kind, name) not in {one[:2] for one in found}:
            message = f"The {kind} {name!r} (of {table!r}) is not there."
            yield Problem("foreign_schema", message, {"table": table}, _ADVICE)


@cache
def _own() -> frozenset[Made]:
    """What the migrations make of an empty database."""
    engine = sa.create_engine("sqlite+pysqlite://", module=pysqlite3.dbapi2)
    try:
        with engine.begin() as connection:
            upgrade(connection)
            return _made(connection)
    finally:
        engine.dispose()


def _made(connection: Connection) -> frozenset[Made]:
    return frozenset(Made(*row) for row in connection.execute(_MADE))
