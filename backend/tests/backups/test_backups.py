# SPDX-License-Identifier: Apache-2.0
"""Backups: live, incremental, whole; restored only where nothing is overwritten."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from coalescope.backups import service
from coalescope.backups.service import back_up, restore
from coalescope.cli import main
from coalescope.db.engine import SQLITE_NAME, Database
from coalescope.errors import CoalescopeError
from coalescope.storage.object_store import DirectoryObjectStore
from coalescope.store import Store, open_for_reading
from coalescope.uploads.stored_files import stored_files
from sqlalchemy.exc import DatabaseError
from timeouts import wait_until

MakeLog = Callable[..., bytes]


def store_of(client: Any) -> Store:
    return Store(client.app.state.database, client.app.state.object_store)


def digests(folder: Path) -> set[str]:
    opened = open_for_reading(folder)
    try:
        with opened.database.read() as connection:
            return {file.sha256 for file in stored_files(connection)}
    finally:
        opened.close()


def test_a_backup_comes_back_and_grows(client: Any, make_log: MakeLog, tmp_path: Path) -> None:
    first = client.upload(make_log(replicate=1)).json()["sha256"]
    done = back_up(store_of(client), tmp_path / "backup")
    assert (done.files_copied, done.files_there, done.report.sound) == (1, 0, True)
    second = client.upload(make_log(replicate=2)).json()["sha256"]
    again = back_up(store_of(client), tmp_path / "backup")
    assert (again.files_copied, again.files_there, again.report.sound) == (1, 1, True)
    back = restore(tmp_path / "backup", tmp_path / "back")
    assert (back.files_copied, back.report.sound, back.report.leftovers) == (2, True, [])
    assert digests(tmp_path / "back") == {first, second}


def test_a_damaged_copy_is_made_anew(client: Any, make_log: MakeLog, tmp_path: Path) -> None:
    client.upload(make_log())
    back_up(store_of(client), tmp_path / "backup")
    (copy,) = (tmp_path / "backup").rglob("*.runlog")
    copy.write_bytes(b"rot")
    again = back_up(store_of(client), tmp_path / "backup")
    assert (again.files_copied, again.report.sound) == (1, True)


def test_what_the_store_lost_is_named_and_the_rest_is_copied(
    client: Any, make_log: MakeLog, tmp_path: Path
) -> None:
    lost = client.upload(make_log(replicate=1)).json()["sha256"]
    client.upload(make_log(replicate=2))
    client.app.state.object_store.path(lost, "runlog").write_bytes(b"rot")
    done = back_up(store_of(client), tmp_path / "backup")
    assert [fault.code for fault in done.report.faults] == ["missing_file"]
    assert done.report.files == 2


@pytest.mark.parametrize("where", ["data", "other"])
def test_nothing_is_written_over(
    client: Any, make_log: MakeLog, tmp_path: Path, where: str
) -> None:
    """Neither the store itself, nor a folder with something else, nor a store by a restore."""
    client.upload(make_log())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("years of work")
    before = sorted((tmp_path / where).rglob("*"))
    with pytest.raises(CoalescopeError, match="no backup"):
        back_up(store_of(client), tmp_path / where)
    assert sorted((tmp_path / where).rglob("*")) == before
    back_up(store_of(client), tmp_path / "backup")
    with pytest.raises(CoalescopeError, match="There is a store"):
        restore(tmp_path / "backup", tmp_path / "data")


def test_a_backup_that_was_interrupted_leaves_the_former_one(
    client: Any, make_log: MakeLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(client, make_log, tmp_path, monkeypatch)


def test_a_backup_that_is_written_over_the_former_one_is_caught(
    client: Any, make_log: MakeLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: the database does not get its name last."""
    monkeypatch.setattr(service, "_UNFINISHED", SQLITE_NAME)
    with pytest.raises(AssertionError):
        interrupt(client, make_log, tmp_path, monkeypatch)


def interrupt(
    client: Any, make_log: MakeLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.upload(make_log(replicate=1)).json()["sha256"]
    back_up(store_of(client), tmp_path / "backup")
    client.upload(make_log(replicate=2))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(DirectoryObjectStore, "commit_all", full)
        with pytest.raises(OSError, match="No space"):
            back_up(store_of(client), tmp_path / "backup")
    assert digests(tmp_path / "backup") == {first}
    assert restore(tmp_path / "backup", tmp_path / "back").report.sound
    assert back_up(store_of(client), tmp_path / "backup").report.sound


@contextmanager
def uploading(client: Any, make_log: MakeLog) -> Iterator[list[str]]:
    """Upload one log after another meanwhile; the list grows with each acknowledgement."""
    acknowledged: list[str] = []
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            answer = client.upload(make_log(replicate=len(acknowledged) + 1))
            acknowledged.append(answer.json()["sha256"])

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield acknowledged
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.soak)])
def test_live_backups_under_load_come_back(
    client: Any, make_log: MakeLog, tmp_path: Path, times: int
) -> None:
    back_up_and_restore(client, make_log, tmp_path, times)


def without_the_log_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database's file is copied as it lies there."""

    def copy_file(database: Database, target: Path) -> None:
        shutil.copyfile(str(database.engine.url.database), target)

    monkeypatch.setattr(service, "_copy_sqlite", copy_file)


def with_files_of_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are listed first, and the database is copied a while later."""
    listed: list[Any] = []
    copy = service._copy_sqlite

    def list_and_copy(database: Database, target: Path) -> None:
        with database.read() as connection:
            listed[:] = stored_files(connection)
        wait_until(lambda: _grown(database, len(listed)), "control: nothing is uploaded meanwhile")
        copy(database, target)

    monkeypatch.setattr(service, "_copy_sqlite", list_and_copy)
    monkeypatch.setattr(service, "_files_of", lambda database: list(listed))


def _grown(database: Database, count: int) -> bool:
    with database.read() as connection:
        return len(stored_files(connection)) > count


@pytest.mark.parametrize("mutant", [without_the_log_beside_it, with_files_of_another_time])
def test_backups_that_take_no_snapshot_are_caught(
    client: Any,
    make_log: MakeLog,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mutant: Callable[[pytest.MonkeyPatch], None],
) -> None:
    """Controls: uploads that were acknowledged are not in it, or rows whose files are not."""
    mutant(monkeypatch)
    with pytest.raises((AssertionError, CoalescopeError, DatabaseError)):
        back_up_and_restore(client, make_log, tmp_path, 3)


def wait_for(acknowledged: list[str], count: int) -> None:
    wait_until(lambda: len(acknowledged) >= count, "control: nothing is uploaded meanwhile")


def back_up_and_restore(client: Any, make_log: MakeLog, tmp_path: Path, times: int) -> None:
    with uploading(client, make_log) as acknowledged:
        for number in range(times):
            wait_for(acknowledged, number + 1)
            before = set(acknowledged)
            folder = tmp_path / f"backup-{number % 2}"  # new ones, and ones that grow
            assert back_up(store_of(client), folder).report.sound
            back = restore(folder, tmp_path / f"back-{number}")
            assert back.report.sound
            assert before <= digests(tmp_path / f"back-{number}")


def test_as_commands(
    client: Any, make_log: MakeLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client.upload(make_log())
    data, backup, back = (str(tmp_path / name) for name in ("data", "backup", "back"))
    assert main(["backup", backup, "--data", data]) == 0
    assert "Copied 1 files" in capsys.readouterr().out
    assert main(["restore", backup, "--data", back]) == 0
    assert "all is well" in capsys.readouterr().out
    assert main(["restore", backup, "--data", back]) == 1
    assert "There is a store" in capsys.readouterr().err
    assert main(["restore", data + "x", "--data", back + "2"]) == 1
    said = capsys.readouterr().err
    assert f"There is no backup in '{data}x'.\n  Name a folder that `coalescope backup`" in said
    assert main(["verify", "--deep", "--data", back]) == 0
