# SPDX-License-Identifier: Apache-2.0
"""Everything that is kept: database and object store, opened together and checked at start."""

import logging
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from coalescope.datasets.loader import check_dataset, load_dataset, stale_datasets
from coalescope.datasets.source import Dataset, find_datasets
from coalescope.db.engine import SQLITE_NAME, Database, has_unmerged_log, open_database
from coalescope.db.migrations import HEAD, check_current, check_known, migrate, schema_of
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.storage.object_store import LOGS_NAME, DirectoryObjectStore, ObjectStore
from coalescope.storage.private_files import make_folder
from coalescope.uploads.measuring_again import measure_again
from coalescope.uploads.reading import Reading
from coalescope.uploads.stored_files import orphaned_objects

_LOG = logging.getLogger("coalescope.store")


@dataclass(frozen=True)
class Store:
    """An open store.

    Attributes:
        waiting: data sets that are not loaded yet.

    """

    database: Database
    object_store: ObjectStore
    waiting: Sequence[Dataset] = ()

    def close(self) -> None:
        """Close what has to be closed."""
        self.database.close()


def open_store(
    settings: Settings,
    *,
    migrates: bool = False,
    waits_for: Callable[[str], bool] = lambda slug: True,
) -> Store:
    """Open the store of these settings, ready for use: made, swept, data sets loaded.

    An older one is brought up to date where it `migrates`, and refused elsewhere.

    Data sets that are bundles of run logs take seconds: only those are loaded whose slug
    `waits_for` approves, the others are left to the caller. With `settings.read_only` nothing is
    changed, and no data set is loaded.

    Errors: CoalescopeError when the folder cannot be written, the database is damaged or of another
    version, or a data set is wrong or their folder is not there; then nothing is opened, and an
    older store is as it was.
    """
    if settings.read_only:
        return open_for_reading(settings.data_dir, settings.database_url, settings.object_store_url)
    if settings.datasets_dir is not None and not settings.datasets_dir.is_dir():
        raise CoalescopeError(
            "no_datasets",
            f"There is no folder of data sets {str(settings.datasets_dir)!r}.",
            where={"field": "COALESCOPE_DATASETS_DIR"},
            advice="Set COALESCOPE_DATASETS_DIR to the folder that holds them, or to an empty one.",
        )
    if settings.datasets_dir is not None:
        find_datasets(settings.datasets_dir)
    _check_writable(settings.data_dir)
    with as_it_is(settings, migrates=migrates) as before:
        if before is not None and settings.datasets_dir is not None and _is_older(before):
            # before older versions are locked out
            for dataset in stale_datasets(before, settings.datasets_dir):
                if not dataset.is_bundle or waits_for(dataset.slug):
                    check_dataset(dataset)
    ended_suddenly = has_unmerged_log(settings.data_dir / SQLITE_NAME)
    # first, as there may be none of that bucket: no database is made beside it then
    object_store = _open_object_store(settings.object_store_url, settings.data_dir)
    database = open_database(settings.database_url, settings.data_dir)
    with _opening(database):
        migrate(database)
        _clear_up(database, object_store, ended_suddenly=ended_suddenly)
        measure_again(database, object_store, Reading.within(settings))
        stale = stale_datasets(database, settings.datasets_dir) if settings.datasets_dir else []
        waiting = [d for d in stale if d.is_bundle and not waits_for(d.slug)]
        for dataset in stale:
            if dataset not in waiting:
                load_dataset(database, object_store, dataset)
    return Store(database, object_store, waiting)


@contextmanager
def as_it_is(settings: Settings, *, migrates: bool = False) -> Iterator[Database | None]:
    """The database of a store before anything is done with it: no byte of it is changed.

    None where there is none yet; the tables of one that was just made may be missing.

    Errors: CoalescopeError where it cannot be read or is of another version. An older one passes
    where it is about to be migrated.
    """
    if settings.database_url is None and not (settings.data_dir / SQLITE_NAME).is_file():
        yield None
        return
    database = open_database(settings.database_url, settings.data_dir, for_reading=True)
    with _opening(database):
        typed = _to_migrate(settings.data_dir, settings.database_url)
        check_known(database, typed, migrates=migrates)
        yield database
    database.close()


def check_version(settings: Settings) -> None:
    """Refuse a store of another version; there need be none yet. Errors: CoalescopeError."""
    with as_it_is(settings):
        pass


def _is_older(database: Database) -> bool:
    with database.read() as connection:
        return schema_of(connection) not in (None, HEAD)


def _to_migrate(data_dir: Path, database_url: str | None) -> str:
    """What a person types to bring that store up to date."""
    folder = "" if database_url else f" --data {shlex.quote(str(data_dir))}"
    return f"coalescope migrate{folder}"


def open_for_reading(
    data_dir: Path, database_url: str | None = None, object_store_url: str | None = None
) -> Store:
    """Open a store without changing it; the folder need not be writable.

    Errors: CoalescopeError where there is no store, or one of another schema.
    """
    if database_url is None and not (data_dir / SQLITE_NAME).is_file():
        raise CoalescopeError(
            "no_store",
            f"There is no store in {str(data_dir)!r}.",
            where={"folder": str(data_dir)},
            advice="Name the folder of one with --data or COALESCOPE_DATA_DIR. `coalescope "
            "migrate` makes a new one with the published data sets; serve and import make one too.",
        )
    database = open_database(database_url, data_dir, for_reading=True)
    with _opening(database):
        check_current(database, _to_migrate(data_dir, database_url))
        object_store = _open_object_store(object_store_url, data_dir, for_reading=True)
    return Store(database, object_store)


def _open_object_store(
    url: str | None, data_dir: Path, *, for_reading: bool = False
) -> ObjectStore:
    """The bucket of that URL, or the folder in `data_dir`."""
    if url is None:
        return DirectoryObjectStore(data_dir / LOGS_NAME, for_reading=for_reading)
    try:
        from coalescope.storage.bucket_store import BucketObjectStore  # noqa: PLC0415  not installed by all
    except ModuleNotFoundError as error:
        raise CoalescopeError(
            "not_installed",
            f"COALESCOPE_OBJECT_STORE_URL needs {error.name}, which is not installed.",
            advice="pip install -r requirements-scale.lock",
            status=500,
        ) from None
    return BucketObjectStore(url, data_dir, for_reading=for_reading)


@contextmanager
def _opening(database: Database) -> Iterator[None]:
    """Close the database again when opening fails, and say why it cannot be used."""
    try:
        yield
    except sa.exc.DatabaseError as error:
        database.close()
        raise _unusable(error) from error
    except BaseException:
        database.close()
        raise


def _unusable(error: sa.exc.DatabaseError) -> Exception:
    reason = str(error.orig)
    if "malformed" in reason or "not a database" in reason:
        return CoalescopeError(
            "damaged_database",
            f"The database is damaged: {reason}.",
            advice="Restore a backup into a new folder (coalescope restore), and keep this one: "
            "the files below its logs/ can be imported again.",
            status=500,
        )
    if "unable to open" in reason:
        return CoalescopeError(
            "cannot_open_database",
            "The database cannot be opened here: its last writer ended suddenly, and the folder "
            "cannot be written to bring it in order.",
            advice="Copy the folder to where it can be written, and open the copy.",
            status=500,
        )
    if hasattr(error.orig, "sqlstate"):
        return CoalescopeError(
            "database_unreachable",
            f"The database server cannot be used: {reason.strip().splitlines()[0]}.",
            advice="Check COALESCOPE_DATABASE_URL, and that the server runs and knows that user "
            "and database.",
            status=503,
        )
    return error


def _check_writable(data_dir: Path) -> None:
    """Refuse a folder that cannot be written before anything is tried in it."""
    reason = ""
    try:
        make_folder(data_dir)
    except OSError as error:
        reason = error.strerror or str(error)
    places = (data_dir, data_dir / SQLITE_NAME, data_dir / LOGS_NAME, data_dir / LOGS_NAME / "tmp")
    locked = [path for path in places if path.exists() and not os.access(path, os.W_OK)]
    if locked and not reason:
        reason = f"{locked[0].name} is not writable"
    if (data_dir / SQLITE_NAME).is_symlink():
        reason = f"{SQLITE_NAME} is a symbolic link"
    if reason:
        raise CoalescopeError(
            "not_writable",
            f"Nothing can be stored in {str(data_dir)!r}: {reason}.",
            where={"folder": str(data_dir)},
            advice="Let this user write to it, name another folder (--data), or serve what is "
            "there with --read-only.",
            status=503,
        )


def _clear_up(database: Database, store: ObjectStore, *, ended_suddenly: bool) -> None:
    """Remove half-received files; after a sudden end, name the files that have no rows.

    Such a file came in whole. Either its upload was never acknowledged, or the database lost it.
    Where others use the store there is no telling whether its end was sudden.
    """
    removed = store.sweep()
    if removed:
        _LOG.warning("Removed %d files that were being received when a server ended.", removed)
    lost = orphaned_objects(database, store) if ended_suddenly else []
    if lost:
        with database.write():
            pass  # what others were storing has its rows now
        lost = sorted({*lost}.intersection(orphaned_objects(database, store)))
    if lost:
        _LOG.warning(
            "%d files have no rows, the first is %s; `coalescope verify` lists them.",
            len(lost),
            store.name(*lost[0]),
        )
