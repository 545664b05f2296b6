# SPDX-License-Identifier: Apache-2.0
"""Everything that is kept: database and object store, opened together and checked at start."""

from dataclasses import dataclass

from coalescope.database import Database, open_database
from coalescope.datasets.loader import load_datasets
from coalescope.errors import CoalescopeError
from coalescope.migrations import migrate
from coalescope.object_store import DirectoryObjectStore, ObjectStore
from coalescope.settings import Settings


@dataclass(frozen=True)
class Store:
    """An open store."""

    database: Database
    object_store: ObjectStore

    def close(self) -> None:
        """Close what has to be closed."""
        self.database.close()


def open_store(settings: Settings) -> Store:
    """Open the store of these settings, ready for use: migrated, swept, data sets loaded.

    Errors: CoalescopeError when the database is from a newer program, or a data set is wrong or
    their folder is not there; in that case nothing is opened.
    """
    if settings.datasets_dir is not None and not settings.datasets_dir.is_dir():
        raise CoalescopeError(
            "no_datasets",
            f"There is no folder of data sets {str(settings.datasets_dir)!r}.",
            where={"field": "COALESCOPE_DATASETS_DIR"},
            advice="Set COALESCOPE_DATASETS_DIR to the folder that holds them, or to an empty one.",
        )
    database = open_database(settings.database_url, settings.data_dir)
    try:
        migrate(database)
        object_store = DirectoryObjectStore(settings.data_dir / "logs")
        object_store.sweep()
        if settings.datasets_dir is not None:
            load_datasets(database, settings.datasets_dir)
    except BaseException:
        database.close()
        raise
    return Store(database, object_store)
