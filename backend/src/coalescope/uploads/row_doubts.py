# SPDX-License-Identifier: Apache-2.0
"""What cannot be, or is doubtful, in a row of a table: the audits that run logs have, too."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from coalescope.experiments.records import Kind
from coalescope.measures.audits import date_doubts
from coalescope.measures.consistency import contradictions
from coalescope.measures.plausibility import doubts
from coalescope.runs.records import MeasuredValue, RunWarning
from coalescope.uploads.csv_row import TableRow


def row_doubts(
    row: TableRow, measures: Mapping[str, MeasuredValue], kind: Kind | None, *, means: bool
) -> Iterator[RunWarning]:
    """All that is to be said about a row and its measures, each with its number.

    `means`: they are means of several runs.
    """
    values = {name: measured.value for name, measured in measures.items()}
    found = (
        *contradictions(values, {}, row.factors, means=means),
        *doubts(values, {}, row.factors, kind),
        *date_doubts(row.recorded_at),
    )
    for doubt in found:
        yield replace(doubt, where={**doubt.where, "row": row.row})
