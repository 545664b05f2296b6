# SPDX-License-Identifier: Apache-2.0
"""SQL of exports: current runs in storing order, a page at a time."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.tables import cells, run_measures, runs
from coalescope.experiments.records import Factors
from coalescope.exports.records import ChosenRuns, ExportedRun
from coalescope.runs.records import MeasuredValue

_PAGE = 500


@dataclass(frozen=True)
class MeasureColumns:
    """A measure of the experiment's current runs: whether any row is a mean, or has a deviation."""

    name: str
    has_means: bool
    has_sd: bool


def _chosen(experiment_id: int, chosen: ChosenRuns) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        runs.c.experiment_id == experiment_id,
        runs.c.status == "current",
        runs.c.uid.not_in(chosen.without),
        *([] if chosen.cells is None else [runs.c.cell_id.in_(_literals(chosen.cells))]),
    )


def _literals(ids: Collection[int]) -> sa.BindParameter[Sequence[int]]:
    """In the statement itself: there may be more than it can have parameters."""
    return sa.bindparam(None, sorted(ids), expanding=True, literal_execute=True)


def measures_of_runs(
    connection: Connection, experiment_id: int, chosen: ChosenRuns
) -> list[MeasureColumns]:
    """Measures of the current runs; no order."""
    query = (
        sa.select(
            run_measures.c.measure,
            sa.func.max(run_measures.c.n) > 1,
            sa.func.count(run_measures.c.sd) > 0,
        )
        .join(runs, runs.c.id == run_measures.c.run_id)
        .where(*_chosen(experiment_id, chosen))
        .group_by(run_measures.c.measure)
    )
    return [MeasureColumns(name, bool(m), bool(sd)) for name, m, sd in connection.execute(query)]


def factors_of_cells(
    connection: Connection, experiment_id: int, chosen: ChosenRuns
) -> Iterator[tuple[int, Factors]]:
    """The row id and the factors of each cell that has a current run."""
    has_run = sa.exists().where(runs.c.cell_id == cells.c.id, *_chosen(experiment_id, chosen))
    query = sa.select(cells.c.id, cells.c.factors).where(
        cells.c.experiment_id == experiment_id, has_run
    )
    yield from map(tuple, connection.execute(query))


def known_of_when(connection: Connection, experiment_id: int, chosen: ChosenRuns) -> list[str]:
    """Which of order, block and recorded_at any current run has."""
    columns = (runs.c.order, runs.c.block, runs.c.recorded_at)
    query = sa.select(*map(sa.func.count, columns)).where(*_chosen(experiment_id, chosen))
    counts = connection.execute(query).one()
    return [column.name for column, count in zip(columns, counts, strict=True) if count]


def replicate_numbers(
    connection: Connection, experiment_id: int, chosen: ChosenRuns
) -> dict[int, set[int]]:
    """The replicate numbers of each cell's current runs."""
    query = sa.select(runs.c.cell_id, runs.c.replicate).where(
        *_chosen(experiment_id, chosen), runs.c.replicate.is_not(None)
    )
    found: dict[int, set[int]] = {}
    for cell_id, replicate in connection.execute(query):
        found.setdefault(cell_id, set()).add(replicate)
    return found


def current_runs(
    connection: Connection, experiment_id: int, chosen: ChosenRuns
) -> Iterator[ExportedRun]:
    """The current runs, in the order they were stored."""
    last = 0
    while page := _page_of_runs(connection, experiment_id, chosen, last):
        measures = _measures(connection, [row.id for row in page])
        for row in page:
            yield ExportedRun(
                row.uid,
                row.cell_id,
                row.factors,
                row.replicate,
                row.partial,
                row.content,
                row.recorded_at,
                row.order,
                row.block,
                measures.get(row.id, {}),
            )
        last = page[-1].id


def _page_of_runs(
    connection: Connection, experiment_id: int, chosen: ChosenRuns, after: int
) -> list[sa.Row[Any]]:
    query = (
        sa.select(
            runs.c.id,
            runs.c.uid,
            runs.c.cell_id,
            cells.c.factors,
            runs.c.replicate,
            runs.c.partial,
            runs.c.content,
            runs.c.recorded_at,
            runs.c.order,
            runs.c.block,
        )
        .join(cells, cells.c.id == runs.c.cell_id)
        .where(
            *_chosen(experiment_id, chosen),
            runs.c.id > after,
        )
        .order_by(runs.c.id)
        .limit(_PAGE)
    )
    return list(connection.execute(query))


def _measures(connection: Connection, run_ids: list[int]) -> dict[int, dict[str, MeasuredValue]]:
    query = sa.select(run_measures).where(run_measures.c.run_id.in_(run_ids))
    found: dict[int, dict[str, MeasuredValue]] = {}
    for run_id, measure, value, sd, n in connection.execute(query):
        found.setdefault(run_id, {})[measure] = MeasuredValue(value, sd, n)
    return found
