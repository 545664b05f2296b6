# SPDX-License-Identifier: Apache-2.0
"""Load the data sets beside the source: datasets/<slug>/source.toml with a table or run logs.

A data set is loaded once; when its files change it is loaded again in the place of its former
runs. Runs that people added to the experiment stay.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sqlalchemy.engine import Connection

from coalescope.datasets.bundles import check_bundle, store_bundle
from coalescope.datasets.source import Dataset, find_datasets
from coalescope.datasets.tables import dataset_table, table_runs
from coalescope.db.engine import Database
from coalescope.experiments import service as experiments
from coalescope.experiments.changing import bring_back
from coalescope.experiments.records import ExperimentRecord
from coalescope.runs import recording
from coalescope.storage.object_store import ObjectStore
from coalescope.uploads.storing import forget, note_logs


def stale_datasets(database: Database, folder: Path) -> list[Dataset]:
    """Data sets that are not in the store as they are now. Errors: see find_datasets."""
    found = find_datasets(folder)
    with database.read() as connection:
        return [d for d in found if not _is_loaded(connection, d)]


def check_dataset(dataset: Dataset) -> None:
    """Read all of a data set, storing nothing. Errors: CoalescopeError naming what is wrong."""
    if dataset.is_bundle:
        check_bundle(dataset)
    else:
        table_runs(dataset, dataset_table(dataset))


def load_dataset(
    database: Database,
    store: ObjectStore,
    dataset: Dataset,
    stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Bring one data set into the store, in one transaction.

    Errors: CoalescopeError naming what is wrong; bundles.StoppedError once `stopping` says so.
    """
    if dataset.is_bundle:
        logs = store_bundle(dataset, store, stopping)
        with database.write() as connection:
            if not _is_loaded(connection, dataset):
                record, touched = _renew(connection, dataset)
                new = note_logs(connection, record, logs)
                recording.record_dataset_runs(connection, record, new, touched)
    else:
        table = dataset_table(dataset)
        rows = table_runs(dataset, table)
        dataset = replace(dataset, source=table.about(dataset.source))
        with database.write() as connection:
            if not _is_loaded(connection, dataset):
                record, touched = _renew(connection, dataset)
                recording.record_dataset_runs(connection, record, rows, touched)


def _is_loaded(connection: Connection, dataset: Dataset) -> bool:
    """Whether it is in the store already, perhaps by another process that was faster."""
    return experiments.dataset_sha256(connection, dataset.slug) == dataset.sha256


def _renew(connection: Connection, dataset: Dataset) -> tuple[ExperimentRecord, set[int]]:
    """Describe the experiment as the data set does; returns it and the cells it is taken out of.

    One that people made under its name and deleted is shown again.
    """
    bring_back(connection, dataset.slug)
    record = experiments.ensure_experiment(
        connection, dataset.slug, dataset.title, dataset.kind, source=dataset.source
    )
    experiments.update_from_dataset(
        connection, record, dataset.title, dataset.subtitle, dataset.source, dataset.sha256
    )
    former = recording.remove_dataset_runs(connection, record)
    forget(connection, former.upload_ids)
    return record, former.cell_ids
