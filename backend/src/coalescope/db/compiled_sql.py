# SPDX-License-Identifier: Apache-2.0
"""Statements that go to SQLite as text: many in a transaction, each of microseconds.

SQLAlchemy inspects the statement, each value and each row whenever it runs one, which costs more
than most of these statements do. They are still SQLAlchemy's, made into text once; errors are
SQLAlchemy's too, and on a database server it runs them itself.

Columns that are read hold numbers and texts, which are returned as they are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

# of a statement: more make a text that SQLite is slow to read, and there is a most of 32,766
_VALUES_AT_ONCE = 5000
_CHUNK = 500

T = TypeVar("T")


def any_of(name: str) -> sa.BindParameter[Any]:
    """Values that are given, as a list, when the statement is run."""
    return sa.bindparam(name, expanding=True)


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """Lists that are short enough to be the values of one statement."""
    iterator = iter(items)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


def run(connection: Connection, statement: sa.Executable, **values: Any) -> Sequence[Any]:
    """What a statement finds, as tuples. Each list among the values is one that is expanded."""
    if connection.dialect.name != "sqlite":
        found = connection.execute(statement, values)
        return found.all() if found.returns_rows else []
    lengths = tuple((n, len(value)) for n, value in values.items() if isinstance(value, list))
    plan = _statement_of(statement, tuple(values), lengths, connection.dialect)
    given = {**plan.constants, **values}
    for name, expanded in plan.expanded.items():
        given.update(zip(expanded, values[name], strict=True))
    return _run(connection, plan.text, [given[name] for name in plan.order])


def insert(
    connection: Connection,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    *returning: sa.Column[Any],
) -> list[Any]:
    """Insert rows, all of the same columns; returns these columns of each, in no order."""
    if not rows:
        return []
    if connection.dialect.name != "sqlite":
        statement = sa.insert(table)
        if not returning:
            connection.execute(statement, list(rows))
            return []
        return list(connection.execute(statement.returning(*returning), list(rows)))
    names = tuple(rows[0])
    plan = _insert_of(table, names, returning, connection.dialect)
    found: list[Any] = []
    # many rows in a statement: for each statement the driver lets another thread go first
    at_once = max(_VALUES_AT_ONCE // len(names), 1)
    for start in range(0, len(rows), at_once):
        chunk = rows[start : start + at_once]
        text = f"{plan.begin}{', '.join([plan.row] * len(chunk))}{plan.end}"
        values = [row[name] for row in chunk for name in plan.order]
        for place, write in plan.written:
            values[place :: len(plan.order)] = map(write, values[place :: len(plan.order)])
        found += _run(connection, text, values)
    return found


class _Insert(NamedTuple):
    """A statement in parts, the order of a row's values, and where and how JSON is written."""

    begin: str
    row: str
    end: str
    order: Sequence[str]
    written: Sequence[tuple[int, Callable[[Any], Any]]]


@lru_cache(maxsize=64)
def _insert_of(
    table: sa.Table,
    names: tuple[str, ...],
    returning: tuple[sa.Column[Any], ...],
    dialect: sa.Dialect,
) -> _Insert:
    statement = sa.insert(table).returning(*returning) if returning else sa.insert(table).inline()
    compiled = statement.compile(dialect=dialect, column_keys=names)
    begin, values, rest = str(compiled).partition(" VALUES ")
    row, found, end = rest.partition(" RETURNING ")
    order = compiled.positiontup or ()
    write: list[tuple[int, Any]] = [
        (place, table.c[name].type.dialect_impl(dialect).bind_processor(dialect))
        for place, name in enumerate(order)
        if isinstance(table.c[name].type, sa.JSON)
    ]
    return _Insert(begin + values, row, found + end, order, write)


class _Statement(NamedTuple):
    """A text, the order of its values, its own values, and the names of the parts of lists."""

    text: str
    order: Sequence[str]
    constants: Mapping[str, Any]
    expanded: Mapping[str, Sequence[str]]


@lru_cache(maxsize=512)
def _statement_of(
    statement: Any,
    names: tuple[str, ...],
    lengths: tuple[tuple[str, int], ...],
    dialect: sa.Dialect,
) -> _Statement:
    """The statement where lists have these lengths."""
    lists = {name: list(range(length)) for name, length in lengths}
    compiled = statement.compile(dialect=dialect)
    found = compiled.construct_expanded_state({**dict.fromkeys(names), **lists})
    return _Statement(
        found.statement, found.positiontup, found.parameters, found.parameter_expansion
    )


def _run(connection: Connection, text: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    driver: Any = connection.dialect.dbapi
    try:
        found: list[tuple[Any, ...]] = (
            connection.connection.cursor().execute(text, values).fetchall()
        )
        return found
    except driver.Error as error:
        raise sa.exc.DBAPIError.instance(
            text, None, error, driver.Error, dialect=connection.dialect
        ) from error
