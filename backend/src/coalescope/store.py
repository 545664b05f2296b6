# SPDX-License-Identifier: Apache-2.0
"""Everything that is kept: database and object store, opened together and checked at start."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coalescope.database import Database, open_database
from coalescope.datasets.loader import load_dataset, stale_datasets
from coalescope.datasets.source import Dataset
from coalescope.errors import CoalescopeError
from coalescope.migrations import migrate
from coalescope.object_store import DirectoryObjectStore, ObjectStore
from coalescope.settings import Settings


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
    settings: Settings, *, waits_for: Callable[[str], bool] = lambda slug: True
) -> Store:
    """Open the store of these settings, ready for use: migrated, swept, data sets loaded.

    Data sets that are bundles of run logs take seconds: only those are loaded whose slug
    `waits_for` approves, the others are left to the caller.

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
        stale = stale_datasets(database, settings.datasets_dir) if settings.datasets_dir else []
        waiting = [d for d in stale if d.is_bundle and not waits_for(d.slug)]
        for dataset in stale:
            if dataset not in waiting:
                load_dataset(database, object_store, dataset)
    except BaseException:
        database.close()
        raise
    return Store(database, object_store, waiting)
