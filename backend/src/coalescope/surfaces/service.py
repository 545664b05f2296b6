# SPDX-License-Identifier: Apache-2.0
"""Choose two axes, select the cells, and lay one measure over them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coalescope_models.inference.statistics import Independence
from coalescope_models.vocabulary.quantity import Quantity
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.axes import choose_axes
from coalescope.experiments.levels import (
    factor_levels,
    in_words,
    level_order,
    levels_there_are,
    listed,
    matches,
    parse_where,
)
from coalescope.experiments.records import (
    Choice,
    ExperimentRecord,
    Factors,
    FactorValue,
    SummaryRecord,
)
from coalescope.glossary.quantities import glossary_order, label_and_unit, measure
from coalescope.runs.intervals import in_view_of, of_unknown_sequence
from coalescope.runs.service import intervals_in_sequence, says_when
from coalescope.surfaces import repository

_Levels = Mapping[str, list[FactorValue]]


@dataclass(frozen=True)
class Axis:
    """A factor as an axis; `unit` is "" for a text and for a factor the glossary does not know."""

    name: str
    label: str
    unit: str
    levels: list[FactorValue]


@dataclass(frozen=True)
class SurfaceCell:
    """One point: the levels on the axes (None: the cell does not set that factor), and its value.

    `n`, `mean` and `sd` as in the cell's summary, in the measure's unit; `ci95` in view of when the
    runs were recorded.
    """

    x: FactorValue | None
    y: FactorValue | None
    n: int
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None


@dataclass(frozen=True)
class Surface:
    """One measure over x and y; y is None where only one factor varies.

    `independence` is what the sequence of the runs says about the intervals; None where no cell
    has two runs, or nothing was said about when they were recorded.
    """

    experiment: ExperimentRecord
    measure: Quantity
    x: Axis
    y: Axis | None
    where: Choice
    cells: list[SurfaceCell]
    independence: Independence | None


def get_surface(
    connection: Connection,
    experiment: ExperimentRecord,
    measure_name: str,
    where: Iterable[tuple[str, str]] = (),
    axes: tuple[str | None, str | None] = (None, None),
) -> Surface:
    """Return a measure over two factors, cells ordered by y, then x.

    `where` are FACTOR, VALUE pairs as text; `axes` are the names of x and y, each None to choose.

    Errors: 404 if no cell has the measure; 422 for an unknown factor, and where several cells
    fall on one point because another factor varies too.
    """
    found = repository.summaries_of(connection, experiment.id, measure_name)
    judged = of_unknown_sequence(own for _, _, own in found)
    if says_when(connection, experiment):
        judged = intervals_in_sequence(connection, experiment, measure_name)
    rows = [(factors, in_view_of(own, cell_id, judged)) for cell_id, factors, own in found]
    quantity = measure(measure_name, experiment.source)
    if not rows or quantity is None:
        raise _no_such_measure(connection, experiment, measure_name)
    chosen_where = parse_where(where, factor_levels(factors for factors, _ in rows))
    chosen = [row for row in rows if matches(row[0], chosen_where)]
    if not chosen:
        raise _nothing_selected(factor_levels(factors for factors, _ in rows), chosen_where)
    levels = factor_levels(factors for factors, _ in chosen)
    x, y = _choose_axes(levels, axes)
    _check_one_setting(chosen, levels, x, y)
    return Surface(
        experiment=experiment,
        measure=quantity,
        x=_axis(x, levels),
        y=None if y is None else _axis(y, levels),
        where=chosen_where,
        cells=_laid_out(chosen, x, y),
        independence=judged.independence,
    )


def _choose_axes(levels: _Levels, asked: tuple[str | None, str | None]) -> tuple[str, str | None]:
    for name in asked:
        if name is not None and name not in levels:
            raise CoalescopeError(
                "unknown_factor",
                f"The cells chosen have no factor {name!r}.",
                where={"factor": name},
                advice=f"{did_you_mean(name, levels)}Their factors are "
                f"{', '.join(levels) or 'none'}.",
            )
    if not levels:
        raise CoalescopeError(
            "no_axis",
            "The cells chosen set no factor, so there is nothing to lay the measure over.",
            advice="Read the value from the experiment's cells.",
        )
    return choose_axes(levels, *asked)


def _check_one_setting(
    rows: Sequence[tuple[Factors, SummaryRecord]], levels: _Levels, x: str, y: str | None
) -> None:
    """Refuse to mix settings: beside the axes nothing may vary, not even between points."""
    varying = [
        name
        for name in levels
        if name not in (x, y) and len({factors.get(name) for factors, _ in rows}) > 1
    ]
    if not varying:
        return
    axes = [name for name in (x, y) if name is not None]
    vary = "varies" if len(varying) == 1 else "vary"
    shown = "; ".join(f"{name}: {listed(levels[name])}" for name in varying)
    raise CoalescopeError(
        "ambiguous_surface",
        f"Beside {' and '.join(axes)}, {', '.join(varying)} {vary} too.",
        where={"field": "where"},
        advice=f"Choose one level of each ({shown}).",
    )


def _laid_out(
    rows: Sequence[tuple[Factors, SummaryRecord]], x: str, y: str | None
) -> list[SurfaceCell]:
    cells = [
        SurfaceCell(
            x=factors.get(x),
            y=None if y is None else factors.get(y),
            n=summary.n,
            mean=summary.mean,
            sd=summary.sd,
            ci95=summary.ci95,
        )
        for factors, summary in rows
    ]
    return sorted(cells, key=lambda cell: (level_order(cell.y), level_order(cell.x)))


def _axis(name: str, levels: _Levels) -> Axis:
    return Axis(name, *label_and_unit(name), levels[name])


def _no_such_measure(
    connection: Connection, experiment: ExperimentRecord, name: str
) -> CoalescopeError:
    names = sorted(repository.measures_of(connection, experiment.id), key=glossary_order)
    return CoalescopeError(
        "no_such_measure",
        f"No cell of {experiment.slug} has the measure {name!r}.",
        where={"experiment": experiment.slug, "measure": name},
        advice=f"{did_you_mean(name, names)}It has {', '.join(names)}."
        if names
        else "It has no measures yet.",
        status=404,
    )


def _nothing_selected(levels: _Levels, where: Choice) -> CoalescopeError:
    return CoalescopeError(
        "no_such_cells",
        "No cell has these levels.",
        where=in_words(where),
        advice=levels_there_are(where, levels),
    )
