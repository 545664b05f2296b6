# SPDX-License-Identifier: Apache-2.0
"""Store runs with their cells, measures and history; summaries follow in the same transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from coalescope.db.engine import tell
from coalescope.db.timestamps import utc_now
from coalescope.errors import conflict
from coalescope.experiments.levels import canonical_factors, factor_key
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.experiments.service import check_not_deleted, touch
from coalescope.runs import kept_summaries, repository
from coalescope.runs.history import happened_to, history_row, note
from coalescope.runs.records import NewRun, RemovedRuns, RunRecord
from coalescope.runs.service import find_run

_BATCH = 1000
_VALUES_AT_ONCE = 20_000


def record_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    new: Iterable[tuple[NewRun, str]],
    *,
    changes: int = 1,
    left: Iterable[int] = (),
) -> None:
    """Store runs, each with the reason why it is there, with their cells, measures and history.

    Summaries follow in the same transaction, those of the cells that runs have `left` too. For the
    data version they are so many changes.

    Errors: 409 if a run's identity is taken, or readers would receive more than an experiment can
    have; IntegrityError if another takes it meanwhile, or it is here twice.
    """
    now = utc_now()
    touched = set(left)
    for batch in _batches(new):
        _refuse_taken(connection, [run.uid for run, _ in batch])
        touched |= _record_batch(connection, experiment.id, batch, now)
    kept_summaries.refresh(connection, touched)
    touch(connection, experiment.id, changes)


def _refuse_taken(connection: Connection, uids: Sequence[str]) -> None:
    existing = taken(connection, uids)
    if existing:
        stored = find_run(connection, existing[0])
        assert stored is not None
        check_not_deleted(connection, stored.experiment, f"run {stored.uid}")
        raise _taken(stored)


def _batches(new: Iterable[tuple[NewRun, str]]) -> Iterator[list[tuple[NewRun, str]]]:
    """So many at once that neither they nor their values are too many to be in memory."""
    batch: list[tuple[NewRun, str]] = []
    values = 0
    for run, reason in new:
        values += len(run.measures)
        if batch and (len(batch) == _BATCH or values > _VALUES_AT_ONCE):
            yield batch
            batch, values = [], len(run.measures)
        batch.append((run, reason))
    if batch:
        yield batch


def _record_batch(
    connection: Connection,
    experiment_id: int,
    new: Sequence[tuple[NewRun, str]],
    now: str,
) -> set[int]:
    """Store some runs, each with its reason; returns the cells they are in."""
    runs = [run for run, _ in new]
    keys = [factor_key(run.factors) for run in runs]
    settings = dict(zip(keys, (run.factors for run in runs), strict=True))
    keyed = {key: canonical_factors(factors) for key, factors in settings.items()}
    cells = repository.cell_ids(connection, experiment_id, keyed)
    rows = [_row(run, experiment_id, cells[key], now) for key, run in zip(keys, runs, strict=True)]
    ids = repository.insert_runs(connection, rows)
    repository.insert_measures(
        connection, {run_id: run.measures for run_id, run in zip(ids, runs, strict=True)}
    )
    stored = [
        history_row(run_id, now, "stored", reason)
        for run_id, (_, reason) in zip(ids, new, strict=True)
    ]
    repository.insert_history(connection, stored)
    return set(cells.values())


def _row(run: NewRun, experiment_id: int, cell_id: int, now: str) -> dict[str, Any]:
    return {
        "uid": run.uid,
        "experiment_id": experiment_id,
        "cell_id": cell_id,
        "replicate": run.replicate,
        "status": "current",
        "content": run.content,
        "upload_id": run.upload_id,
        "csv_row": run.csv_row,
        "partial": run.partial,
        "requested": None if run.requested is None else dict(run.requested),
        "environment": None if run.environment is None else dict(run.environment),
        "warnings": [warning.as_json() for warning in run.warnings],
        "warned": bool(run.warnings),
        "recorded_at": run.recorded_at,
        "order": run.order,
        "block": run.block,
        "created_at": now,
    }


def _taken(run: RunRecord) -> Exception:
    why = (
        "A copy that was changed or cut off is not stored twice. If this one is right, retract the "
    )
    again = "stored run and record again."
    if run.content == "foreign":
        why = "The same run is not stored twice, with other files or settings beside it. If it was "
        again = "said wrongly, correct the stored run."
    return conflict(
        "run_exists",
        f"Run {run.uid} is stored already, in experiment {run.experiment!r}, from other bytes.",
        where={"run": run.uid},
        advice=f"{why}{again} The page lists it at /experiments/{run.experiment}/runs.",
    )


def taken(connection: Connection, uids: Sequence[str]) -> list[str]:
    """Which of these identities are those of stored runs."""
    return repository.existing_uids(connection, uids)


def replicates_taken(
    connection: Connection, experiment: ExperimentRecord, settings: Iterable[Factors]
) -> dict[str, dict[int | None, str]]:
    """For each of these settings' factor keys: replicate numbers in use, with the run of each."""
    keys = list(dict.fromkeys(factor_key(factors) for factors in settings))
    return repository.replicates_at(connection, experiment.id, keys)


def replace_log(
    connection: Connection, run: RunRecord, whole: NewRun, upload_id: int, sha256: str, reason: str
) -> None:
    """Put the whole log in the place of the cut-off one that `run` was stored with.

    What people decided about the run stays: its cell, its number, whether it is retracted.
    """
    values = {
        "upload_id": upload_id,
        "partial": whole.partial,
    }
    _replace_measures(connection, run, whole, values)
    before = {"log": run.sha256, "partial": run.partial}
    note(connection, run, "stored", reason, before, {"log": sha256, "partial": whole.partial})
    kept_summaries.refresh(connection, [run.cell_id])


def measure_again(connection: Connection, new: Mapping[str, NewRun], reason: str) -> None:
    """Give runs the measures and warnings that their logs have now, and refresh the summaries."""
    touched: set[int] = set()
    experiments: set[int] = set()
    for uid, anew in new.items():
        run = repository.get(connection, uid)
        if run is None:
            continue
        _replace_measures(connection, run, anew, {})
        note(connection, run, "stored", reason, {}, {})
        touched.add(run.cell_id)
        experiments.add(run.experiment_id)
    # A start that refused what is stored would end every start.
    kept_summaries.recompute(connection, touched)
    for experiment_id in experiments:
        touch(connection, experiment_id, 1)


def _replace_measures(
    connection: Connection, run: RunRecord, new: NewRun, values: Mapping[str, Any]
) -> None:
    """The run with what its log says in `new`, and further values of its row."""
    kept = [warning for warning in run.warnings if warning["code"] == "replicate_repeated"]
    warnings = [*(warning.as_json() for warning in new.warnings), *kept]
    told = {"recorded_at": new.recorded_at, "order": new.order, "block": new.block}
    repository.update_run(
        connection, run.id, {**values, **told, "warnings": warnings, "warned": bool(warnings)}
    )
    repository.delete_measures(connection, run.id)
    repository.insert_measures(connection, {run.id: new.measures})


def remove_dataset_runs(connection: Connection, experiment: ExperimentRecord) -> RemovedRuns:
    """Remove the runs of a data set's previous version; its summaries are stale after that."""
    return repository.delete_dataset_runs(connection, experiment.id)


def record_dataset_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    new: Sequence[NewRun],
    left: Iterable[int],
) -> None:
    """Store a data set's runs; `left` are the cells that its previous version was taken out of."""
    reason = "loaded with the data set"
    record_runs(connection, experiment, ((run, reason) for run in new), left=left)
    if new:
        tell(connection, happened_to(experiment.slug, new[0].uid, reason, len(new)))
