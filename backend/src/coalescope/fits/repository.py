# SPDX-License-Identifier: Apache-2.0
"""SQL of fits: a few measures of the current runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.database import cells, run_measures, runs
from coalescope.experiments.records import Factors


@dataclass(frozen=True)
class RunValues:
    """A current run (or a row of means), its cell, and its values of the measures asked for."""

    cell_id: int
    factors: Factors
    values: dict[str, float]


def values_of_runs(
    connection: Connection, experiment_id: int, measures: Sequence[str]
) -> list[RunValues]:
    """All current runs in storing order; a measure that a run does not have is left out."""
    chosen = (runs.c.experiment_id == experiment_id, runs.c.status == "current")
    factors = dict(
        connection.execute(
            sa.select(cells.c.id, cells.c.factors).where(cells.c.experiment_id == experiment_id)
        ).all()
    )
    found = {
        run_id: RunValues(cell_id, factors[cell_id], {})
        for run_id, cell_id in connection.execute(
            sa.select(runs.c.id, runs.c.cell_id).where(*chosen).order_by(runs.c.id)
        )
    }
    values = (
        sa.select(run_measures.c.run_id, run_measures.c.measure, run_measures.c.value)
        .join(runs, runs.c.id == run_measures.c.run_id)
        .where(*chosen, run_measures.c.measure.in_(measures))
    )
    for run_id, measure, value in connection.execute(values):
        found[run_id].values[measure] = value
    return list(found.values())
