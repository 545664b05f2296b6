# SPDX-License-Identifier: Apache-2.0
"""Cells as the API shows them: an object for each, or a list for each quantity."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import to_json

from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord
from coalescope.experiments.schemas import CellColumnsOut, CellOut, CellsOut
from coalescope.runs.intervals import JudgedCells

_PER_PIECE = 100
_VALUES_PER_PIECE = 5000
_CELLS = TypeAdapter(list[CellOut])


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


def cell_columns_json(record: ExperimentRecord, judged: JudgedCells) -> Iterator[bytes]:
    """The JSON of CellColumnsOut: a list for each quantity, with the same numbers, list by list."""
    cells = judged.cells
    none = CellColumnsOut(
        experiment=record.slug,
        data_version=record.data_version,
        independence=dict(judged.independence),
        left_out=list(judged.left_out),
        id=[],
        factors={},
        runs=[],
        partial_runs=[],
        measures={},
    )
    head, id_, _ = none.model_dump_json().encode().partition(b'"id":')
    yield head + id_
    yield from _list(cell.id for cell in cells)
    factors = dict.fromkeys(name for cell in cells for name in cell.factors)
    yield b',"factors":'
    yield from _object((name, _list(cell.factors.get(name) for cell in cells)) for name in factors)
    yield b',"runs":'
    yield from _list(cell.runs for cell in cells)
    yield b',"partial_runs":'
    yield from _list(cell.partial_runs for cell in cells)
    measures = dict.fromkeys(name for cell in cells for name in cell.measures)
    yield b',"measures":'
    yield from _object(
        (name, _columns([cell.measures.get(name) for cell in cells])) for name in measures
    )
    yield b"}"


def _columns(summaries: Sequence[SummaryRecord | None]) -> Iterator[bytes]:
    """The JSON of SummaryColumnsOut."""
    ends = [each.ci95 if each else None for each in summaries]
    columns: dict[str, Iterable[Any]] = {
        "n": (each.n if each else None for each in summaries),
        "mean": (each.mean if each else None for each in summaries),
        "sd": (each.sd if each else None for each in summaries),
        "ci95_low": (pair[0] if pair else None for pair in ends),
        "ci95_high": (pair[1] if pair else None for pair in ends),
    }
    return _object((name, _list(values)) for name, values in columns.items())


def _object(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    yield b"{"
    for place, (name, pieces) in enumerate(members):
        yield (b"," if place else b"") + to_json(name) + b":"
        yield from pieces
    yield b"}"


def _list(values: Iterable[Any]) -> Iterator[bytes]:
    opened, rest = b"[", iter(values)
    while block := list(islice(rest, _VALUES_PER_PIECE)):
        yield opened + to_json(block, inf_nan_mode="null")[1:-1]
        opened = b","
    yield b"[]" if opened == b"[" else b"]"
