# SPDX-License-Identifier: Apache-2.0
"""docs/upgrading.md as a person follows it: its commands, typed as they stand there.

The version before is this program beside a store that was made with it; the one after it is played
by a store of a schema that this program does not know.
"""

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from coalescope.db import migrations
from coalescope.db.engine import SQLITE_NAME, open_database
from manuals import fences, typed

from ..db.test_migrations import revisions

pytestmark = pytest.mark.folder_stack

BEFORE_AND_AFTER, WITHOUT_A_BACKUP, GOING_BACK, AN_OLDER_BACKUP = fences("docs/upgrading.md")
OLDER = revisions()[-2]
TABLE = "delay_us,replicate,throughput_mbps\n0,1,100\n0,2,101\n"
Type = Callable[[str], str]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's home: this program on the path, and an installer that installs nothing."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in (
        ("coalescope", f'exec {sys.executable} -m coalescope "$@"'),
        ("pipx", 'test "$1 $2" = "install --force"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    (tmp_path / "none").mkdir()
    return tmp_path


@pytest.fixture
def type_(home: Path) -> Type:
    """Type lines into a shell that ends at the first that fails; returns what they print."""

    def type_here(lines: str) -> str:
        own = {name: text for name, text in os.environ.items() if "COALESCOPE" not in name}
        path = f"{home / 'bin'}:{os.environ['PATH']}"
        none = str(home / "none")
        return typed(
            lines,
            home,
            {**own, "HOME": str(home), "PATH": path, "COALESCOPE_DATASETS_DIR": none},
        )

    return type_here


def make_store(folder: Path, type_: Type) -> None:
    (folder.parent / "lab.csv").write_text(TABLE)
    type_(f"coalescope import --data {folder} lab.csv")


def make_older_store(folder: Path) -> None:
    database = open_database(None, folder)
    with database.write() as connection:
        migrations.upgrade(connection, OLDER)
    database.close()
    (folder / "logs").mkdir()


def schema_of(folder: Path) -> str:
    with closing(sqlite3.connect(folder / SQLITE_NAME)) as database:
        (found,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found)


def upgrade_beyond(folder: Path) -> None:
    """What a later version would do."""
    with closing(sqlite3.connect(folder / SQLITE_NAME)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.execute("CREATE TABLE later (id INTEGER)")
        database.commit()


@pytest.mark.fault("C11")
def test_before_and_after(home: Path, type_: Type) -> None:
    make_store(home / "coalescope", type_)
    said = type_(BEFORE_AND_AFTER)
    assert f"The store has schema {migrations.HEAD} and 1 experiment." in said
    assert said.endswith("1 file, 0.0 MB; 1 experiment, 2 runs: all is well.\n")


def test_a_migration_after_the_backup_was_made(home: Path, type_: Type) -> None:
    """The rest of that section, of a store that has something to bring up to date."""
    make_older_store(home / "coalescope")
    _, _, after = BEFORE_AND_AFTER.partition("# stop the server now\n")
    said = type_(after)
    assert f"The store has schema {migrations.HEAD}" in said
    assert "all is well" in said


def test_without_a_backup(home: Path, type_: Type) -> None:
    make_older_store(home / "coalescope")
    type_(WITHOUT_A_BACKUP)
    assert schema_of(home / "coalescope") == migrations.HEAD
    assert schema_of(home / "before-upgrade") == OLDER


def test_going_back(home: Path, type_: Type) -> None:
    make_store(home / "coalescope", type_)
    type_(BEFORE_AND_AFTER)
    upgrade_beyond(home / "coalescope")
    said = type_(GOING_BACK)
    assert said.endswith("1 file, 0.0 MB; 1 experiment, 2 runs: all is well.\n")
    assert schema_of(home / "coalescope") == "9999", "it is kept"


def test_a_backup_of_an_older_version(home: Path, type_: Type) -> None:
    make_older_store(home / "before-upgrade")
    said = type_(AN_OLDER_BACKUP)
    assert "all is well" in said
    assert schema_of(home / "restored") == migrations.HEAD
    assert schema_of(home / "before-upgrade") == OLDER
