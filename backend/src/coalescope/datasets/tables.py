# SPDX-License-Identifier: Apache-2.0
"""A data set that is a table: its rows become runs."""

from uuid import NAMESPACE_URL, uuid5

from coalescope.datasets.source import Dataset
from coalescope.errors import CoalescopeError
from coalescope.runs.records import NewRun
from coalescope.uploads.csv_row import TableRow
from coalescope.uploads.row_doubts import row_doubts
from coalescope.uploads.tidy_csv import Table, measures_of, read_table


def dataset_table(dataset: Dataset) -> Table:
    """The table. Errors: CoalescopeError naming the file and the row that is wrong."""
    try:
        with dataset.path.open("rb") as file:
            return read_table(file)
    except CoalescopeError as error:
        error.where["file"] = str(dataset.path)
        raise


def table_runs(dataset: Dataset, table: Table) -> list[NewRun]:
    """The rows as runs."""
    return [_run(dataset, table, row) for row in table.rows]


def _run(dataset: Dataset, table: Table, row: TableRow) -> NewRun:
    measures = measures_of(table, row)
    return NewRun(
        uid=str(uuid5(NAMESPACE_URL, f"coalescope:dataset:{dataset.sha256}:{row.row}")),
        factors=row.factors,
        replicate=row.replicate,
        content="dataset",
        measures=measures,
        csv_row=row.row,
        recorded_at=row.recorded_at,
        order=row.order,
        block=row.block,
        warnings=list(row_doubts(row, measures, dataset.kind, means=table.per == "cell")),
    )
