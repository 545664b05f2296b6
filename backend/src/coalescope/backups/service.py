# SPDX-License-Identifier: Apache-2.0
"""Copy a store, also while a server works on it, and copy it back.

The database comes first, in one snapshot, then every file that it names: files are on disk before
their rows are committed and are never removed, so each of them is there. Its copy gets its name
last. A copy that was interrupted therefore holds the former state, or none.

A backup is always SQLite and a folder, whatever it is of, and can become a store of servers again:
so it is the way from the one kind to the other.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pysqlite3.dbapi2
import sqlalchemy as sa

from coalescope.backups.rows import check_empty, copy_rows
from coalescope.db.engine import (
    SQLITE_NAME,
    Database,
    has_unmerged_log,
    open_database,
    sqlite_connection,
)
from coalescope.db.migrations import migrate
from coalescope.errors import CoalescopeError, refused
from coalescope.runs.kept_summaries import too_large
from coalescope.storage.object_store import (
    LOGS_NAME,
    DirectoryObjectStore,
    ObjectStore,
    same_bytes,
    sync_directory,
)
from coalescope.storage.private_files import make_folder, touch
from coalescope.store import Store, open_for_reading
from coalescope.uploads.stored_files import StoredFile, stored_files
from coalescope.verification.contents import content_faults
from coalescope.verification.schema import schema_faults
from coalescope.verification.service import Report, verify

_CHUNK_BYTES = 1 << 20
_MOST_FAULTS = 20
_UNFINISHED = "unfinished.sqlite"
MARK_NAME = "BACKUP"
_MARK = """A backup that `coalescope backup` wrote and may renew. To use it: coalescope restore.
"""


@dataclass(frozen=True)
class Copied:
    """What a copy took, and what `verify` says of the copy."""

    files_copied: int
    files_there: int
    bytes_copied: int
    report: Report


def back_up(source: Store, target: Path) -> Copied:
    """Bring `target` to the state of the store: a new folder, or an earlier backup of it.

    Only files that are not there yet are copied. Errors: CoalescopeError 422 where the folder holds
    something else.
    """
    _claim(target)
    return _copy(source, target)


def restore(backup: Path, target: Path) -> Copied:
    """Copy a backup into a folder without a store.

    Errors: CoalescopeError 404, 409; 422 for a database that is not all of this program's making,
    has values that this program cannot read, or an experiment that is larger than one can become.
    """
    if (target / SQLITE_NAME).exists():
        raise CoalescopeError(
            "store_exists",
            f"There is a store in {str(target)!r} already; nothing was changed.",
            where={"folder": str(target)},
            advice="Restore into a new folder (--data), look at it, then serve that one.",
            status=409,
        )
    source = _open(backup)
    try:
        return _copy(source, target)
    finally:
        source.close()


def _open(backup: Path) -> Store:
    if not (backup / SQLITE_NAME).is_file():
        raise CoalescopeError(
            "no_backup",
            f"There is no backup in {str(backup)!r}.",
            where={"folder": str(backup)},
            advice="Name a folder that `coalescope backup` wrote.",
            status=404,
        )
    found = _open_current(backup)
    try:
        with found.database.read() as connection:
            for faults_of in (schema_faults, content_faults, too_large):
                faults = list(islice(faults_of(connection), _MOST_FAULTS))
                if faults:
                    break
        if faults:
            raise refused(faults)
    except BaseException:
        found.close()
        raise
    return found


def _open_current(backup: Path) -> Store:
    """Open a backup, or say how one of an older version becomes a store: it is left as it is."""
    try:
        return open_for_reading(backup)
    except CoalescopeError as error:
        if error.code != "older_schema":
            raise
        raise CoalescopeError(
            error.code,
            error.message.replace("The store", "The backup"),
            where=error.where,
            advice="Restore it with the version that wrote it, or copy its files into a new folder "
            "and bring that up to date with `coalescope migrate --data NEW-FOLDER`: "
            "docs/upgrading.md says how.",
            status=error.status,
        ) from None


def restore_into(backup: Path, target: Store) -> Copied:
    """Copy a backup into an open store, on servers too, that has no rows yet.

    The rows come last, all at once. Errors: CoalescopeError 404, 409.
    """
    source = _open(backup)
    try:
        with target.database.read() as rows:
            check_empty(rows)
        with source.database.read() as rows:
            files = stored_files(rows)
            copied = [_copy_file(source.object_store, target.object_store, file) for file in files]
            with target.database.write() as into:
                check_empty(into)
                copy_rows(rows, into)
    finally:
        source.close()
    return _told(copied, verify(target.database, target.object_store))


def _copy(source: Store, target: Path) -> Copied:
    make_folder(target)
    unfinished = target / _UNFINISHED
    unfinished.unlink(missing_ok=True)
    touch(unfinished)
    _copy_database(source.database, unfinished)
    to_store = DirectoryObjectStore(target / LOGS_NAME)
    to_store.sweep()
    copied = [_copy_file(source.object_store, to_store, file) for file in _files_of(unfinished)]
    _put_in_place(unfinished, target / SQLITE_NAME)
    found = open_for_reading(target)
    try:
        report = verify(found.database, found.object_store)
    finally:
        found.close()
    return _told(copied, report)


def _told(copied: list[int | None], report: Report) -> Copied:
    taken = [size for size in copied if size is not None]
    return Copied(len(taken), len(copied) - len(taken), sum(taken), report)


def _copy_database(database: Database, target: Path) -> None:
    """One snapshot as an SQLite database, on disk when this returns; writers do not wait."""
    if database.on_server:
        _copy_from_server(database, target)
    else:
        _copy_sqlite(database, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def _copy_from_server(database: Database, target: Path) -> None:
    copy = open_database(f"sqlite+pysqlite:///{target}", target.parent)
    try:
        migrate(copy)
        with database.read() as source, copy.write() as into:
            copy_rows(source, into)
    finally:
        copy.close()
    with _sqlite(target) as alone:
        alone.execute("PRAGMA journal_mode=DELETE")


def _copy_sqlite(database: Database, target: Path) -> None:
    with database.engine.connect() as connection, _sqlite(target) as copy:
        source: Any = connection.connection.dbapi_connection
        source.backup(copy)
        # one file, without a log beside it, so that it can be renamed
        copy.execute("PRAGMA journal_mode=DELETE")


@contextmanager
def _sqlite(path: Path) -> Iterator[Any]:
    connection = sqlite_connection(str(path), isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def _files_of(database: Path) -> list[StoredFile]:
    """The files that a copied database names."""
    opened = _opened_alone(database)
    try:
        with opened.read() as connection:
            return stored_files(connection)
    finally:
        opened.close()


def _opened_alone(database: Path) -> Database:
    engine = sa.create_engine(
        f"sqlite+pysqlite:///{database}",
        module=pysqlite3.dbapi2,
        creator=partial(sqlite_connection, str(database), check_same_thread=False),
    )
    return Database(engine, for_reading=True)


def _copy_file(source: ObjectStore, target: ObjectStore, file: StoredFile) -> int | None:
    """Copy one file durably; returns its bytes, or None where the copy was there already.

    A file that the store has lost, or that is damaged there, is left out: `verify` names it.
    """
    there = target.path(file.sha256, file.suffix)
    if there is not None and same_bytes(there, file.sha256):
        return None
    path = source.path(file.sha256, file.suffix)
    if path is None:
        return 0
    with path.open("rb") as content, target.stage() as staged:
        while chunk := content.read(_CHUNK_BYTES):
            staged.write(chunk)
        if staged.sha256 != file.sha256:
            return 0
        staged.commit(file.suffix)
        return staged.size


def _put_in_place(unfinished: Path, place: Path) -> None:
    """Rename the copy, and make the name durable."""
    for beside in ("-wal", "-shm"):  # of a reader of the former backup
        place.with_name(place.name + beside).unlink(missing_ok=True)
    unfinished.rename(place)
    sync_directory(place.parent)
    sync_directory(place.parent.absolute().parent)


def _claim(target: Path) -> None:
    """Make `target` a folder of backups, or refuse it: a store is never written over."""
    marked = (target / MARK_NAME).is_file()
    in_use = has_unmerged_log(target / SQLITE_NAME)
    if target.exists() and (in_use or (not marked and any(target.iterdir()))):
        raise CoalescopeError(
            "no_backup_folder",
            f"{str(target)!r} holds something that is no backup; nothing was changed.",
            where={"folder": str(target)},
            advice="Name a new folder, or one that this command wrote.",
        )
    make_folder(target)
    touch(target / MARK_NAME)
    (target / MARK_NAME).write_text(_MARK, encoding="utf-8")
