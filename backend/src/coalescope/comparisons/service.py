# SPDX-License-Identifier: Apache-2.0
"""Match the cells of two sides and compare the means of a measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coalescope_models.quantity import Better, Quantity
from coalescope_models.statistics import CellSummary, Comparison, Difference, compare
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_key, factor_levels
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors, FactorValue
from coalescope.experiments.service import list_cells, parse_where
from coalescope.glossary.quantities import require_measure
from coalescope.runs.selection import Where

Verdict = Literal["better", "worse", "unresolved"]


@dataclass(frozen=True)
class Side:
    """One of the two: an experiment, and the levels that its cells were chosen by."""

    experiment: ExperimentRecord
    where: Factors


@dataclass(frozen=True)
class ComparedCell:
    """A setting that both sides have."""

    factors: Factors
    a: CellSummary
    b: CellSummary
    difference: Difference


@dataclass(frozen=True)
class Compared:
    """B against A.

    Attributes:
        a: what is compared with.
        b: what is compared.
        measure: whose means are compared.
        better: whether more or less of it is better; None where neither is.
        differing: factors in which the sides differ throughout, with the level of each.
        cells: settings that both have.
        result: ratios over all cells.
        only_a: settings that only A has with this measure.
        only_b: the same for B.

    """

    a: Side
    b: Side
    measure: Quantity
    better: Better | None
    differing: Mapping[str, tuple[FactorValue | None, FactorValue | None]]
    cells: Sequence[ComparedCell]
    result: Comparison
    only_a: Sequence[Factors]
    only_b: Sequence[Factors]

    def verdict(self, ratio: float, *, resolved: bool) -> Verdict | None:
        """What a ratio means; None where neither direction is better."""
        if self.better is None:
            return None
        if not resolved or ratio == 1.0:
            return "unresolved"
        return "better" if (ratio > 1.0) == (self.better == "more") else "worse"

    @property
    def overall_resolved(self) -> bool:
        """Whether the interval of the overall ratio leaves out 1."""
        interval = self.result.overall_ci95
        return interval is not None and not interval[0] <= 1.0 <= interval[1]


@dataclass(frozen=True)
class Regression:
    """What is worse by more than allowed."""

    limit_percent: float
    overall: bool
    cells: Sequence[ComparedCell]

    @property
    def found(self) -> bool:
        """Whether anything is."""
        return self.overall or bool(self.cells)


def compare_experiments(
    connection: Connection,
    a: tuple[ExperimentRecord, Where],
    b: tuple[ExperimentRecord, Where],
    measure: str,
    better: Better | None = None,
) -> Compared:
    """Compare two experiments, or two selections of one.

    Cells are matched by their factors. A factor that has one level on each side, and not the same,
    is what the sides differ in, and is left out of the match. `better` overrides the glossary.

    Errors: 422 for an unknown measure or factor, sides that are the same, no cell in common, means
    that are not positive.
    """
    quantity = require_measure(measure)
    side_a, cells_a = _side(connection, *a, measure)
    side_b, cells_b = _side(connection, *b, measure)
    if side_a.experiment.id == side_b.experiment.id and side_a.where == side_b.where:
        raise CoalescopeError(
            "nothing_to_compare",
            "Both sides are the same cells.",
            where={"a": side_a.experiment.slug, "b": side_b.experiment.slug},
            advice="Choose a level for each side, such as driver_version=1.0 and "
            "driver_version=1.1, or name another experiment.",
        )
    differing = _differing(cells_a, cells_b)
    keyed_a, keyed_b = _keyed(cells_a, differing), _keyed(cells_b, differing)
    try:
        result = compare(_summaries(keyed_a, measure), _summaries(keyed_b, measure))
    except ValueError as error:
        raise CoalescopeError(
            "not_comparable",
            f"{str(error)[:1].upper()}{str(error)[1:]}.",
            where={"a": side_a.experiment.slug, "b": side_b.experiment.slug, "measure": measure},
            advice="Compare experiments that share settings and have this measure.",
        ) from None
    return Compared(
        a=side_a,
        b=side_b,
        measure=quantity,
        better=better or quantity.better,
        differing=differing,
        cells=[
            ComparedCell(
                factors=_without(keyed_a[key].factors, differing),
                a=keyed_a[key].summary(measure),
                b=keyed_b[key].summary(measure),
                difference=difference,
            )
            for key, difference in ((str(key), d) for key, d in result.cells.items())
        ],
        result=result,
        only_a=[c.factors for key, c in keyed_a.items() if key not in keyed_b],
        only_b=[c.factors for key, c in keyed_b.items() if key not in keyed_a],
    )


def regressions(compared: Compared, limit_percent: float) -> Regression:
    """What is worse in B by more than `limit_percent`.

    The overall ratio counts unless its interval holds 1, or there is none because some setting
    has no replicates: then any difference counts, and chance alone can make one. A cell counts
    where it is resolved and its whole simultaneous interval lies beyond the limit.

    Errors: 422 where neither direction of the measure is better.
    """
    if compared.better is None:
        raise CoalescopeError(
            "no_better",
            f"Neither more nor less {compared.measure.name} is better as such.",
            where={"measure": compared.measure.name},
            advice="Say which is better: more or less.",
        )
    share = limit_percent / 100.0

    def beyond(ratio: float) -> bool:
        return ratio < 1.0 - share if compared.better == "more" else ratio > 1.0 + share

    interval = compared.result.overall_ci95
    chance = interval is not None and not compared.overall_resolved
    cells = [
        cell
        for cell in compared.cells
        if cell.difference.resolved
        and cell.difference.simultaneous_ci95 is not None
        and all(map(beyond, cell.difference.simultaneous_ci95))
    ]
    return Regression(limit_percent, beyond(compared.result.overall_ratio) and not chance, cells)


def _side(
    connection: Connection, experiment: ExperimentRecord, where: Where, measure: str
) -> tuple[Side, list[CellRecord]]:
    every = list_cells(connection, experiment)
    chosen_by = parse_where(where, factor_levels(cell.factors for cell in every))
    cells = [c for c in list_cells(connection, experiment, chosen_by) if measure in c.measures]
    if not cells:
        raise CoalescopeError(
            "no_such_cells",
            f"No cell of {experiment.slug} with these levels has {measure}.",
            where={"experiment": experiment.slug, "measure": measure, **chosen_by},
            advice="See the experiment's factors and measures.",
        )
    return Side(experiment, chosen_by), cells


def _differing(
    a: Sequence[CellRecord], b: Sequence[CellRecord]
) -> dict[str, tuple[FactorValue | None, FactorValue | None]]:
    found = {}
    for name in dict.fromkeys(name for cell in (*a, *b) for name in cell.factors):
        levels_a = {cell.factors.get(name) for cell in a}
        levels_b = {cell.factors.get(name) for cell in b}
        if len(levels_a) == len(levels_b) == 1 and levels_a != levels_b:
            found[name] = (levels_a.pop(), levels_b.pop())
    return found


def _keyed(cells: Sequence[CellRecord], without: Mapping[str, object]) -> dict[str, CellRecord]:
    return {factor_key(_without(cell.factors, without)): cell for cell in cells}


def _without(factors: Factors, names: Mapping[str, object]) -> Factors:
    return {name: level for name, level in factors.items() if name not in names}


def _summaries(cells: Mapping[str, CellRecord], measure: str) -> dict[object, CellSummary]:
    return {key: cell.summary(measure) for key, cell in cells.items()}


def sides_of(split: str | None) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Levels of both sides from FACTOR=LEVEL:LEVEL. Errors: 422 for another form."""
    if split is None:
        return [], []
    name, equals, levels = split.partition("=")
    parts = levels.split(":")
    if not (name and equals and len(parts) == 2 and all(parts)):
        raise CoalescopeError(
            "wrong_split",
            f"{split[:80]!r} is not of the form FACTOR=LEVEL:LEVEL.",
            where={"field": "split"},
            advice="As in driver_version=1.0:1.1.",
        )
    return [(name, parts[0])], [(name, parts[1])]
