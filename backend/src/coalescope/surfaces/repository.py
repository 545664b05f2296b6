# SPDX-License-Identifier: Apache-2.0
"""SQL of surfaces: one measure's summaries, and nothing else of the experiment."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.database import cells, summaries
from coalescope.experiments.records import Factors, SummaryRecord


def summaries_of(
    connection: Connection, experiment_id: int, measure: str
) -> list[tuple[Factors, SummaryRecord]]:
    """The factors and the summary of every cell that has the measure; no order."""
    query = (
        sa.select(
            cells.c.factors,
            summaries.c.n,
            summaries.c.mean,
            summaries.c.sd,
            summaries.c.ci95_low,
            summaries.c.ci95_high,
        )
        .join(summaries, summaries.c.cell_id == cells.c.id)
        .where(cells.c.experiment_id == experiment_id, summaries.c.measure == measure)
    )
    return [
        (factors, SummaryRecord(n, mean, sd, None if low is None or high is None else (low, high)))
        for factors, n, mean, sd, low, high in connection.execute(query)
    ]


def measures_of(connection: Connection, experiment_id: int) -> list[str]:
    """Names of the measures that some cell has; no order."""
    query = (
        sa.select(summaries.c.measure)
        .distinct()
        .join(cells, cells.c.id == summaries.c.cell_id)
        .where(cells.c.experiment_id == experiment_id)
    )
    return list(connection.scalars(query))
