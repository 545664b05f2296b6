# SPDX-License-Identifier: Apache-2.0
"""Migrations make the schema that the code expects, and a newer schema is refused."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from coalescope.db import migrations
from coalescope.db.engine import Database, open_database
from coalescope.db.tables import METADATA
from coalescope.errors import CoalescopeError

# kind IN ('a', …), or as PostgreSQL has it: kind = ANY (ARRAY['a'::text, …])
ONE_OF = re.compile(r"(\w+)[^']*'(\w+)'")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(None, tmp_path)
    yield opened
    opened.close()


def differences(database: Database, metadata: sa.MetaData) -> list[object]:
    with database.read() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_migrations_make_the_tables_of_the_code(database: Database) -> None:
    migrations.migrate(database)
    assert differences(database, METADATA) == []


def test_a_forgotten_migration_would_be_seen(database: Database) -> None:
    """Negative control of the comparison."""
    migrations.migrate(database)
    changed = sa.MetaData(naming_convention=METADATA.naming_convention)
    for table in METADATA.tables.values():
        table.to_metadata(changed)
    changed.tables["runs"].append_column(sa.Column("forgotten", sa.Text))
    assert differences(database, changed) != []


def test_uploads_of_an_older_schema_keep_their_bytes_and_their_identity(database: Database) -> None:
    with database.write() as connection:
        migrations.upgrade(connection, "0009")
        for statement in (
            "INSERT INTO experiments (id, slug, title, kind, source, created_at, updated_at)"
            " VALUES (1, 'lab', 'Lab', 'measured', '{}', 'then', 'then')",
            "INSERT INTO uploads (sha256, bytes, filename, content, experiment_id, run_count,"
            " warnings, created_at) VALUES ('ab', 1, 'a.csv', 'csv', 1, 1, '[]', 'then')",
        ):
            connection.execute(sa.text(statement))
        migrations.upgrade(connection)
        rows = connection.execute(sa.text("SELECT identity, sha256, mapping FROM uploads")).all()
        assert rows == [("ab", "ab", None)]


def test_a_store_of_the_first_schema_comes_along(database: Database) -> None:
    with database.write() as connection:
        migrations.upgrade(connection, "0001")
        for statement in (
            "INSERT INTO experiments (id, slug, title, kind, source, created_at, updated_at)"
            " VALUES (1, 'lab', 'Lab', 'measured', '{}', 'then', 'then')",
            "INSERT INTO cells (id, experiment_id, factor_key, factors)"
            " VALUES (1, 1, 'a', '{}'), (2, 1, 'b', '{}')",
            "INSERT INTO runs (uid, experiment_id, cell_id, status, content, partial, warnings,"
            " created_at) VALUES ('1', 1, 1, 'current', 'csv', 0, '[]', 'then'),"
            " ('2', 1, 1, 'current', 'run_log', 1, '[]', 'then'),"
            " ('3', 1, 1, 'retracted', 'run_log', 1, '[{}]', 'then')",
        ):
            connection.exec_driver_sql(statement)
    migrations.migrate(database)
    assert differences(database, METADATA) == []
    with database.read() as connection:
        found = connection.execute(
            sa.text("SELECT current_runs, partial_runs FROM cells ORDER BY id")
        ).all()
        warned = connection.scalars(sa.text("SELECT warned FROM runs ORDER BY uid")).all()
    assert [tuple(row) for row in found] == [(2, 1), (0, 0)]
    assert warned == [0, 0, 1]


def revisions() -> list[str]:
    """All steps, the first one first."""
    folder = Path(migrations.__file__).parent
    steps = ScriptDirectory(str(folder)).walk_revisions()
    return [step.revision for step in steps][::-1]


def allowed(table: sa.Table) -> dict[str, str]:
    """One of the texts that a column may hold, where the table lists them."""
    checks = (str(one.sqltext) for one in table.constraints if isinstance(one, sa.CheckConstraint))
    return dict(found.groups() for text in checks if (found := ONE_OF.search(text)))


def a_value(column: sa.Column[Any], number: int) -> object:
    """Another for each row, of the kind that the column holds."""
    match column.type:
        case sa.Boolean():
            return number % 2 == 0
        case sa.Integer() | sa.Float():
            return number
        case sa.JSON():
            return {"of row": number}
        case sa.LargeBinary():
            return bytes([number])
    return f"{column.name} {number}"


def fill(connection: sa.Connection) -> None:
    """Two rows in every table of the schema that is there; what refers to a row finds it."""
    there = sa.MetaData()
    there.reflect(connection)
    for table in there.sorted_tables:
        if table.name != "alembic_version":
            rows = [
                {c.name: a_value(c, number) for c in table.columns} | allowed(table)
                for number in (1, 2)
            ]
            connection.execute(sa.insert(table), rows)


def rows_of(connection: sa.Connection) -> dict[str, list[dict[str, object]]]:
    there = sa.MetaData()
    there.reflect(connection)
    return {
        table.name: [
            dict(row)
            for row in connection.execute(
                sa.select(table).order_by(*table.primary_key.columns)
            ).mappings()
        ]
        for table in there.sorted_tables
        if table.name != "alembic_version"
    }


def come_along(database: Database, revision: str) -> None:
    """A store of that schema, with rows in all its tables, loses none of them on its way here."""
    with database.write() as connection:
        if connection.dialect.name == "postgresql":  # it comes with all tables
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
        migrations.upgrade(connection, revision)
        fill(connection)
        before = rows_of(connection)
    assert len(before) > 5
    assert all(len(rows) == 2 for rows in before.values())
    migrations.migrate(database)
    with database.read() as connection:
        after = rows_of(connection)
        if (
            connection.dialect.name == "sqlite"
        ):  # the other has indexes of its own, and looks itself
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            assert differences(database, METADATA) == []
    for table, rows in before.items():
        assert len(after[table]) == len(rows), table
        kept = [
            {name: now[name] for name in was} for was, now in zip(rows, after[table], strict=True)
        ]
        assert kept == rows, table


@pytest.mark.parametrize("revision", revisions())
def test_a_store_of_any_schema_keeps_its_rows(stack: Any, tmp_path: Path, revision: str) -> None:
    """On PostgreSQL too, where the others run on servers."""
    url = stack.settings(tmp_path / "data").get("database_url")
    database = open_database(url, tmp_path)
    try:
        come_along(database, revision)
    finally:
        database.close()


@pytest.mark.parametrize(
    "careless", ["DELETE FROM run_history", "UPDATE runs SET replicate = NULL WHERE id = 2"]
)
def test_a_step_that_loses_something_would_be_seen(
    database: Database, monkeypatch: pytest.MonkeyPatch, careless: str
) -> None:
    """Negative control."""
    whole = migrations.upgrade

    def loses(connection: sa.Connection, target: str = "head") -> None:
        whole(connection, target)
        if target == "head":
            connection.exec_driver_sql(careless)

    monkeypatch.setattr(migrations, "upgrade", loses)
    with pytest.raises(AssertionError, match="run"):
        come_along(database, revisions()[0])


def test_head_is_the_newest_revision() -> None:
    folder = Path(migrations.__file__).parent
    assert ScriptDirectory(str(folder)).get_heads() == [migrations.HEAD]


def test_migrating_twice_changes_nothing(database: Database) -> None:
    migrations.migrate(database)
    migrations.migrate(database)
    assert differences(database, METADATA) == []


def test_several_processes_may_start_at_once(tmp_path: Path) -> None:
    errors: list[Exception] = []

    def start() -> None:
        opened = open_database(None, tmp_path)
        try:
            migrations.migrate(opened)
        except Exception as error:
            errors.append(error)
        finally:
            opened.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_newer_schema_is_refused_and_left_alone(database: Database) -> None:
    migrations.migrate(database)
    with database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(CoalescopeError, match="schema 9999") as caught:
        migrations.migrate(database)
    assert caught.value.code == "newer_schema"
    assert "newer version" in (caught.value.advice or "")
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == (
            "9999"
        )
