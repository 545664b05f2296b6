# SPDX-License-Identifier: Apache-2.0
"""SQL of what follows from the current runs of a cell: its summaries, and how many they are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import compiled_sql
from coalescope.db.compiled_sql import any_of, chunks
from coalescope.db.tables import cells, experiments, run_measures, runs, summaries
from coalescope.experiments.records import SummaryRecord
from coalescope.runs.records import CountedCell, MeasuredValue, SummedMeasure

_CURRENT_VALUES = (
    sa.select(
        runs.c.cell_id,
        run_measures.c.measure,
        run_measures.c.value,
        run_measures.c.sd,
        run_measures.c.n,
    )
    .join(run_measures, run_measures.c.run_id == runs.c.id)
    .where(
        runs.c.cell_id.in_(any_of("cells")),
        runs.c.status == "current",
        runs.c.uid.not_in(any_of("without")),
    )
    .order_by(runs.c.cell_id, runs.c.id, run_measures.c.measure)
)
_KEPT = [summaries.c[name] for name in ("n", "mean", "sd", "ci95_low", "ci95_high")]
_OFF = run_measures.c.value - summaries.c.mean
# A server refuses sums whose squares are too large or too small for it: there these have none.
_LARGEST = 1e140
_OFF_ON_SERVER = sa.case(
    (
        sa.and_(
            run_measures.c.value.between(-_LARGEST, _LARGEST),
            summaries.c.mean.between(-_LARGEST, _LARGEST),
        ),
        sa.case((sa.or_(_OFF == 0, sa.func.abs(_OFF) > 1 / _LARGEST), _OFF)),
    )
)


def _summed(off: sa.ColumnElement[float]) -> sa.Select[Any]:
    of_measure = sa.and_(
        summaries.c.cell_id == runs.c.cell_id,
        summaries.c.measure == run_measures.c.measure,
        summaries.c.cell_id.in_(any_of("cells")),  # else PostgreSQL hashes those of all cells
    )
    return (
        sa.select(
            runs.c.cell_id,
            sa.func.count(),
            sa.func.count(off).filter(run_measures.c.n == 1),
            sa.func.sum(off),
            sa.func.sum(off * off),
            *_KEPT,
        )
        .select_from(runs)
        .join(run_measures, run_measures.c.run_id == runs.c.id)
        .outerjoin(summaries, of_measure)
        .where(runs.c.cell_id.in_(any_of("cells")), runs.c.status == "current")
        .group_by(runs.c.cell_id, run_measures.c.measure, *_KEPT)
    )


_SUMMED, _SUMMED_ON_SERVER = _summed(_OFF), _summed(_OFF_ON_SERVER)
_KEPT_COUNTS = (
    sa.select(summaries.c.cell_id, sa.func.count())
    .where(summaries.c.cell_id.in_(any_of("cells")))
    .group_by(summaries.c.cell_id)
)
_CURRENT_IN_CELL = sa.and_(runs.c.cell_id == cells.c.id, runs.c.status == "current")
_COUNT = sa.select(sa.func.count()).select_from(runs)
_COUNT_CURRENT = (
    sa.update(cells)
    .where(cells.c.id.in_(any_of("cells")))
    .values(
        current_runs=_COUNT.where(_CURRENT_IN_CELL).scalar_subquery(),
        partial_runs=_COUNT.where(_CURRENT_IN_CELL, runs.c.partial).scalar_subquery(),
    )
)
_EXPERIMENTS = (
    sa.select(experiments.c.id, experiments.c.slug)
    .distinct()
    .join(cells, cells.c.experiment_id == experiments.c.id)
    .where(cells.c.id.in_(any_of("cells")))
)
_DELETE_SUMMARIES = sa.delete(summaries).where(summaries.c.cell_id.in_(any_of("cells")))


def experiments_of(connection: Connection, in_cells: Sequence[int]) -> dict[int, str]:
    """The experiments that these cells are of: row id and slug."""
    found: dict[int, str] = {}
    for chunk in chunks(in_cells):
        found |= dict(compiled_sql.run(connection, _EXPERIMENTS, cells=chunk))
    return found


def extent(connection: Connection, experiment_id: int) -> tuple[int, int, int]:
    """Of an experiment's cells with runs: how many, characters of their settings, summaries."""
    shown = sa.and_(cells.c.experiment_id == experiment_id, cells.c.current_runs > 0)
    characters = sa.func.coalesce(sa.func.sum(sa.func.length(cells.c.factor_key)), 0)
    of_cells = connection.execute(sa.select(sa.func.count(), characters).where(shown)).one()
    kept = sa.select(sa.func.count()).select_from(
        summaries.join(cells, cells.c.id == summaries.c.cell_id)
    )
    return (*of_cells, connection.scalar(kept.where(shown)) or 0)


def current_values(
    connection: Connection, touched: Sequence[int], without: Sequence[str] = ()
) -> dict[tuple[int, str], list[MeasuredValue]]:
    """Values of the current runs of these cells, by cell and measure, in storing order.

    Runs of the identities in `without` are left out.
    """
    found: dict[tuple[int, str], list[MeasuredValue]] = {}
    for chunk in chunks(touched):
        rows = compiled_sql.run(connection, _CURRENT_VALUES, cells=chunk, without=list(without))
        for cell_id, measure, value, sd, n in rows:
            found.setdefault((cell_id, measure), []).append(MeasuredValue(value, sd, n))
    return found


def replace_summaries(
    connection: Connection,
    touched: Sequence[int],
    found: Mapping[tuple[int, str], SummaryRecord],
) -> None:
    """Make `found` the only summaries of these cells."""
    for chunk in chunks(touched):
        compiled_sql.run(connection, _DELETE_SUMMARIES, cells=chunk)
    rows = [
        {
            "cell_id": cell_id,
            "measure": measure,
            "n": summary.n,
            "mean": summary.mean,
            "sd": summary.sd,
            "ci95_low": summary.ci95[0] if summary.ci95 else None,
            "ci95_high": summary.ci95[1] if summary.ci95 else None,
        }
        for (cell_id, measure), summary in found.items()
    ]
    compiled_sql.insert(connection, summaries, rows)


def stored_summaries(
    connection: Connection, in_cells: Sequence[int]
) -> dict[tuple[int, str], SummaryRecord]:
    """The summaries that are kept for these cells, by cell and measure."""
    found: dict[tuple[int, str], SummaryRecord] = {}
    for chunk in chunks(in_cells):
        query = sa.select(summaries).where(summaries.c.cell_id.in_(chunk))
        for cell_id, measure, n, mean, sd, low, high in connection.execute(query):
            interval = None if low is None or high is None else (low, high)
            found[cell_id, measure] = SummaryRecord(n, mean, sd, interval)
    return found


def summed(connection: Connection, in_cells: Sequence[int]) -> Iterator[SummedMeasure]:
    """What the database sums up of each measure that current runs of these cells have."""
    statement = _SUMMED if connection.dialect.name == "sqlite" else _SUMMED_ON_SERVER
    for chunk in chunks(in_cells):
        for row in compiled_sql.run(connection, statement, cells=chunk):
            cell_id, values, single, off, squares, n, mean, sd, low, high = row
            interval = None if low is None or high is None else (low, high)
            kept = None if n is None else SummaryRecord(n, mean, sd, interval)
            told = values == single and None not in (off, squares)
            yield SummedMeasure(cell_id, values if told else None, off, squares, kept)


def kept_counts(connection: Connection, in_cells: Sequence[int]) -> dict[int, int]:
    """How many summaries are kept of each of these cells that has any."""
    found: dict[int, int] = {}
    for chunk in chunks(in_cells):
        found |= dict(compiled_sql.run(connection, _KEPT_COUNTS, cells=chunk))
    return found


def counted_cells(connection: Connection, experiment_id: int) -> list[CountedCell]:
    """All cells of an experiment: the counts that are kept, and the counts of their runs."""
    current = sa.func.count().filter(runs.c.status == "current")
    partial = sa.func.count().filter(runs.c.status == "current", runs.c.partial)
    query = (
        sa.select(
            cells.c.id,
            cells.c.factors,
            cells.c.current_runs,
            cells.c.partial_runs,
            current,
            partial,
        )
        .outerjoin(runs, runs.c.cell_id == cells.c.id)
        .where(cells.c.experiment_id == experiment_id)
        .group_by(cells.c.id)
        .order_by(cells.c.id)
    )
    return [
        CountedCell(cell_id, factors, (kept, kept_partial), (there, there_partial))
        for cell_id, factors, kept, kept_partial, there, there_partial in connection.execute(query)
    ]


def count_current_runs(connection: Connection, touched: Sequence[int]) -> None:
    """Bring the run counts of these cells up to date."""
    for chunk in chunks(touched):
        compiled_sql.run(connection, _COUNT_CURRENT, cells=chunk)
