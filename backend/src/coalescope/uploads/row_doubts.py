# SPDX-License-Identifier: Apache-2.0
"""What cannot be, or is doubtful, in a row of a table: the audits that run logs have, too."""

from collections.abc import Iterator
from dataclasses import replace

from coalescope.experiments.records import Kind
from coalescope.measures.audits import date_doubts
from coalescope.measures.consistency import contradictions
from coalescope.measures.plausibility import doubts
from coalescope.runs.records import RunWarning
from coalescope.uploads.csv_row import TableRow
from coalescope.uploads.tidy_csv import Table, measures_of


def row_doubts(table: Table, row: TableRow, kind: Kind | None) -> Iterator[RunWarning]:
    """All that is to be said about a row, each with its number."""
    values = {name: measured.value for name, measured in measures_of(table, row).items()}
    found = (
        *contradictions(values, {}, row.factors, means=table.per == "cell"),
        *doubts(values, {}, row.factors, kind),
        *date_doubts(row.recorded_at),
    )
    for doubt in found:
        yield replace(doubt, where={**doubt.where, "row": row.row})
