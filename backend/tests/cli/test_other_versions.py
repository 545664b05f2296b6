# SPDX-License-Identifier: Apache-2.0
"""A store of another version: `serve` and `migrate` bring it up to date, all else leaves it alone.

The commands are the parser's own, so one that comes later is asked too.
"""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli.parser import build_parser
from coalescope.db import migrations
from coalescope.db.engine import SQLITE_NAME, has_unmerged_log, open_database

from ..db.test_migrations import revisions
from .command_lines import Leaf, leaves

Run = Callable[..., Any]

pytestmark = pytest.mark.folder_stack

OLDER = revisions()[-2]
NEWER = "9999"
AN_EXPERIMENT = (
    "INSERT INTO experiments (id, slug, title, kind, source, created_at, updated_at)"
    " VALUES (1, 'lab', 'Lab', 'measured', '{}', 'then', 'then')"
)
MIGRATING = {("serve",), ("migrate",)}
# What changes the store when it is typed as below.
CHANGING = {
    ("token", "create"),
    ("token", "revoke"),
    ("datasets", "fetch"),
    *(("experiments", action) for action in ("rename", "describe", "delete", "restore")),
    *(("runs", action) for action in ("retract", "restore", "correct")),
}
SOURCE = b"""title = "A bench"
kind = "measured"
"""

LEAVES = [leaf for leaf in leaves(build_parser()) if leaf.words not in MIGRATING]
each_command = pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: " ".join(leaf.words))


def contents(folder: Path) -> dict[str, str]:
    """The digest of every file, and the names of all folders.

    Beside an unmerged log, SQLite makes its index of it anew whenever it is opened.
    """
    unmerged = has_unmerged_log(folder / SQLITE_NAME)
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
        if not (unmerged and path.name.endswith("-shm"))
    }


def schema_of(folder: Path) -> str:
    with closing(sqlite3.connect(folder / SQLITE_NAME)) as database:
        (found,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with a row and a file: of the schema before, of today's, and of one yet unknown."""
    below = tmp_path_factory.mktemp("versions")
    for name, revision in ((OLDER, OLDER), (NEWER, "head"), (migrations.HEAD, "head")):
        folder = below / name
        (folder / "logs/ab/cd").mkdir(parents=True)
        (folder / "logs/ab/cd/abcd.runlog").write_bytes(b"a log")
        database = open_database(None, folder)
        with database.write() as connection:
            migrations.upgrade(connection, revision)
            connection.exec_driver_sql(AN_EXPERIMENT)
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{name}'")
        database.close()
    return below


@pytest.fixture(params=["closed", "ended suddenly"])
def store(request: pytest.FixtureRequest, stores: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Make the store of that schema; after a sudden end its last rows are in a log beside it."""

    def make(revision: str) -> Path:
        folder = tmp_path / "data"
        if request.param == "closed":
            shutil.copytree(stores / revision, folder)
            return folder
        shutil.copytree(stores / revision, tmp_path / "in use")
        with closing(sqlite3.connect(tmp_path / "in use" / SQLITE_NAME)) as writer:
            writer.execute("UPDATE alembic_version SET version_num = version_num")
            writer.commit()
            shutil.copytree(tmp_path / "in use", folder)
        assert (folder / f"{SQLITE_NAME}-wal").stat().st_size > 0
        return folder

    return make


def ask(run: Run, leaf: Leaf, folder: Path) -> Any:
    try:
        return run(*leaf.typed, data=folder)
    except SystemExit as ended:
        pytest.fail(f"{' '.join(leaf.typed)} cannot be typed: status {ended.code}")


@each_command
@pytest.mark.parametrize("revision", [OLDER, NEWER])
def test_every_other_command_refuses_it_and_changes_no_byte(
    run: Run, store: Callable[[str], Path], leaf: Leaf, revision: str
) -> None:
    folder = store(revision)
    before = contents(folder)
    done = ask(run, leaf, folder)
    assert contents(folder) == before
    if leaf.of_store and leaf.words != ("restore",):  # which never looks into a store that is there
        assert (done.returncode, done.stdout) == (1, "")
        assert f"The store has schema {revision}" in done.stderr
        assert (
            f"Coalescope {version('coalescope')} works with schema {migrations.HEAD}" in done.stderr
        )
        typed = (
            f"`coalescope migrate --data {folder}`"
            if revision == OLDER
            else ("`coalescope restore BACKUP --data NEW-FOLDER`")
        )
        assert typed in done.stderr


@pytest.mark.parametrize("words", sorted(MIGRATING), ids=" ".join)
def test_a_newer_store_is_left_alone_by_those_that_migrate_too(
    process: Run, store: Callable[[str], Path], words: tuple[str, ...]
) -> None:
    folder = store(NEWER)
    before = contents(folder)
    done = process(*words, data=folder, COALESCOPE_PORT="0")
    assert contents(folder) == before
    assert (done.returncode, done.stdout) == (1, "")
    assert f"The store has schema {NEWER}" in done.stderr


def test_migrate_brings_an_older_store_up_to_date(
    run: Run, store: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = store(OLDER)
    (tmp_path / "none").mkdir()
    done = run("migrate", data=folder, COALESCOPE_DATASETS_DIR=str(tmp_path / "none"))
    said = f"The store has schema {migrations.HEAD} and 1 experiment.\n"
    assert (done.returncode, done.stdout) == (0, said)
    assert schema_of(folder) == migrations.HEAD
    assert "Lab" in run("experiments", data=folder).stdout


@pytest.mark.parametrize("words", sorted(MIGRATING), ids=" ".join)
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"source.toml": b"title = "}, "it is no TOML"),
        ({"source.toml": SOURCE, "data.csv": b"delay_us,drops\n0,many\n"}, "data.csv"),
        ({"source.toml": SOURCE, "raw/run-logs.tar.xz": b"no archive"}, "run-logs.tar.xz"),
    ],
    ids=["description", "table", "bundle"],
)
def test_a_data_set_that_is_wrong_leaves_an_older_store_as_it_was(
    run: Run,
    store: Callable[[str], Path],
    tmp_path: Path,
    words: tuple[str, ...],
    files: dict[str, bytes],
    said: str,
) -> None:
    if words == ("serve",) and said == "run-logs.tar.xz":
        pytest.skip("a server loads bundles once it answers, and says there which failed")
    folder = store(OLDER)
    for name, content in files.items():
        path = tmp_path / "sets" / "bad" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    before = contents(folder)
    sets = {"COALESCOPE_DATASETS_DIR": str(tmp_path / "sets"), "COALESCOPE_PORT": "0"}
    done = run(*words, data=folder, **sets)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert contents(folder) == before


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_that_nobody_may_reach_leaves_an_older_store_as_it_was(
    run: Run, store: Callable[[str], Path], workers: str
) -> None:
    folder = store(OLDER)
    before = contents(folder)
    done = run("serve", "--host", "0.0.0.0", "--port", "0", "--workers", workers, data=folder)
    assert done.returncode == 1
    assert "coalescope token create" in done.stderr
    assert contents(folder) == before


@pytest.mark.parametrize("revision", revisions())
def test_tokens_are_asked_of_a_store_of_every_version(
    run: Run, tmp_path: Path, revision: str
) -> None:
    """The first ones had none to keep."""
    folder = tmp_path / "data"
    database = open_database(None, folder)
    with database.write() as connection:
        migrations.upgrade(connection, revision)
    database.close()
    done = run("serve", "--host", "0.0.0.0", "--port", "0", data=folder)
    assert done.returncode == 1
    assert "coalescope token create" in done.stderr
    assert schema_of(folder) == revision


@pytest.mark.parametrize("revision", [OLDER, migrations.HEAD])
def test_migrate_says_what_keeps_it_from_writing(
    run: Run, store: Callable[[str], Path], revision: str
) -> None:
    folder = store(revision)
    before = contents(folder)
    done = run("migrate", data=folder, COALESCOPE_READ_ONLY="1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "COALESCOPE_READ_ONLY is set" in done.stderr
    assert "coalescope migrate" not in done.stderr
    assert contents(folder) == before


@each_command
def test_no_command_is_told_to_start_a_server_where_nothing_may_be_changed(
    run: Run, store: Callable[[str], Path], leaf: Leaf
) -> None:
    folder = store(migrations.HEAD)
    before = contents(folder)
    done = run(*leaf.typed, data=folder, COALESCOPE_READ_ONLY="1")
    assert contents(folder) == before
    assert "--read-only" not in done.stderr
    if leaf.words in CHANGING:
        assert "COALESCOPE_READ_ONLY is set" in done.stderr


def test_serve_brings_an_older_store_up_to_date(serve: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "served"
    database = open_database(None, folder)
    with database.write() as connection:
        migrations.upgrade(connection, OLDER)
    database.close()
    (tmp_path / "none").mkdir()
    with serve(COALESCOPE_DATASETS_DIR=str(tmp_path / "none")):
        assert schema_of(folder) == migrations.HEAD


def test_a_server_that_only_reads_refuses_it(process: Run, store: Callable[[str], Path]) -> None:
    folder = store(OLDER)
    before = contents(folder)
    done = process("serve", "--read-only", "--port", "0", data=folder)
    assert contents(folder) == before
    assert f"The store has schema {OLDER}" in done.stderr


def test_a_backup_of_an_older_version_is_not_migrated_by_a_restore(
    run: Run, store: Callable[[str], Path], tmp_path: Path
) -> None:
    backup = store(OLDER)
    before = contents(backup)
    done = run("restore", backup, data=tmp_path / "new")
    assert contents(backup) == before
    assert (done.returncode, done.stdout) == (1, "")
    assert f"The backup has schema {OLDER}" in done.stderr
    assert "`coalescope migrate --data NEW-FOLDER`" in done.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("there", ["nothing", "a folder", "an empty database"])
@pytest.mark.parametrize(
    "typed", [("migrate",), ("import", "a.csv"), ("token", "create", "me", "--scope", "read")],
    ids=" ".join,
)  # fmt: skip
def test_where_there_is_no_store_one_is_made(
    run: Run, tmp_path: Path, typed: tuple[str, ...], there: str
) -> None:
    (tmp_path / "a.csv").write_text("delay_us,replicate,throughput_mbps\n0,1,100\n")
    (tmp_path / "none").mkdir()
    folder = tmp_path / "made"
    if there != "nothing":
        folder.mkdir()
    if there == "an empty database":
        (folder / SQLITE_NAME).touch()
    done = run(*typed, data=folder, COALESCOPE_DATASETS_DIR=str(tmp_path / "none"))
    assert done.returncode == 0
    assert schema_of(folder) == migrations.HEAD


def test_an_empty_database_is_no_store_to_read(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / SQLITE_NAME).touch()
    done = run("experiments", data=folder)
    assert done.returncode == 1
    assert "The database holds no store yet." in done.stderr
    assert f"`coalescope migrate --data {folder}` makes one" in done.stderr
    assert contents(folder) == {SQLITE_NAME: hashlib.sha256(b"").hexdigest()}


@pytest.mark.parametrize(
    "typed", [("experiments",), ("verify",), ("backup", "copy"), ("token", "list")], ids=" ".join
)
def test_a_read_of_a_store_of_today_leaves_nothing_beside_it(
    run: Run, shared_data: Path, tmp_path: Path, typed: tuple[str, ...]
) -> None:
    if not shared_data.exists():
        assert run("migrate", data=shared_data).returncode == 0
    before = contents(shared_data)
    assert run(*typed, data=shared_data).returncode == 0
    assert contents(shared_data) == before
