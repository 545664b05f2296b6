# SPDX-License-Identifier: Apache-2.0
"""Load the data sets beside the source: datasets/<slug>/source.toml and data.csv.

A data set is loaded once; when its files change it is loaded again in the place of its former
rows. Runs that people added to the experiment stay.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy.engine import Connection

from coalescope.database import Database
from coalescope.errors import CoalescopeError
from coalescope.experiments import service as experiments
from coalescope.experiments.records import Kind
from coalescope.runs.records import NewRun
from coalescope.runs.service import replace_dataset_runs
from coalescope.uploads.csv_files import with_derived
from coalescope.uploads.tidy_csv import Table, TableRow, read_table

_TITLE_FIELDS = ("title", "subtitle", "kind")


@dataclass(frozen=True)
class _Dataset:
    slug: str
    title: str
    subtitle: str
    kind: Kind
    source: Mapping[str, Any]
    sha256: str
    folder: Path


def load_datasets(database: Database, folder: Path) -> list[str]:
    """Bring every data set in `folder` into the store; returns the slugs that were (re)loaded.

    Errors: CoalescopeError naming the data set whose files are wrong; nothing of it is stored.
    """
    found = [_find(path.parent) for path in sorted(folder.glob("*/source.toml"))]
    with database.read() as connection:
        stale = [d for d in found if experiments.dataset_sha256(connection, d.slug) != d.sha256]
    for dataset in stale:
        table = _read(dataset)
        with database.write() as connection:
            _load(connection, dataset, table)
    return [dataset.slug for dataset in stale]


def _find(folder: Path) -> _Dataset:
    source_bytes = (folder / "source.toml").read_bytes()
    source = tomllib.loads(source_bytes.decode())
    digest = hashlib.sha256(source_bytes + (folder / "data.csv").read_bytes()).hexdigest()
    experiments.check_slug(folder.name)
    experiments.check_kind(source["kind"])
    return _Dataset(
        slug=folder.name,
        title=source["title"],
        subtitle=source.get("subtitle", ""),
        kind=source["kind"],
        source={name: value for name, value in source.items() if name not in _TITLE_FIELDS},
        sha256=digest,
        folder=folder,
    )


def _read(dataset: _Dataset) -> Table:
    path = dataset.folder / "data.csv"
    try:
        with path.open("rb") as file:
            return read_table(file)
    except CoalescopeError as error:
        error.where["file"] = str(path)
        raise


def _load(connection: Connection, dataset: _Dataset, table: Table) -> None:
    if experiments.dataset_sha256(connection, dataset.slug) == dataset.sha256:
        return  # another process was faster
    record = experiments.ensure_experiment(
        connection, dataset.slug, dataset.title, dataset.kind, source=dataset.source
    )
    experiments.update_from_dataset(
        connection, record, dataset.title, dataset.subtitle, dataset.source, dataset.sha256
    )
    runs = [_run(dataset, table, row) for row in table.rows]
    replace_dataset_runs(connection, record, runs)


def _run(dataset: _Dataset, table: Table, row: TableRow) -> NewRun:
    return NewRun(
        uid=str(uuid5(NAMESPACE_URL, f"coalescope:dataset:{dataset.sha256}:{row.row}")),
        factors=row.factors,
        replicate=row.replicate,
        content="dataset",
        measures=with_derived(row.measures) if table.per == "run" else row.measures,
        csv_row=row.row,
    )
