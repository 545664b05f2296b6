# SPDX-License-Identifier: Apache-2.0
"""A database that holds more than this program's tables is no store: verify and restore say so."""

import shutil
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pysqlite3.dbapi2
import pytest
from coalescope.backups.service import back_up, restore, restore_into
from coalescope.db.engine import SQLITE_NAME
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.storage.private_files import wider
from coalescope.store import Store, open_for_reading, open_store
from coalescope.verification.service import verify

pytestmark = pytest.mark.folder_stack
MakeLog = Callable[..., bytes]

FOREIGN = {
    "a trigger": "CREATE TRIGGER evil AFTER INSERT ON links BEGIN INSERT INTO tokens "
    "(key, name, scope, sha256, created_at) VALUES ('k', 'evil', 'admin', 'x', 'now'); END",
    "a view": "CREATE VIEW more AS SELECT * FROM tokens",
    "a table": "CREATE TABLE more (x)",
    "an index": "CREATE INDEX more ON links (lower(path))",
    "no index": "DROP INDEX ix_runs_listing",
    "a view for a table": "ALTER TABLE links RENAME TO kept; "
    "CREATE VIEW links AS SELECT * FROM kept",
}


@pytest.fixture
def backup(client: Any, make_log: MakeLog, tmp_path: Path) -> Path:
    client.upload(make_log())
    store = Store(client.app.state.database, client.app.state.object_store)
    assert back_up(store, tmp_path / "backup").report.sound
    return tmp_path / "backup"


def spoil(folder: Path, statements: str) -> None:
    connection = pysqlite3.dbapi2.connect(str(folder / SQLITE_NAME))
    connection.executescript(statements)
    connection.close()


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN)
def test_what_somebody_put_there_is_seen_and_not_restored(
    backup: Path, tmp_path: Path, statements: str
) -> None:
    shutil.copytree(backup, tmp_path / "good")
    spoil(backup, statements)
    with pytest.raises(CoalescopeError) as refused:
        restore(backup, tmp_path / "back")
    assert {refused.value.code, *(fault.code for fault in refused.value.problems)} & {
        "foreign_schema"
    }
    assert not (tmp_path / "back" / SQLITE_NAME).exists()
    opened = open_for_reading(backup)
    try:
        codes = {fault.code for fault in verify(opened.database, opened.object_store).faults}
    finally:
        opened.close()
    assert "foreign_schema" in codes
    assert restore(tmp_path / "good", tmp_path / "back").report.sound, "the good twin"


def test_nor_into_a_store_on_servers(
    backup: Path, make_client: Callable[..., Any], tmp_path: Path
) -> None:
    spoil(backup, FOREIGN["a trigger"])
    state = make_client(data_dir=tmp_path / "other").app.state
    with pytest.raises(CoalescopeError, match="trigger"):
        restore_into(backup, Store(state.database, state.object_store))


def test_no_connection_trusts_what_a_database_says_of_its_tables(
    client: Any, backup: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every connection that is made while a store is used, copied, restored and verified."""
    made: list[Any] = []

    class Told(pysqlite3.dbapi2.Connection):  # type: ignore[misc]
        trusts = True

        def __init__(self, name: str, *more: Any, **options: Any) -> None:
            super().__init__(name, *more, **options)
            if name != ":memory:":
                made.append(self)

        def execute(self, sql: str, *more: Any) -> Any:
            self.trusts = self.trusts and sql != "PRAGMA trusted_schema=OFF"
            return super().execute(sql, *more)

    connect = pysqlite3.dbapi2.connect
    monkeypatch.setattr(pysqlite3.dbapi2, "connect", partial(connect, factory=Told))
    store = open_store(Settings(data_dir=tmp_path / "new", datasets_dir=None))
    with store.database.write() as connection:
        connection.exec_driver_sql("SELECT 1")
    store.database.at_once("SELECT 1")
    back_up(store, tmp_path / "copy")
    store.close()
    restore(backup, tmp_path / "back")
    opened = open_for_reading(backup)
    verify(opened.database, opened.object_store)
    opened.database.at_once("SELECT 1")
    opened.close()
    assert len(made) > 6
    assert not [one for one in made if one.trusts]


def test_stores_and_backups_are_their_users_alone(
    client: Any, make_log: MakeLog, backup: Path, tmp_path: Path
) -> None:
    client.upload(b"mtu_bytes,drops\n1500,1\n", "a.csv")
    restore(backup, tmp_path / "back")
    made = open_store(Settings(data_dir=tmp_path / "new", datasets_dir=None))
    with made.object_store.stage() as staged:
        staged.write(b"x")
        staged.commit("csv")
    made.close()
    for folder in (tmp_path / "new", backup, tmp_path / "back"):
        places = [folder, *folder.rglob("*")]
        assert len(places) > 5
        for place in places:
            mode = stat.S_IMODE(place.stat().st_mode)
            assert mode == (0o700 if place.is_dir() else 0o600), place
        assert wider(folder) is None


def test_a_wider_folder_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    assert wider(tmp_path) == "0750"
    assert wider(tmp_path / "absent") is None
