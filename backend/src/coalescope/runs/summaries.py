# SPDX-License-Identifier: Apache-2.0
"""A cell's summary of one measure from the values of its current runs. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum, sqrt

from coalescope_models.inference.statistics import from_moments, summarise

from coalescope.experiments.records import CellRecord, SummaryRecord
from coalescope.glossary.quantities import glossary_order
from coalescope.runs.records import MeasuredValue


def summarise_values(values: Sequence[MeasuredValue]) -> SummaryRecord:
    """n, mean, sd and 95 % t interval with n − 1 degrees of freedom.

    The replicate is the sampling unit. Rows that are means of several replicates are pooled
    exactly: the squares within them, (nᵢ − 1)sᵢ², and between them, nᵢ(mᵢ − m)², add up. If a
    row of several replicates has no deviation, the cell's deviation is not known.
    """
    if all(value.n == 1 for value in values):
        found = summarise(value.value for value in values)
    else:
        found = from_moments(*_pooled(values))
    return SummaryRecord(found.n, found.mean, found.sd, found.ci95)


def _pooled(values: Sequence[MeasuredValue]) -> tuple[int, float, float | None]:
    total = sum(value.n for value in values)
    mean = fsum(value.n * value.value for value in values) / total
    if len(values) == 1:
        return total, values[0].value, values[0].sd
    if any(value.n > 1 and value.sd is None for value in values):
        return total, mean, None
    within = fsum((value.n - 1) * (value.sd or 0.0) ** 2 for value in values)
    between = fsum(value.n * (value.value - mean) ** 2 for value in values)
    return total, mean, sqrt((within + between) / (total - 1))


def cells_after(
    cells: Iterable[CellRecord],
    places: Sequence[tuple[str, int, bool]],
    values: Mapping[tuple[int, str], Sequence[MeasuredValue]],
) -> list[CellRecord]:
    """The cells as if some runs did not count. A cell of which nothing is left is left out.

    `places` are the identity, cell and whether cut off of each run that is left out, `values` what
    the others in these cells measured, by cell and measure.
    """
    touched = {cell_id for _, cell_id, _ in places}
    found: dict[int, dict[str, SummaryRecord]] = {}
    for (cell_id, measure), at_place in values.items():
        found.setdefault(cell_id, {})[measure] = summarise_values(at_place)
    return [
        cell
        if cell.id not in touched
        else replace(
            cell,
            measures=dict(sorted(found[cell.id].items(), key=lambda own: glossary_order(own[0]))),
            runs=cell.runs - sum(place == cell.id for _, place, _ in places),
            partial_runs=cell.partial_runs
            - sum(place == cell.id and partial for _, place, partial in places),
        )
        for cell in cells
        if cell.id not in touched or cell.id in found
    ]
