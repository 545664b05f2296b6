# SPDX-License-Identifier: Apache-2.0
"""Cells as the API shows them: an object for each, or a list for each quantity."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord
from coalescope.experiments.schemas import CellColumnsOut, CellOut, CellsOut, SummaryColumnsOut
from coalescope.runs.intervals import JudgedCells

_PER_PIECE = 100
_CELLS = TypeAdapter(list[CellOut])
#: Writes JSON as bytes; a model's own method writes text, of which the answer is a second copy.
CELLS_JSON: TypeAdapter[Any] = TypeAdapter(CellsOut | CellColumnsOut)


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


def cells_json(record: ExperimentRecord, judged: JudgedCells) -> Iterator[bytes]:
    """The JSON of cells_out, piece by piece: of the largest experiment it is of 300,000 objects."""
    without_cells = cells_out(record, replace(judged, cells=())).model_dump_json().encode()
    head, opened, tail = without_cells.partition(b'"cells":[')
    yield head + opened
    for start in range(0, len(judged.cells), _PER_PIECE):
        block = [cell_out(cell) for cell in judged.cells[start : start + _PER_PIECE]]
        yield (b"," if start else b"") + _CELLS.dump_json(block)[1:-1]
    yield tail


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
