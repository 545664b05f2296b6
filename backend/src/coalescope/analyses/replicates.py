# SPDX-License-Identifier: Apache-2.0
"""Every replicate of every cell in one measure, with what they say together.

Standard library only: a copy without a server works it out with this too (copies).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from coalescope_models.inference.statistics import CellIntervals, Independence, outliers
from coalescope_models.vocabulary.quantity import Quantity

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import Where, factor_levels, in_order, matches, parse_where
from coalescope.experiments.records import CellRecord, Choice, ExperimentRecord, SummaryRecord
from coalescope.glossary.quantities import require_measure
from coalescope.runs.intervals import in_view_of
from coalescope.runs.records import ReplicateRecord
from coalescope.runs.summaries import summarise_values

MOST_VALUES = 20_000


@dataclass(frozen=True)
class ReplicatedCell:
    """A cell with its replicates; `outlying` are the places in them that do not belong."""

    cell: CellRecord
    summary: SummaryRecord
    replicates: Sequence[ReplicateRecord]
    outlying: frozenset[int]


@dataclass(frozen=True)
class Replicates:
    """All cells of an experiment that have the measure.

    `independence` says whether intervals may take the replicates for independent; None where no
    cell has two.
    """

    experiment: ExperimentRecord
    measure: Quantity
    where: Choice
    cells: Sequence[ReplicatedCell]
    without: Sequence[str]
    independence: Independence | None


def replicates_among(
    experiment: ExperimentRecord,
    cells: Sequence[CellRecord],
    measure: str,
    where: Where,
    found: Mapping[int, Sequence[ReplicateRecord]],
    without: Sequence[str],
    judged: CellIntervals,
) -> Replicates:
    """The cells with these levels, each with its replicates of the measure.

    Args:
        experiment: whose they are.
        cells: all of its cells.
        measure: the measure.
        where: levels that cells are chosen by, as text.
        found: replicates by cell, without those that were left out.
        without: current runs that were left out.
        judged: what the sequence of all runs makes of the intervals.

    Errors: 422 for an unknown measure or factor, and where there are too many for one answer.
    """
    quantity = require_measure(measure, experiment.source)
    chosen_by = parse_where(where, factor_levels(cell.factors for cell in cells))
    chosen = [c for c in in_order(cells) if c.id in found and matches(c.factors, chosen_by)]
    count = sum(len(found[cell.id]) for cell in chosen)
    refuse_too_many(experiment, measure, count)
    return Replicates(
        experiment,
        quantity,
        chosen_by,
        [_replicated(cell, found[cell.id], judged) for cell in chosen],
        without,
        judged.independence,
    )


def cells_asked_for(cells: Sequence[CellRecord], measure: str, where: Where) -> list[CellRecord]:
    """The cells with these levels. Errors: 422 for an unknown measure or factor."""
    require_measure(measure)
    chosen_by = parse_where(where, factor_levels(cell.factors for cell in cells))
    return [cell for cell in cells if matches(cell.factors, chosen_by)]


def refuse_too_many(experiment: ExperimentRecord, measure: str, count: int) -> None:
    """Errors: 422 where these are too many replicates for one answer."""
    if count > MOST_VALUES:
        raise CoalescopeError(
            "too_many_replicates",
            f"These are {count:,} runs; at most {MOST_VALUES:,} are shown at once.",
            where={"experiment": experiment.slug, "measure": measure},
            advice="Choose levels with FACTOR=VALUE.",
        )


def _replicated(
    cell: CellRecord, replicates: Sequence[ReplicateRecord], judged: CellIntervals
) -> ReplicatedCell:
    values = [replicate.measured for replicate in replicates]
    # a row that is a mean of several replicates has no part in judging single ones
    single = [place for place, value in enumerate(values) if value.n == 1]
    outlying = outliers([values[place].value for place in single])
    return ReplicatedCell(
        cell,
        in_view_of(summarise_values(values), cell.id, judged),
        replicates,
        frozenset(single[k] for k in outlying),
    )


def describe_replicates(found: Replicates) -> dict[str, Any]:
    """The replicates as the API shows them (ReplicatesOut)."""
    return {
        "experiment": found.experiment.slug,
        "data_version": found.experiment.data_version,
        "measure": found.measure.name,
        "unit": found.measure.unit,
        "where": dict(found.where),
        "without": list(found.without),
        "independence": None if found.independence is None else asdict(found.independence),
        "cells": [
            {
                "cell": each.cell.id,
                "factors": dict(each.cell.factors),
                "summary": asdict(each.summary),
                "replicates": [
                    {
                        "run": replicate.uid,
                        "replicate": replicate.replicate,
                        "value": replicate.measured.value,
                        "n": replicate.measured.n,
                        "outlying": place in each.outlying,
                    }
                    for place, replicate in enumerate(each.replicates)
                ],
            }
            for each in found.cells
        ],
    }
