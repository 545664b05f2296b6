# SPDX-License-Identifier: Apache-2.0
"""SQL of runs, their cells and history."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import compiled_sql
from coalescope.db.compiled_sql import any_of, chunks
from coalescope.db.tables import cells, experiments, run_history, run_measures, runs, uploads
from coalescope.experiments.records import Factors
from coalescope.runs.records import HistoryRecord, MeasuredValue, RemovedRuns, RunRecord

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
    runs.c.order,
    runs.c.block,
    runs.c.created_at,
)


def _select_runs() -> sa.Select[Any]:
    return (
        sa.select(*_RUN_COLUMNS)
        .join(experiments, experiments.c.id == runs.c.experiment_id)
        .join(cells, cells.c.id == runs.c.cell_id)
        .outerjoin(uploads, uploads.c.id == runs.c.upload_id)
    )


# What every upload asks is made once: making a statement costs more than running it.
_IDENTIFIED = _select_runs().where(runs.c.uid == sa.bindparam("uid"))
_OF_UPLOAD = (
    _select_runs()
    .where(runs.c.upload_id == sa.bindparam("upload"))
    .order_by(runs.c.id)
    .limit(sa.bindparam("most"))
)
_UIDS = sa.select(runs.c.uid).where(runs.c.uid.in_(any_of("uids")))
_CELLS = sa.select(cells.c.factor_key, cells.c.id).where(
    cells.c.experiment_id == sa.bindparam("experiment"), cells.c.factor_key.in_(any_of("keys"))
)
_REPLICATES = (
    sa.select(runs.c.cell_id, runs.c.replicate, runs.c.uid)
    .where(runs.c.cell_id.in_(any_of("cells")), runs.c.status == "current")
    .order_by(runs.c.id)
)
_REPLICATES_AT = (
    sa.select(cells.c.factor_key, runs.c.replicate, runs.c.uid)
    .join(runs, runs.c.cell_id == cells.c.id)
    .where(
        cells.c.experiment_id == sa.bindparam("experiment"),
        cells.c.factor_key.in_(any_of("keys")),
        runs.c.status == "current",
    )
    .order_by(runs.c.id)
)


def get(connection: Connection, uid: str) -> RunRecord | None:
    """The run of that identity."""
    row = connection.execute(_IDENTIFIED, {"uid": uid}).first()
    return None if row is None else RunRecord(*row)


def by_row_id(connection: Connection, run_ids: Sequence[int]) -> dict[int, RunRecord]:
    """These runs, by their row ids."""
    query = _select_runs().where(runs.c.id.in_(run_ids))
    return {row.id: RunRecord(*row) for row in connection.execute(query)}


def list_upload_runs(connection: Connection, upload_id: int, limit: int) -> list[RunRecord]:
    """Runs that came with an upload, in the file's order."""
    found = connection.execute(_OF_UPLOAD, {"upload": upload_id, "most": limit})
    return [RunRecord(*row) for row in found]


def factors_of_cells(connection: Connection, experiment_id: int) -> dict[int, Factors]:
    """The settings of all cells of an experiment, also of those without current runs."""
    query = sa.select(cells.c.id, cells.c.factors).where(cells.c.experiment_id == experiment_id)
    return dict(connection.execute(query).all())


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
    for chunk in chunks(uids):
        found += [uid for (uid,) in compiled_sql.run(connection, _UIDS, uids=chunk)]
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
        made = compiled_sql.insert(connection, cells, missing, cells.c.factor_key, cells.c.id)
        ids |= dict(made)
    return ids


def find_cells(connection: Connection, experiment_id: int, keys: Sequence[str]) -> dict[str, int]:
    """Row ids of those cells that exist, by factor key."""
    found: dict[str, int] = {}
    for chunk in chunks(keys):
        rows = compiled_sql.run(connection, _CELLS, experiment=experiment_id, keys=chunk)
        found |= dict(rows)
    return found


def replicates_taken(
    connection: Connection, in_cells: Sequence[int]
) -> dict[int, dict[int | None, str]]:
    """By cell: replicate numbers of its current runs, each with that run's identity."""
    taken: dict[int, dict[int | None, str]] = {}
    for chunk in chunks(in_cells):
        for cell_id, replicate, uid in compiled_sql.run(connection, _REPLICATES, cells=chunk):
            taken.setdefault(cell_id, {}).setdefault(replicate, uid)
    return taken


def replicates_at(
    connection: Connection, experiment_id: int, keys: Sequence[str]
) -> dict[str, dict[int | None, str]]:
    """The same by factor key."""
    taken: dict[str, dict[int | None, str]] = {key: {} for key in keys}
    for chunk in chunks(keys):
        rows = compiled_sql.run(connection, _REPLICATES_AT, experiment=experiment_id, keys=chunk)
        for key, replicate, uid in rows:
            taken[key].setdefault(replicate, uid)
    return taken


def insert_runs(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert runs; returns their row ids in the same order."""
    ids = dict(compiled_sql.insert(connection, runs, rows, runs.c.uid, runs.c.id))
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
    compiled_sql.insert(connection, run_measures, rows)


def delete_measures(connection: Connection, run_id: int) -> None:
    """Remove the measures of a run."""
    connection.execute(sa.delete(run_measures).where(run_measures.c.run_id == run_id))


def insert_history(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Note changes of runs."""
    compiled_sql.insert(connection, run_history, rows)


def update_run(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a run."""
    connection.execute(sa.update(runs).where(runs.c.id == run_id).values(**values))


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


def says_when(connection: Connection, experiment_id: int) -> bool:
    """Whether any current run says when it was recorded."""
    known = sa.or_(*(c.is_not(None) for c in (runs.c.order, runs.c.block, runs.c.recorded_at)))
    query = sa.select(runs.c.id).where(
        runs.c.experiment_id == experiment_id, runs.c.status == "current", known
    )
    return connection.execute(query.limit(1)).first() is not None


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
