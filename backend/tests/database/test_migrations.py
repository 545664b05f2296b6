# SPDX-License-Identifier: Apache-2.0
"""Migrations make the schema that the code expects, and a newer schema is refused."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from coalescope import migrations
from coalescope.database import METADATA, Database, open_database
from coalescope.errors import CoalescopeError


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
