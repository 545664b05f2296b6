# SPDX-License-Identifier: Apache-2.0
"""Whether what a database holds is of the kinds that this program writes, and so can be read.

SQLite keeps any kind of value in any column, so that somebody who wrote to a backup can leave what
would end whoever reads it in an error.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import tables
from coalescope.errors import Problem
from coalescope.storage.object_store import SUFFIXES
from coalescope.uploads.receipt import SUPERSEDED

#: Columns of JSON that hold lists, two of them of warnings; all others hold objects.
_LISTS = frozenset({"sweeps.cells"})
_WARNINGS = frozenset({"uploads.warnings", "runs.warnings"})
#: By which files are found, and what they are.
_DIGESTS, _CONTENTS = frozenset({"uploads.sha256"}), frozenset({"uploads.content"})
_DIGITS, _NO_DIGIT = 64, "*[^0-9a-f]*"
_PARTS_OF_A_WARNING = {"$.code": "text", "$.message": "text", "$.where": "object"}
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
    if str(column) in _DIGESTS:
        return "SHA-256"
    if str(column) in _CONTENTS:
        return "kind of file"
    if str(column) in _WARNINGS:
        return "array of warnings"
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
    if isinstance(column.type, sa.JSON):
        is_json = sa.and_(stored == "text", sa.func.json_valid(value) == 1)
        found = sa.case((is_json, sa.func.json_type(value)), else_="")
        of_json = kind.partition(" ")[0]
        right = found.in_((of_json, "null") if column.nullable else (of_json,))
        if str(column) in _WARNINGS:
            right = sa.and_(right, sa.case((is_json, _are_warnings(value)), else_=sa.false()))
    elif str(column) in _DIGESTS:
        right = sa.and_(
            stored == "text", sa.func.length(value) == _DIGITS, ~value.op("GLOB")(_NO_DIGIT)
        )
    elif str(column) in _CONTENTS:
        right = sa.and_(stored == "text", value.in_(tuple(SUFFIXES)))
    elif kind == "real":
        infinite = sa.literal_column("9e999", sa.Double)
        right = sa.and_(stored.in_(("real", "integer")), sa.func.abs(value) < infinite)
    else:
        right = stored == kind
    return sa.or_(stored == "null", right) if column.nullable else right


def _are_warnings(value: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether each of a list is one, and that of a superseded log names the run."""
    each = sa.func.json_each(value).table_valued("value", "type")

    def part(path: str) -> sa.ColumnElement[str]:
        is_object = each.c.type == "object"
        found = sa.case((is_object, sa.func.json_type(each.c.value, path)), else_=None)
        return sa.func.coalesce(found, "")

    no_run = sa.and_(
        sa.func.json_extract(each.c.value, "$.code") == SUPERSEDED, part("$.where.run") != "text"
    )
    wrong = sa.or_(
        *(part(path) != kind for path, kind in _PARTS_OF_A_WARNING.items()),
        sa.case((each.c.type == "object", no_run), else_=sa.false()),
    )
    return ~sa.exists(sa.select(sa.literal(1)).select_from(each).where(wrong))
