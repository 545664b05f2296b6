# SPDX-License-Identifier: Apache-2.0
"""Read the cells and runs that an analysis of replicates is about."""

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from coalescope.analyses.replicates import (
    Replicates,
    cells_asked_for,
    refuse_too_many,
    replicates_among,
)
from coalescope.analyses.replication import ReplicationPlan, plan_cells
from coalescope.analyses.variance import Variance, variance_among
from coalescope.experiments.levels import Where
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.service import list_cells
from coalescope.glossary.quantities import require_measure
from coalescope.runs.selection import current_among, select_runs
from coalescope.runs.service import (
    cells_excluding_runs,
    count_replicates,
    intervals_in_sequence,
    replicates_of,
)


def list_replicates(
    connection: Connection,
    experiment: ExperimentRecord,
    measure: str,
    where: Where,
    without: Sequence[str] = (),
) -> Replicates:
    """Every cell's replicates, runs in `without` left out: see `replicates_among`."""
    cells = list_cells(connection, experiment)
    asked = [cell.id for cell in cells_asked_for(cells, measure, where)]
    # counted before they are read: to read all runs of a large experiment takes seconds
    refuse_too_many(
        experiment, measure, count_replicates(connection, asked, measure) - len(without)
    )
    found = replicates_of(connection, asked, measure, without)
    left_out = current_among(connection, experiment, without)
    judged = intervals_in_sequence(connection, experiment, measure, without)
    return replicates_among(experiment, cells, measure, where, found, left_out, judged)


def plan_replicates(
    connection: Connection,
    experiment: ExperimentRecord,
    measure: str,
    width_percent: float,
    where: Where,
    without: Sequence[str] = (),
) -> ReplicationPlan:
    """What to measure again, runs in `without` left out: see `plan_cells`."""
    every = list_cells(connection, experiment)
    left_out, remaining = cells_excluding_runs(connection, experiment, every, without)
    return plan_cells(experiment, every, remaining, measure, width_percent, where, left_out)


def analyse_variance(
    connection: Connection,
    experiment: ExperimentRecord,
    measure: str,
    factors: tuple[str, str],
    where: Where,
    without: Sequence[str] = (),
) -> Variance:
    """Which of two factors moves a measure, runs in `without` left out: see `variance_among`."""
    require_measure(measure)
    chosen = select_runs(connection, experiment, [measure], where, without)
    return variance_among(experiment, measure, factors, chosen)
