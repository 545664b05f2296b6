# SPDX-License-Identifier: Apache-2.0
"""Every replicate of every cell in one measure, with what they say together."""

from collections.abc import Sequence
from dataclasses import dataclass

from coalescope_models.quantity import Quantity
from coalescope_models.statistics import outliers
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_levels
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors, SummaryRecord
from coalescope.experiments.service import list_cells, parse_where
from coalescope.glossary.quantities import require_measure
from coalescope.runs.records import ReplicateRecord
from coalescope.runs.selection import Where, current_among
from coalescope.runs.service import replicates_of
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
    """All cells of an experiment that have the measure."""

    experiment: ExperimentRecord
    measure: Quantity
    where: Factors
    cells: Sequence[ReplicatedCell]
    without: Sequence[str]


def list_replicates(
    connection: Connection,
    experiment: ExperimentRecord,
    measure: str,
    where: Where,
    without: Sequence[str] = (),
) -> Replicates:
    """Read them, runs in `without` left out.

    Errors: 422 for an unknown measure or factor, and where there are too many for one answer.
    """
    quantity = require_measure(measure)
    every = list_cells(connection, experiment)
    chosen_by = parse_where(where, factor_levels(cell.factors for cell in every))
    found = replicates_of(connection, experiment, measure, without)
    chosen = [c for c in list_cells(connection, experiment, chosen_by) if c.id in found]
    count = sum(len(found[cell.id]) for cell in chosen)
    if count > MOST_VALUES:
        raise CoalescopeError(
            "too_many_replicates",
            f"These are {count:,} runs; at most {MOST_VALUES:,} are shown at once.",
            where={"experiment": experiment.slug, "measure": measure},
            advice="Choose levels with FACTOR=VALUE.",
        )
    return Replicates(
        experiment,
        quantity,
        chosen_by,
        [_replicated(cell, found[cell.id]) for cell in chosen],
        current_among(connection, experiment, without),
    )


def _replicated(cell: CellRecord, replicates: Sequence[ReplicateRecord]) -> ReplicatedCell:
    values = [replicate.measured for replicate in replicates]
    # a row that is a mean of several replicates has no part in judging single ones
    single = [place for place, value in enumerate(values) if value.n == 1]
    outlying = outliers([values[place].value for place in single])
    return ReplicatedCell(
        cell, summarise_values(values), replicates, frozenset(single[k] for k in outlying)
    )
