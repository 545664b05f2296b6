# SPDX-License-Identifier: Apache-2.0
"""The cells that a view of an experiment shows, laid over its axes. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from coalescope_models.vocabulary.quantity import Quantity

from coalescope.experiments.axes import spanned
from coalescope.experiments.description import default_view
from coalescope.experiments.levels import factor_levels, matches, measure_names
from coalescope.experiments.records import (
    CellRecord,
    ExperimentRecord,
    Factors,
    FactorValue,
    SummaryRecord,
)
from coalescope.glossary.quantities import label_and_unit, measure

MOST_COLUMNS = 32
MOST_ROWS = 16
# from here on a page's scale is logarithmic too
_WIDE = 12


@dataclass(frozen=True)
class Axis:
    """A factor and those of its levels that are drawn, in rising order; `of` is how many it has."""

    name: str
    label: str
    unit: str
    levels: tuple[FactorValue, ...]
    of: int


@dataclass(frozen=True)
class Plane:
    """One measure over x and, where a second factor varies, y.

    Attributes:
        measure: what is drawn, in its unit.
        x: the factor across.
        y: the factor up, None where only one varies.
        where: the level of every other factor that varies.
        cells: what is known at (x, y) or, without y, at (x, None).

    """

    measure: Quantity
    x: Axis
    y: Axis | None
    where: Factors
    cells: Mapping[tuple[FactorValue, FactorValue | None], SummaryRecord]

    @property
    def values(self) -> tuple[float, float]:
        """Least and greatest mean."""
        means = [cell.mean for cell in self.cells.values()]
        return min(means), max(means)

    def place(self, value: float) -> float:
        """Where a value stands on the scale, 0 to 1."""
        low, high = self.values
        if low == high:
            return 0.5
        if low > 0 and high / low > _WIDE:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)


def plane_of(
    record: ExperimentRecord, cells: Sequence[CellRecord], asked: Mapping[str, str]
) -> Plane | None:
    """What the view with these parameters of the address shows; None if no cell has a measure.

    What cannot be read is left out alone, as the page does.
    """
    view = default_view(replace(record, source=_source(record, cells, asked)), cells)
    quantity = measure(view.measure, record.source) if view is not None else None
    if view is None or quantity is None:
        return None
    having = [
        cell
        for cell in cells
        if view.measure in cell.measures
        and matches(cell.factors, view.where)
        and view.x in cell.factors
    ]
    x, y = spanned((view.x, view.y), factor_levels(cell.factors for cell in having))
    having = [cell for cell in having if x in cell.factors]
    x_axis = _axis(x, having, MOST_COLUMNS)
    y_axis = None if y is None else _axis(y, having, MOST_ROWS)
    drawn: dict[tuple[FactorValue, FactorValue | None], SummaryRecord] = {}
    for cell in having:
        at = (cell.factors[x], None if y is None else cell.factors.get(y))
        if at[0] in x_axis.levels and (y_axis is None or at[1] in y_axis.levels):
            drawn.setdefault(at, cell.measures[view.measure])
    return Plane(quantity, x_axis, y_axis, view.where, drawn) if drawn else None


def _source(
    record: ExperimentRecord, cells: Sequence[CellRecord], asked: Mapping[str, str]
) -> dict[str, object]:
    """The experiment's source with a default view that is the one asked for."""
    own = record.source.get("default_view", {})
    levels = factor_levels(cell.factors for cell in cells)
    measures = measure_names(cells)
    there = {"measure": set(measures), "x": set(levels), "y": set(levels)}
    view = {
        name: asked[name] if asked.get(name) in known else own.get(name)
        for name, known in there.items()
    }
    where = dict(own.get("where", {}))
    for name, known in levels.items():
        found = [level for level in known if _spells(asked.get(name), level)]
        if found:
            where[name] = found[0]
    return {**record.source, "default_view": {**view, "where": where}}


def _spells(text: str | None, level: FactorValue) -> bool:
    if text is None or isinstance(level, str):
        return text == level
    try:
        return float(text) == level
    except ValueError:
        return False


def _axis(name: str, cells: Sequence[CellRecord], most: int) -> Axis:
    levels = factor_levels(cell.factors for cell in cells).get(name, [])
    return Axis(name, *label_and_unit(name), tuple(_thinned(levels, most)), len(levels))


def _thinned(levels: Sequence[FactorValue], most: int) -> list[FactorValue]:
    """At most `most` of them, evenly, first and last among them."""
    if len(levels) <= most:
        return list(levels)
    return [levels[round(i * (len(levels) - 1) / (most - 1))] for i in range(most)]
