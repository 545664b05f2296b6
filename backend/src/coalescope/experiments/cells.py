# SPDX-License-Identifier: Apache-2.0
"""Cells as the API shows them: an object for each, or a list for each quantity."""

from collections.abc import Sequence

from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord
from coalescope.experiments.schemas import CellColumnsOut, CellOut, CellsOut, SummaryColumnsOut
from coalescope.runs.intervals import JudgedCells


def cells_out(record: ExperimentRecord, judged: JudgedCells) -> CellsOut:
    """An object for each cell."""
    return CellsOut(
        experiment=record.slug,
        data_version=record.data_version,
        cells=[cell_out(cell) for cell in judged.cells],
        independence=dict(judged.independence),
        left_out=list(judged.left_out),
    )


def cell_out(cell: CellRecord) -> CellOut:
    """That cell as the API shows it."""
    return CellOut.model_validate(cell, from_attributes=True)


def cell_columns_out(record: ExperimentRecord, judged: JudgedCells) -> CellColumnsOut:
    """A list for each quantity, with the same numbers."""
    cells = judged.cells
    factors = dict.fromkeys(name for cell in cells for name in cell.factors)
    measures = dict.fromkeys(name for cell in cells for name in cell.measures)
    return CellColumnsOut(
        experiment=record.slug,
        data_version=record.data_version,
        independence=dict(judged.independence),
        left_out=list(judged.left_out),
        id=[cell.id for cell in cells],
        factors={name: [cell.factors.get(name) for cell in cells] for name in factors},
        runs=[cell.runs for cell in cells],
        partial_runs=[cell.partial_runs for cell in cells],
        measures={name: _columns([cell.measures.get(name) for cell in cells]) for name in measures},
    )


def _columns(summaries: Sequence[SummaryRecord | None]) -> SummaryColumnsOut:
    ends = [each.ci95 if each else None for each in summaries]
    return SummaryColumnsOut(
        n=[each.n if each else None for each in summaries],
        mean=[each.mean if each else None for each in summaries],
        sd=[each.sd if each else None for each in summaries],
        ci95_low=[pair[0] if pair else None for pair in ends],
        ci95_high=[pair[1] if pair else None for pair in ends],
    )
