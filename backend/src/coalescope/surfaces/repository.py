# SPDX-License-Identifier: Apache-2.0
"""SQL of surfaces: one measure's summaries, and nothing else of the experiment."""

import json
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import compiled_sql
from coalescope.db.tables import cells, summaries
from coalescope.experiments.records import Factors, SummaryRecord

_SUMMARIES = (
    sa.select(
        cells.c.factor_key,
        summaries.c.n,
        summaries.c.mean,
        summaries.c.sd,
        summaries.c.ci95_low,
        summaries.c.ci95_high,
        cells.c.id,
    )
    .join(summaries, summaries.c.cell_id == cells.c.id)
    .where(
        cells.c.experiment_id == sa.bindparam("experiment"),
        summaries.c.measure == sa.bindparam("measure"),
    )
)


def summaries_of(
    connection: Connection, experiment_id: int, measure: str
) -> list[tuple[int, Factors, SummaryRecord]]:
    """Row id, factors and summary of every cell that has the measure; no order."""
    rows = summary_rows(connection, experiment_id, measure)
    settings = json.loads(f"[{','.join([row[0] for row in rows])}]")
    return [
        (
            cell_id,
            factors,
            SummaryRecord(n, mean, sd, None if low is None or high is None else (low, high)),
        )
        for factors, (_, n, mean, sd, low, high, cell_id) in zip(settings, rows, strict=True)
    ]


def summary_rows(
    connection: Connection, experiment_id: int, measure: str
) -> Sequence[tuple[str, int, float, float | None, float | None, float | None, int]]:
    """The same as the database has it: the factors as text, of which its index holds a copy."""
    return compiled_sql.run(connection, _SUMMARIES, experiment=experiment_id, measure=measure)


def measures_of(connection: Connection, experiment_id: int) -> list[str]:
    """Names of the measures that some cell has; no order."""
    query = (
        sa.select(summaries.c.measure)
        .distinct()
        .join(cells, cells.c.id == summaries.c.cell_id)
        .where(cells.c.experiment_id == experiment_id)
    )
    return list(connection.scalars(query))
