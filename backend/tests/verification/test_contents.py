# SPDX-License-Identifier: Apache-2.0
"""Values of other kinds than a column's: verify names them, and restore refuses them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pysqlite3.dbapi2
import pytest
import sqlalchemy as sa
from coalescope.backups.service import restore, restore_into
from coalescope.db import tables
from coalescope.db.engine import SQLITE_NAME
from coalescope.errors import CoalescopeError
from coalescope.store import Store, open_for_reading
from coalescope.verification.contents import content_faults
from coalescope.verification.service import verify

pytestmark = pytest.mark.folder_stack

WRONG = {
    sa.Text: ("x'1b5d30'",),
    sa.JSON: ("'{\"a\":'", "'null'", "'7'", "x'7b7d'", "'\"{}\"'"),
    sa.Integer: ("'many'", "1.5", "x'00'"),
    sa.Boolean: ("'yes'",),
    sa.Float: ("'fast'", "9e999", "-9e999", "x'00'"),
}
#: Each column of tables that have rows here, and each kind of value that it must not have.
COLUMNS = [
    (column, value)
    for table in ("experiments", "cells", "uploads", "runs", "run_measures", "summaries")
    for column in tables.METADATA.tables[table].columns
    if not column.primary_key and not column.foreign_keys
    for kind, values in WRONG.items()
    if isinstance(column.type, kind)
    for value in values
    if value != "'null'" or not column.nullable
]


def write(folder: Path, statement: str) -> None:
    connection = pysqlite3.dbapi2.connect(folder / SQLITE_NAME)
    with connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute(statement)
    connection.close()


def faults_of(folder: Path) -> list[tuple[str, object, object]]:
    opened = open_for_reading(folder)
    try:
        found = verify(opened.database, opened.object_store).faults
    finally:
        opened.close()
    return [(fault.code, fault.where.get("table"), fault.where.get("column")) for fault in found]


@pytest.mark.parametrize(("column", "value"), COLUMNS, ids=str)
def test_no_value_of_another_kind_is_restored(
    backup: Path, tmp_path: Path, column: sa.Column[object], value: str
) -> None:
    table = column.table.name
    rowid = column.table.dialect_options["sqlite"]["with_rowid"]
    first = f" WHERE rowid = (SELECT min(rowid) FROM {table})" if rowid else ""
    write(backup, f'UPDATE {table} SET "{column.name}" = {value}{first}')
    with pytest.raises(CoalescopeError) as refused:
        restore(backup, tmp_path / "back")
    assert ("wrong_kind", table, column.name) in faults_of(backup)
    assert column.name in refused.value.message
    assert not (tmp_path / "back" / SQLITE_NAME).exists()


#: Values of the right kind that whoever reads them could not use.
UNUSABLE = {
    "uploads.content": ("'x'", "''", "content || char(27)"),
    "uploads.sha256": (
        "'x'",
        "''",
        "upper(sha256)",
        "sha256 || char(27)",
        "'é' || substr(sha256, 2)",
    ),
    **dict.fromkeys(
        ("uploads.warnings", "runs.warnings"),
        (
            *("'[7]'", "'[\"x\"]'", "'[[]]'", "'[null]'", "'[{}]'", '\'[{"code": "x"}]\''),
            """'[{"code": 7, "message": "x", "where": {}}]'""",
            """'[{"code": "x", "message": "x", "where": []}]'""",
            """'[{"code": "superseded", "message": "x", "where": {}}]'""",
        ),
    ),
}


@pytest.mark.parametrize(
    ("column", "value"), [(column, value) for column in UNUSABLE for value in UNUSABLE[column]]
)
def test_nor_one_that_nobody_could_use(
    backup: Path, tmp_path: Path, column: str, value: str
) -> None:
    table, _, name = column.partition(".")
    write(backup, f"UPDATE {table} SET {name} = {value}")
    with pytest.raises(CoalescopeError):
        restore(backup, tmp_path / "back")
    assert ("wrong_kind", table, name) in faults_of(backup)


def test_warnings_as_they_are_written_are_right(backup: Path, tmp_path: Path) -> None:
    one = """{"code": "x", "message": "x", "where": {"row": 1}}"""
    gone = """{"code": "superseded", "message": "x", "where": {"run": "1"}}"""
    for table in ("uploads", "runs"):
        write(backup, f"UPDATE {table} SET warnings = '[{one},{gone}]'")
    assert faults_of(backup) == []


def test_nor_copied_into_a_store(
    backup: Path, make_client: Callable[..., Any], tmp_path: Path
) -> None:
    write(backup, "UPDATE experiments SET source = 'null'")
    other = make_client(data_dir=tmp_path / "other").app.state
    with pytest.raises(
        CoalescopeError, match=r"experiments\.source holds no object in 1 of its rows"
    ):
        restore_into(backup, Store(other.database, other.object_store))


def test_all_tables_are_looked_at(client: Any) -> None:
    """One that is empty has no fault, and each column has a kind."""
    with client.app.state.database.read() as connection:
        assert list(content_faults(connection)) == []
    kinds = {type(column.type) for table in tables.METADATA.sorted_tables for column in table.c}
    assert all(any(issubclass(kind, known) for known in WRONG) for kind in kinds)
