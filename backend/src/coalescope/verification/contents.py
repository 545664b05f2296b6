# SPDX-License-Identifier: Apache-2.0
"""Whether what a database holds is of the kinds that this program writes, and so can be read.

SQLite keeps any kind of value in any column, so that somebody who wrote to a backup can leave what
would end whoever reads it in an error.
"""

from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import tables
from coalescope.errors import Problem

#: Columns of JSON that hold lists; all others hold objects.
_LISTS = frozenset({"uploads.warnings", "runs.warnings", "sweeps.cells"})
_ADVICE = "Do not use it: take another backup; files below logs/ can be imported again."


def content_faults(connection: Connection) -> Iterator[Problem]:
    """Columns of a SQLite database with values that are not of their kind."""
    if connection.dialect.name != "sqlite":
        return  # a database server holds columns to their types
    for table in tables.METADATA.sorted_tables:
        wrong = [sa.func.sum(sa.case((_is_right(one), 0), else_=1)) for one in table.columns]
        counts = connection.execute(sa.select(*wrong).select_from(table)).one()
        for column, count in zip(table.columns, counts, strict=True):
            if count:
                yield Problem(
                    "wrong_kind",
                    f"{column} holds no {_kind(column)} in {count} of its rows.",
                    {"table": table.name, "column": column.name},
                    _ADVICE,
                )


def _kind(column: sa.Column[object]) -> str:
    """What a value of it is, in SQLite's and JSON's words."""
    if isinstance(column.type, sa.JSON):
        return "array" if str(column) in _LISTS else "object"
    if isinstance(column.type, sa.Integer | sa.Boolean):
        return "integer"
    return "real" if isinstance(column.type, sa.Float) else "text"


def _is_right(column: sa.Column[object]) -> sa.ColumnElement[bool]:
    """Whether a row's value is of that kind, or none where there may be none."""
    kind, value = _kind(column), sa.type_coerce(column, sa.types.NullType())
    stored = sa.func.typeof(value)
    right: sa.ColumnElement[bool]
    if kind in ("array", "object"):
        is_json = sa.and_(stored == "text", sa.func.json_valid(value) == 1)
        found = sa.case((is_json, sa.func.json_type(value)), else_="")
        right = found.in_((kind, "null") if column.nullable else (kind,))
    elif kind == "real":
        infinite = sa.literal_column("9e999", sa.Double)
        right = sa.and_(stored.in_(("real", "integer")), sa.func.abs(value) < infinite)
    else:
        right = stored == kind
    return sa.or_(stored == "null", right) if column.nullable else right
