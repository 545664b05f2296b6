# SPDX-License-Identifier: Apache-2.0
"""SQL of what runs measured."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.compiled_sql import chunks
from coalescope.db.tables import run_measures, runs
from coalescope.glossary.quantities import OWN_MEASURE_PREFIX
from coalescope.runs.records import MeasuredValue, ReplicateRecord, RunValues, When
from coalescope.runs.repository import factors_of_cells

_AT_ONCE = 1000
_WHEN = (runs.c.replicate, runs.c.order, runs.c.block, runs.c.recorded_at)


def measures_of(
    connection: Connection, run_ids: Sequence[int]
) -> dict[int, dict[str, MeasuredValue]]:
    """Measures of these runs, by run."""
    found: dict[int, dict[str, MeasuredValue]] = {run_id: {} for run_id in run_ids}
    for chunk in chunks(run_ids):
        query = (
            sa.select(run_measures)
            .where(run_measures.c.run_id.in_(chunk))
            .order_by(run_measures.c.run_id, run_measures.c.measure)
        )
        for run_id, measure, value, sd, n in connection.execute(query):
            found[run_id][measure] = MeasuredValue(value, sd, n)
    return found


def values_of_runs(
    connection: Connection,
    experiment_id: int,
    measures: Sequence[str],
    without: Sequence[str] = (),
) -> list[RunValues]:
    """All current runs in storing order, those in `without` left out.

    A measure that a run does not have is left out of its values.
    """
    factors = factors_of_cells(connection, experiment_id)
    current = _current_runs(connection, experiment_id, without)
    own: dict[int, dict[str, float]] = {run_id: {} for run_id in current}
    means: dict[int, dict[str, MeasuredValue]] = {}
    most: dict[int, int] = {}
    of_measures = run_measures.c.measure.in_(measures)
    for run_id, name, value, sd, n in _measured(connection, experiment_id, without, of_measures):
        own[run_id][name] = value
        most[run_id] = max(n, most.get(run_id, 1))
        if n > 1 and sd is not None:
            means.setdefault(run_id, {})[name] = MeasuredValue(value, sd, n)
    return [
        RunValues(
            cell_id,
            factors[cell_id],
            own[run_id],
            when,
            means.get(run_id, {}),
            most.get(run_id, 1),
        )
        for run_id, (_, cell_id, when) in current.items()
    ]


def own_measures(connection: Connection, experiment_id: int) -> list[str]:
    """Names of measures of one's own that any current run has, in their order."""
    query = (
        sa.select(run_measures.c.measure)
        .distinct()
        .join(runs, runs.c.id == run_measures.c.run_id)
        .where(*_current(experiment_id, ()), run_measures.c.measure.startswith(OWN_MEASURE_PREFIX))
        .order_by(run_measures.c.measure)
    )
    return list(connection.execute(query).scalars())


def replicates_of(
    connection: Connection, in_cells: Sequence[int], measure: str, without: Sequence[str]
) -> list[ReplicateRecord]:
    """One measure of the current runs of these cells, cell by cell in storing order."""
    found: list[ReplicateRecord] = []
    for chunk in chunks(sorted(in_cells)):
        query = (
            sa.select(
                runs.c.uid,
                runs.c.cell_id,
                run_measures.c.value,
                run_measures.c.sd,
                run_measures.c.n,
                *_WHEN,
            )
            .join(run_measures, run_measures.c.run_id == runs.c.id)
            .where(*_replicates(chunk, measure), runs.c.uid.not_in(without))
            .order_by(runs.c.cell_id, runs.c.id)
        )
        found += [
            ReplicateRecord(uid, cell_id, MeasuredValue(value, sd, n), When(*when))
            for uid, cell_id, value, sd, n, *when in connection.execute(query)
        ]
    return found


def replicates_in(connection: Connection, cell_id: int) -> dict[str, dict[int, float]]:
    """Values of a cell's current runs that are single replicates, by measure and run."""
    query = (
        sa.select(run_measures.c.measure, run_measures.c.run_id, run_measures.c.value)
        .join(runs, runs.c.id == run_measures.c.run_id)
        .where(runs.c.cell_id == cell_id, runs.c.status == "current", run_measures.c.n == 1)
        .order_by(runs.c.id)
    )
    found: dict[str, dict[int, float]] = {}
    for measure, run_id, value in connection.execute(query):
        found.setdefault(measure, {})[run_id] = value
    return found


def replicates_by_measure(
    connection: Connection,
    experiment_id: int,
    measure: str | None = None,
    without: Sequence[str] = (),
) -> dict[str, list[ReplicateRecord]]:
    """The current runs by measure, in storing order; those of one measure where it is named."""
    current = _current_runs(connection, experiment_id, without)
    of_measure = () if measure is None else (run_measures.c.measure == measure,)
    found: dict[str, list[ReplicateRecord]] = {}
    for run_id, name, value, sd, n in _measured(connection, experiment_id, without, *of_measure):
        uid, cell_id, when = current[run_id]
        record = ReplicateRecord(uid, cell_id, MeasuredValue(value, sd, n), when)
        found.setdefault(name, []).append(record)
    return found


def count_replicates(connection: Connection, in_cells: Sequence[int], measure: str) -> int:
    """How many current runs of these cells have the measure."""
    return sum(
        connection.execute(
            sa.select(sa.func.count())
            .select_from(runs)
            .join(run_measures, run_measures.c.run_id == runs.c.id)
            .where(*_replicates(chunk, measure))
        ).scalar_one()
        for chunk in chunks(in_cells)
    )


def _replicates(in_cells: Sequence[int], measure: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        runs.c.cell_id.in_(in_cells),
        runs.c.status == "current",
        run_measures.c.measure == measure,
    )


def _current(experiment_id: int, without: Sequence[str]) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        runs.c.experiment_id == experiment_id,
        runs.c.status == "current",
        runs.c.uid.not_in(without),
    )


def _current_runs(
    connection: Connection, experiment_id: int, without: Sequence[str]
) -> dict[int, tuple[str, int, When]]:
    """Identity and cell of each current run, and when it was recorded, in storing order."""
    query = sa.select(runs.c.id, runs.c.uid, runs.c.cell_id, *_WHEN)
    rows = connection.execute(query.where(*_current(experiment_id, without)).order_by(runs.c.id))
    return {run_id: (uid, cell_id, When(*when)) for run_id, uid, cell_id, *when in rows}


def _measured(
    connection: Connection,
    experiment_id: int,
    without: Sequence[str],
    *of_measures: sa.ColumnElement[bool],
) -> Iterable[Any]:
    """Run, measure, value, deviation and number of each value of current runs, run by run."""
    query = (
        sa.select(run_measures)
        .join(runs, runs.c.id == run_measures.c.run_id)
        .where(*_current(experiment_id, without), *of_measures)
        .order_by(run_measures.c.run_id)
    )
    # one by one, to fetch them takes a fifth longer
    return chain.from_iterable(connection.execute(query).partitions(_AT_ONCE))
