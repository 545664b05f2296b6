# SPDX-License-Identifier: Apache-2.0
"""SQL of runs, their cells, measures, history, and the summaries that follow from them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope import plain_sql
from coalescope.experiments.records import Factors, SummaryRecord
from coalescope.runs.records import (
    CountedCell,
    HistoryRecord,
    Listing,
    MeasuredValue,
    RemovedRuns,
    ReplicateRecord,
    RunRecord,
    RunValues,
)
from coalescope.tables import (
    cells,
    experiments,
    run_history,
    run_measures,
    runs,
    summaries,
    uploads,
)

_CHUNK = 500

T = TypeVar("T")

_RUN_COLUMNS = (
    runs.c.id,
    runs.c.uid,
    runs.c.experiment_id,
    experiments.c.slug,
    runs.c.cell_id,
    cells.c.factors,
    runs.c.replicate,
    runs.c.status,
    runs.c.content,
    uploads.c.sha256,
    uploads.c.filename,
    runs.c.csv_row,
    runs.c.partial,
    runs.c.requested,
    runs.c.environment,
    runs.c.warnings,
    runs.c.recorded_at,
    runs.c.created_at,
)


def _select_runs() -> sa.Select[Any]:
    return (
        sa.select(*_RUN_COLUMNS)
        .join(experiments, experiments.c.id == runs.c.experiment_id)
        .join(cells, cells.c.id == runs.c.cell_id)
        .outerjoin(uploads, uploads.c.id == runs.c.upload_id)
    )


def _any_of(name: str) -> sa.BindParameter[Any]:
    """A list of values, given when the statement is run."""
    return sa.bindparam(name, expanding=True)


# What every upload asks is made once: making a statement costs more than running it.
_IDENTIFIED = _select_runs().where(runs.c.uid == sa.bindparam("uid"))
_OF_UPLOAD = (
    _select_runs()
    .where(runs.c.upload_id == sa.bindparam("upload"))
    .order_by(runs.c.id)
    .limit(sa.bindparam("most"))
)
_UIDS = sa.select(runs.c.uid).where(runs.c.uid.in_(_any_of("uids")))
_CELLS = sa.select(cells.c.factor_key, cells.c.id).where(
    cells.c.experiment_id == sa.bindparam("experiment"), cells.c.factor_key.in_(_any_of("keys"))
)
_REPLICATES = (
    sa.select(runs.c.cell_id, runs.c.replicate, runs.c.uid)
    .where(runs.c.cell_id.in_(_any_of("cells")), runs.c.status == "current")
    .order_by(runs.c.id)
)
_REPLICATES_AT = (
    sa.select(cells.c.factor_key, runs.c.replicate, runs.c.uid)
    .join(runs, runs.c.cell_id == cells.c.id)
    .where(
        cells.c.experiment_id == sa.bindparam("experiment"),
        cells.c.factor_key.in_(_any_of("keys")),
        runs.c.status == "current",
    )
    .order_by(runs.c.id)
)
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
        runs.c.cell_id.in_(_any_of("cells")),
        runs.c.status == "current",
        runs.c.uid.not_in(_any_of("without")),
    )
    .order_by(runs.c.cell_id, runs.c.id, run_measures.c.measure)
)
_CURRENT_IN_CELL = sa.and_(runs.c.cell_id == cells.c.id, runs.c.status == "current")
_COUNT = sa.select(sa.func.count()).select_from(runs)
_COUNT_CURRENT = (
    sa.update(cells)
    .where(cells.c.id.in_(_any_of("cells")))
    .values(
        current_runs=_COUNT.where(_CURRENT_IN_CELL).scalar_subquery(),
        partial_runs=_COUNT.where(_CURRENT_IN_CELL, runs.c.partial).scalar_subquery(),
    )
)
_DELETE_SUMMARIES = sa.delete(summaries).where(summaries.c.cell_id.in_(_any_of("cells")))


def get(connection: Connection, uid: str) -> RunRecord | None:
    """The run of that identity."""
    row = connection.execute(_IDENTIFIED, {"uid": uid}).first()
    return None if row is None else RunRecord(*row)


def list_runs(connection: Connection, listing: Listing, limit: int, offset: int) -> list[RunRecord]:
    """One page of a list of runs."""
    page = _in_order(_listed(listing), listing).limit(limit).offset(offset)
    ids = list(connection.scalars(page))
    query = _select_runs().where(runs.c.id.in_(ids))
    found = {row.id: RunRecord(*row) for row in connection.execute(query)}
    return [found[run_id] for run_id in ids]


def list_upload_runs(connection: Connection, upload_id: int, limit: int) -> list[RunRecord]:
    """Runs that came with an upload, in the file's order."""
    found = connection.execute(_OF_UPLOAD, {"upload": upload_id, "most": limit})
    return [RunRecord(*row) for row in found]


def count_runs(connection: Connection, listing: Listing) -> int:
    """How many runs list_runs can reach."""
    query = sa.select(sa.func.count()).select_from(_listed(listing).subquery())
    return connection.execute(query).scalar_one()


# Said as what they are not: for an equation, SQLite makes an index of its own of all runs, and
# looks through it once for every cell.
_CURRENT = runs.c.status != "retracted"
_STATES = {
    "current": (_CURRENT,),
    "whole": (_CURRENT, runs.c.partial != sa.true()),
    "partial": (_CURRENT, runs.c.partial != sa.false()),
    "retracted": (runs.c.status != "current",),
}


def _listed(listing: Listing) -> sa.Select[tuple[int]]:
    """The row ids of a list, in no order; with the place of each one's cell where it has one."""
    query = sa.select(runs.c.id)
    if listing.places is None:
        query = query.where(runs.c.experiment_id == listing.experiment_id)
    else:
        # as literals: there may be more cells than a statement can have parameters
        columns = sa.column("cell_id", sa.BigInteger), sa.column("place", sa.Integer)
        places = sa.values(*columns, name="places", literal_binds=True)
        among = places.data(list(listing.places.items())).cte("places")
        query = query.join_from(among, runs, among.c.cell_id == runs.c.cell_id)
    if listing.state is not None:
        query = query.where(*_STATES[listing.state])
    if listing.warned is not None:
        query = query.where(runs.c.warned != sa.literal(not listing.warned))
    return query


def _in_order(query: sa.Select[tuple[int]], listing: Listing) -> sa.Select[tuple[int]]:
    key: sa.ColumnElement[Any]
    match listing.by:
        case "stored":
            return query.order_by(runs.c.id.desc() if listing.falling else runs.c.id)
        case "recorded":
            key = sa.func.coalesce(runs.c.recorded_at, runs.c.created_at)
        case "replicate":
            key = runs.c.replicate
        case "place":
            # the places are in the order that was asked for
            return query.order_by(sa.literal_column("places.place"), runs.c.id)
        case name:
            of_run = sa.and_(run_measures.c.run_id == runs.c.id, run_measures.c.measure == name)
            query = query.outerjoin(run_measures, of_run)
            key = run_measures.c.value
    return query.order_by(key.is_(None), key.desc() if listing.falling else key, runs.c.id)


def factors_of_cells(connection: Connection, experiment_id: int) -> dict[int, Factors]:
    """The settings of all cells of an experiment, also of those without current runs."""
    query = sa.select(cells.c.id, cells.c.factors).where(cells.c.experiment_id == experiment_id)
    return dict(connection.execute(query).all())


def measures_of(
    connection: Connection, run_ids: Sequence[int]
) -> dict[int, dict[str, MeasuredValue]]:
    """Measures of these runs, by run."""
    found: dict[int, dict[str, MeasuredValue]] = {run_id: {} for run_id in run_ids}
    for chunk in _chunks(run_ids):
        query = (
            sa.select(run_measures)
            .where(run_measures.c.run_id.in_(chunk))
            .order_by(run_measures.c.run_id, run_measures.c.measure)
        )
        for run_id, measure, value, sd, n in connection.execute(query):
            found[run_id][measure] = MeasuredValue(value, sd, n)
    return found


def history_of(connection: Connection, run_id: int) -> list[HistoryRecord]:
    """All changes of a run, oldest first."""
    query = (
        sa.select(
            run_history.c.at,
            run_history.c.action,
            run_history.c.reason,
            run_history.c.before,
            run_history.c.after,
        )
        .where(run_history.c.run_id == run_id)
        .order_by(run_history.c.id)
    )
    return [HistoryRecord(*row) for row in connection.execute(query)]


def existing_uids(connection: Connection, uids: Sequence[str]) -> list[str]:
    """Which of these identities are taken."""
    found: list[str] = []
    for chunk in _chunks(uids):
        found += [uid for (uid,) in plain_sql.run(connection, _UIDS, uids=chunk)]
    return found


def cell_ids(
    connection: Connection, experiment_id: int, keyed: Mapping[str, Any]
) -> dict[str, int]:
    """Row ids of the cells with these factor keys (key → factors), created where missing."""
    ids = find_cells(connection, experiment_id, list(keyed))
    missing = [
        {"experiment_id": experiment_id, "factor_key": key, "factors": dict(factors)}
        for key, factors in keyed.items()
        if key not in ids
    ]
    if missing:
        made = plain_sql.insert(connection, cells, missing, cells.c.factor_key, cells.c.id)
        ids |= dict(made)
    return ids


def find_cells(connection: Connection, experiment_id: int, keys: Sequence[str]) -> dict[str, int]:
    """Row ids of those cells that exist, by factor key."""
    found: dict[str, int] = {}
    for chunk in _chunks(keys):
        rows = plain_sql.run(connection, _CELLS, experiment=experiment_id, keys=chunk)
        found |= dict(rows)
    return found


def replicates_taken(
    connection: Connection, in_cells: Sequence[int]
) -> dict[int, dict[int | None, str]]:
    """By cell: replicate numbers of its current runs, each with that run's identity."""
    taken: dict[int, dict[int | None, str]] = {}
    for chunk in _chunks(in_cells):
        for cell_id, replicate, uid in plain_sql.run(connection, _REPLICATES, cells=chunk):
            taken.setdefault(cell_id, {}).setdefault(replicate, uid)
    return taken


def replicates_at(
    connection: Connection, experiment_id: int, keys: Sequence[str]
) -> dict[str, dict[int | None, str]]:
    """The same by factor key."""
    taken: dict[str, dict[int | None, str]] = {key: {} for key in keys}
    for chunk in _chunks(keys):
        rows = plain_sql.run(connection, _REPLICATES_AT, experiment=experiment_id, keys=chunk)
        for key, replicate, uid in rows:
            taken[key].setdefault(replicate, uid)
    return taken


def insert_runs(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert runs; returns their row ids in the same order."""
    ids = dict(plain_sql.insert(connection, runs, rows, runs.c.uid, runs.c.id))
    return [ids[row["uid"]] for row in rows]


def insert_measures(
    connection: Connection, measures: Mapping[int, Mapping[str, MeasuredValue]]
) -> None:
    """Insert the measures of runs, by run row id."""
    rows = [
        {"run_id": run_id, "measure": name, "value": m.value, "sd": m.sd, "n": m.n}
        for run_id, named in measures.items()
        for name, m in named.items()
    ]
    plain_sql.insert(connection, run_measures, rows)


def delete_measures(connection: Connection, run_id: int) -> None:
    """Remove the measures of a run."""
    connection.execute(sa.delete(run_measures).where(run_measures.c.run_id == run_id))


def insert_history(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Note changes of runs."""
    plain_sql.insert(connection, run_history, rows)


def update_run(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a run."""
    connection.execute(sa.update(runs).where(runs.c.id == run_id).values(**values))


def current_values(
    connection: Connection, touched: Sequence[int], without: Sequence[str] = ()
) -> dict[tuple[int, str], list[MeasuredValue]]:
    """Values of the current runs of these cells, by cell and measure, in storing order.

    Runs of the identities in `without` are left out.
    """
    found: dict[tuple[int, str], list[MeasuredValue]] = {}
    for chunk in _chunks(touched):
        rows = plain_sql.run(connection, _CURRENT_VALUES, cells=chunk, without=list(without))
        for cell_id, measure, value, sd, n in rows:
            found.setdefault((cell_id, measure), []).append(MeasuredValue(value, sd, n))
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


def values_of_runs(
    connection: Connection,
    experiment_id: int,
    measures: Sequence[str],
    without: Sequence[str] = (),
) -> list[RunValues]:
    """All current runs in storing order, those in `without` left out.

    A measure that a run does not have is left out of its values.
    """
    chosen = (
        runs.c.experiment_id == experiment_id,
        runs.c.status == "current",
        runs.c.uid.not_in(without),
    )
    factors = factors_of_cells(connection, experiment_id)
    found: dict[int, dict[str, float]] = {}
    cell_of: dict[int, int] = {}
    for run_id, cell_id in connection.execute(
        sa.select(runs.c.id, runs.c.cell_id).where(*chosen).order_by(runs.c.id)
    ):
        found[run_id], cell_of[run_id] = {}, cell_id
    values = (
        sa.select(run_measures.c.run_id, run_measures.c.measure, run_measures.c.value)
        .join(runs, runs.c.id == run_measures.c.run_id)
        .where(*chosen, run_measures.c.measure.in_(measures))
    )
    for run_id, measure, value in connection.execute(values):
        found[run_id][measure] = value
    return [
        RunValues(cell_of[run_id], factors[cell_of[run_id]], own) for run_id, own in found.items()
    ]


def current_places(
    connection: Connection, experiment_id: int, uids: Sequence[str]
) -> list[tuple[str, int, bool]]:
    """Identity, cell and whether the log was cut off of those runs that are current here."""
    query = sa.select(runs.c.uid, runs.c.cell_id, runs.c.partial).where(
        runs.c.experiment_id == experiment_id, runs.c.status == "current", runs.c.uid.in_(uids)
    )
    return [(uid, cell_id, partial) for uid, cell_id, partial in connection.execute(query)]


def stored_among(connection: Connection, experiment_id: int, uids: Sequence[str]) -> set[str]:
    """Those of these identities that are runs of the experiment, retracted ones too."""
    query = sa.select(runs.c.uid).where(runs.c.experiment_id == experiment_id, runs.c.uid.in_(uids))
    return set(connection.scalars(query))


def replicates_of(
    connection: Connection, in_cells: Sequence[int], measure: str, without: Sequence[str]
) -> list[ReplicateRecord]:
    """One measure of the current runs of these cells, cell by cell in storing order."""
    found: list[ReplicateRecord] = []
    for chunk in _chunks(sorted(in_cells)):
        query = (
            sa.select(
                runs.c.uid,
                runs.c.cell_id,
                runs.c.replicate,
                run_measures.c.value,
                run_measures.c.sd,
                run_measures.c.n,
            )
            .join(run_measures, run_measures.c.run_id == runs.c.id)
            .where(*_replicates(chunk, measure), runs.c.uid.not_in(without))
            .order_by(runs.c.cell_id, runs.c.id)
        )
        found += [
            ReplicateRecord(uid, cell_id, replicate, MeasuredValue(value, sd, n))
            for uid, cell_id, replicate, value, sd, n in connection.execute(query)
        ]
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
        for chunk in _chunks(in_cells)
    )


def _replicates(in_cells: Sequence[int], measure: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        runs.c.cell_id.in_(in_cells),
        runs.c.status == "current",
        run_measures.c.measure == measure,
    )


def environments_of(
    connection: Connection, experiment_id: int
) -> list[tuple[Factors, Mapping[str, Any] | None, int]]:
    """Distinct environments of the current runs, with the cell's factors and how many runs."""
    same = sa.cast(runs.c.environment, sa.Text)
    query = (
        sa.select(runs.c.cell_id, same, sa.func.count())
        .where(runs.c.experiment_id == experiment_id, runs.c.status == "current")
        .group_by(runs.c.cell_id, same)
        .order_by(runs.c.cell_id)
    )
    factors = factors_of_cells(connection, experiment_id)
    return [
        (factors[cell_id], None if text is None else json.loads(text), count)
        for cell_id, text, count in connection.execute(query)
    ]


def replace_summaries(
    connection: Connection,
    touched: Sequence[int],
    found: Mapping[tuple[int, str], SummaryRecord],
) -> None:
    """Make `found` the only summaries of these cells."""
    for chunk in _chunks(touched):
        plain_sql.run(connection, _DELETE_SUMMARIES, cells=chunk)
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
    plain_sql.insert(connection, summaries, rows)


def stored_summaries(
    connection: Connection, in_cells: Sequence[int]
) -> dict[tuple[int, str], SummaryRecord]:
    """The summaries that are kept for these cells, by cell and measure."""
    found: dict[tuple[int, str], SummaryRecord] = {}
    for chunk in _chunks(in_cells):
        query = sa.select(summaries).where(summaries.c.cell_id.in_(chunk))
        for cell_id, measure, n, mean, sd, low, high in connection.execute(query):
            interval = None if low is None or high is None else (low, high)
            found[cell_id, measure] = SummaryRecord(n, mean, sd, interval)
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
    for chunk in _chunks(touched):
        plain_sql.run(connection, _COUNT_CURRENT, cells=chunk)


def delete_dataset_runs(connection: Connection, experiment_id: int) -> RemovedRuns:
    """Remove the runs that came with a data set."""
    chosen = sa.and_(runs.c.experiment_id == experiment_id, runs.c.content == "dataset")
    rows = connection.execute(sa.select(runs.c.cell_id, runs.c.upload_id).where(chosen)).all()
    ids = sa.select(runs.c.id).where(chosen)
    connection.execute(sa.delete(run_measures).where(run_measures.c.run_id.in_(ids)))
    connection.execute(sa.delete(run_history).where(run_history.c.run_id.in_(ids)))
    connection.execute(sa.delete(runs).where(chosen))
    return RemovedRuns(
        cell_ids={row.cell_id for row in rows},
        upload_ids=[row.upload_id for row in rows if row.upload_id is not None],
    )


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk
