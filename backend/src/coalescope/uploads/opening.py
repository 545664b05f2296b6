# SPDX-License-Identifier: Apache-2.0
"""A tidy CSV looked at without being kept: what the store would say of it. Standard library only.

The page runs this in the browser (frontend/src/engine/files.worker.ts).
"""

from dataclasses import asdict
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from coalescope.errors import CoalescopeError
from coalescope.experiments.description import describe_experiment
from coalescope.experiments.levels import canonical_factors, factor_key, in_order
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors
from coalescope.runs.intervals import JudgedCells, judge_each, judged_cells
from coalescope.runs.records import MeasuredValue, ReplicateRecord, When
from coalescope.runs.summaries import summarise_values
from coalescope.uploads.tidy_csv import Table, check_size, measures_of, read_table


def open_table(content: bytes, filename: str) -> dict[str, Any]:
    """Experiment and cells as the API would show them, or the error it would answer with."""
    try:
        check_size(len(content), filename)
        table = read_table(BytesIO(content))
    except CoalescopeError as error:
        return error.as_json()
    return show_table(table, filename)


def show_table(table: Table, filename: str) -> dict[str, Any]:
    """Experiment and cells of a table that is right, as the API would show them."""
    judged = cells_of(table)
    cells = judged.cells
    said = table.source
    title, kind = said.title or PurePosixPath(filename).stem, said.kind or "measured"
    record = ExperimentRecord(0, "", title, said.subtitle, kind, table.about(said.about), 0, "", "")
    return {
        "experiment": describe_experiment(record, cells),
        "cells": [asdict(cell) for cell in cells],
        "independence": {name: asdict(found) for name, found in judged.independence.items()},
    }


def cells_of(table: Table) -> JudgedCells:
    """The table's cells with their summaries, in the fixed order of their factors."""
    settings: dict[str, Factors] = {}
    numbers: dict[str, int] = {}
    runs: dict[str, int] = {}
    values: dict[str, dict[str, list[MeasuredValue]]] = {}
    replicates: dict[str, list[ReplicateRecord]] = {}
    for row in table.rows:
        key = factor_key(row.factors)
        settings.setdefault(key, canonical_factors(row.factors))
        number = numbers.setdefault(key, len(numbers) + 1)
        runs[key] = runs.get(key, 0) + 1
        when = When(row.replicate, row.order, row.block, row.recorded_at)
        for name, measured in measures_of(table, row).items():
            values.setdefault(key, {}).setdefault(name, []).append(measured)
            record = ReplicateRecord(str(row.row), number, measured, when)
            replicates.setdefault(name, []).append(record)
    cells = in_order(
        CellRecord(
            number,
            settings[key],
            runs[key],
            0,
            {name: summarise_values(found) for name, found in sorted(values[key].items())},
        )
        for key, number in numbers.items()
    )
    return judged_cells(cells, judge_each(replicates))
