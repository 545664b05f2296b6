# SPDX-License-Identifier: Apache-2.0
"""Match the cells of two sides and compare the means of a measure. Standard library only.

A copy without a server compares with this too (copies).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coalescope_models.inference.statistics import (
    ORDER_OF_MEANS,
    CellSummary,
    Comparison,
    Judged,
    SideRuns,
    compare,
    judge,
)
from coalescope_models.vocabulary.quantity import Better, Quantity

from coalescope.comparisons.compared import Compared, ComparedCell, Side
from coalescope.errors import CoalescopeError, sentence
from coalescope.experiments.levels import (
    Where,
    factor_key,
    factor_levels,
    in_order,
    in_words,
    levels_there_are,
    matches,
    parse_where,
)
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors, FactorValue
from coalescope.glossary.quantities import require_measure
from coalescope.runs.records import ReplicateRecord
from coalescope.runs.sequence import sequence_of


@dataclass(frozen=True)
class Chosen:
    """An experiment with all its cells, and the levels that are wanted of them, as text.

    `runs` are those of the measure, by cell, at least of the cells with these levels.
    """

    experiment: ExperimentRecord
    cells: Sequence[CellRecord]
    where: Where
    runs: Mapping[int, Sequence[ReplicateRecord]]


def compare_cells(a: Chosen, b: Chosen, measure: str, better: Better | None = None) -> Compared:
    """Compare the cells of two experiments, or two selections of one.

    Cells are matched by their factors. A factor that has one level on each side, and not the same,
    is what the sides differ in, and is left out of the match. `better` overrides the glossary.

    Errors: 422 for an unknown measure or factor, sides that are the same, no cell in common, means
    that are not positive.
    """
    quantity = _quantity(a.experiment, b.experiment, measure)
    side_a, cells_a = _side(a, measure)
    side_b, cells_b = _side(b, measure)
    if side_a.experiment.slug == side_b.experiment.slug and side_a.where == side_b.where:
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
        summaries = _summaries(keyed_a, measure), _summaries(keyed_b, measure)
        result = compare(*summaries)
    except ValueError as error:
        raise CoalescopeError(
            "not_comparable",
            sentence(str(error)),
            where={"a": side_a.experiment.slug, "b": side_b.experiment.slug, "measure": measure},
            advice=_apart(cells_a, cells_b)
            or "Compare experiments that share settings and have this measure.",
        ) from None
    judged = _judged(a, b, keyed_a, keyed_b)
    if judged.spread is not None:
        result = compare(*summaries, judged.spread)
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
        dependence=_dependence(judged, result),
        timed=_timed(a, b, keyed_a, keyed_b),
        hidden=judged.reason,
    )


def _quantity(a: ExperimentRecord, b: ExperimentRecord, measure: str) -> Quantity:
    """The measure; one of their own has a unit and a better direction where both say the same."""
    of_a, of_b = (require_measure(measure, experiment.source) for experiment in (a, b))
    return of_a if of_a == of_b else require_measure(measure)


def _dependence(judged: Judged, result: Comparison) -> str | None:
    """What the sequence of the runs does to the intervals that there are, or would be."""
    untouched = judged.spread is None
    return None if untouched and result.overall_ci95 is None else judged.reason


def _judged(
    a: Chosen, b: Chosen, keyed_a: Mapping[str, CellRecord], keyed_b: Mapping[str, CellRecord]
) -> Judged:
    """What it does that runs of the settings that both have may depend on each other."""
    sides = []
    when = []
    experiments = []
    for chosen, keyed, other in ((a, keyed_a, keyed_b), (b, keyed_b, keyed_a)):
        found = [
            (key, run)
            for key, cell in keyed.items()
            if key in other
            for run in chosen.runs.get(cell.id, ())
            if run.measured.n == 1
        ]
        if not found:
            return Judged(ORDER_OF_MEANS, None)
        sides.append(SideRuns([run.measured.value for _, run in found], [key for key, _ in found]))
        when += [run.when for _, run in found]
        experiments += [chosen.experiment.slug] * len(found)
    return judge(sides[0], sides[1], sequence_of(when, experiments))


def _timed(
    a: Chosen, b: Chosen, keyed_a: Mapping[str, CellRecord], keyed_b: Mapping[str, CellRecord]
) -> bool:
    """Whether it is known of all runs of the settings that both have when they were recorded.

    A mean of several runs does not say it of them, nor does a clock that the order contradicts. The
    order tells it within one experiment.
    """
    runs = [
        (run, chosen.experiment.slug)
        for chosen, keyed, other in ((a, keyed_a, keyed_b), (b, keyed_b, keyed_a))
        for key, cell in keyed.items()
        if key in other
        for run in chosen.runs.get(cell.id, ())
    ]
    when = [run.when for run, _ in runs]
    sequence = sequence_of(when, [slug for _, slug in runs])
    ordered = a.experiment.slug == b.experiment.slug and sequence.positions is not None
    return all(run.measured.n == 1 for run, _ in runs) and (
        ordered
        or (all(each.recorded_at is not None for each in when) and not sequence.contradicted)
        or all(each.block is not None for each in when)
    )


def _side(chosen: Chosen, measure: str) -> tuple[Side, list[CellRecord]]:
    levels = factor_levels(cell.factors for cell in chosen.cells)
    chosen_by = parse_where(chosen.where, levels)
    with_levels = [cell for cell in in_order(chosen.cells) if matches(cell.factors, chosen_by)]
    cells = [cell for cell in with_levels if measure in cell.measures]
    if not cells:
        raise CoalescopeError(
            "no_such_cells",
            f"No cell of {chosen.experiment.slug} with these levels has {measure}.",
            where={"experiment": chosen.experiment.slug, "measure": measure, **in_words(chosen_by)},
            advice="See the experiment's factors and measures."
            if with_levels or not chosen_by
            else levels_there_are(chosen_by, levels),
        )
    return Side(chosen.experiment, chosen_by), cells


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


def _apart(a: Sequence[CellRecord], b: Sequence[CellRecord]) -> str | None:
    """How to ask where the sides have a factor with no level in common."""
    levels_a, levels_b = (factor_levels(cell.factors for cell in side) for side in (a, b))
    for name in levels_a.keys() & levels_b.keys():
        one, other = levels_a[name], levels_b[name]
        if not set(one) & set(other):
            return (
                f"{name} is {', '.join(map(str, one[:6]))} in A and "
                f"{', '.join(map(str, other[:6]))} in B. If two of them stand for each other, say "
                f"so: split {name}={one[0]}:{other[0]} (--split on the command line)."
            )
    return None


def _keyed(cells: Sequence[CellRecord], without: Mapping[str, object]) -> dict[str, CellRecord]:
    return {factor_key(_without(cell.factors, without)): cell for cell in cells}


def _without(factors: Factors, names: Mapping[str, object]) -> Factors:
    return {name: level for name, level in factors.items() if name not in names}


def _summaries(cells: Mapping[str, CellRecord], measure: str) -> dict[object, CellSummary]:
    return {key: cell.summary(measure) for key, cell in cells.items()}
