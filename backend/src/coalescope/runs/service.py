# SPDX-License-Identifier: Apache-2.0
"""Store runs, change them with their history, and keep the summaries exact."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from coalescope_models.inference.statistics import CellIntervals, outliers
from sqlalchemy.engine import Connection

from coalescope.db.engine import tell
from coalescope.db.timestamps import utc_now
from coalescope.errors import conflict, not_found
from coalescope.experiments.levels import (
    canonical_factors,
    factor_key,
    factor_levels,
    matches,
    parse_where,
)
from coalescope.experiments.records import (
    CellRecord,
    ExperimentRecord,
    Factors,
    FactorValue,
    SummaryRecord,
)
from coalescope.experiments.service import list_cells, touch
from coalescope.glossary.quantities import glossary_order
from coalescope.runs import repository, summary_repository
from coalescope.runs.intervals import (
    INDEPENDENT,
    JudgedCells,
    judge_each,
    judge_replicates,
    judged_cells,
)
from coalescope.runs.records import (
    HistoryRecord,
    MeasuredValue,
    NewRun,
    RecomputedCell,
    RemovedRuns,
    ReplicateRecord,
    RunRecord,
)
from coalescope.runs.summaries import cells_after, summarise_values

_BATCH = 1000
_VALUES_AT_ONCE = 20_000
_CELLS_AT_ONCE = 50


def record_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    new: Iterable[NewRun],
    reason: str,
) -> None:
    """Store runs with their cells, measures and history; summaries follow in the same transaction.

    Errors: 409 if a run's identity is taken.
    """
    each = ((run, reason) for run in _not_taken(connection, new))
    first, count = record_each(connection, experiment, each, changes=1)
    if count:
        tell(connection, happened_to(experiment.slug, first, reason, count))


def _not_taken(connection: Connection, new: Iterable[NewRun]) -> Iterator[NewRun]:
    """The same runs. Errors: 409 if a run's identity is taken."""
    left = iter(new)
    while some := list(islice(left, _BATCH)):
        existing = taken(connection, [run.uid for run in some])
        if existing:
            raise _taken(get_run(connection, existing[0]))
        yield from some


def record_each(
    connection: Connection,
    experiment: ExperimentRecord,
    new: Iterable[tuple[NewRun, str]],
    *,
    changes: int,
) -> tuple[str, int]:
    """The same for runs with a reason each; for the data version they are so many changes.

    Returns the first run's identity, and how many there were.

    Errors: IntegrityError if a run's identity is taken.
    """
    now = utc_now()
    touched: set[int] = set()
    first, count = "", 0
    for batch in _batches(new):
        first, count = first or batch[0][0].uid, count + len(batch)
        touched |= _record_batch(connection, experiment.id, batch, now)
    refresh_summaries(connection, touched)
    touch(connection, experiment.id, changes)
    return first, count


def happened_to(slug: str, uid: str, what: str, count: int = 1) -> str:
    """A sentence for the record of changes: of one run, or of so many."""
    named = f"run {uid}" if count == 1 else f"{count} runs"
    return f"{slug}: {named} {what}"


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
        _history(run_id, now, "stored", reason)
        for run_id, (_, reason) in zip(ids, new, strict=True)
    ]
    repository.insert_history(connection, stored)
    return set(cells.values())


def find_run(connection: Connection, uid: str) -> RunRecord | None:
    """The run of that identity, if it is stored."""
    return repository.get(connection, uid)


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
    _note(connection, run, "stored", reason, before, {"log": sha256, "partial": whole.partial})
    refresh_summaries(connection, [run.cell_id])


def measure_again(connection: Connection, new: Mapping[str, NewRun], reason: str) -> None:
    """Give runs the measures and warnings that their logs have now, and refresh the summaries."""
    touched: set[int] = set()
    experiments: set[int] = set()
    for uid, anew in new.items():
        run = repository.get(connection, uid)
        if run is None:
            continue
        _replace_measures(connection, run, anew, {})
        _note(connection, run, "stored", reason, {}, {})
        touched.add(run.cell_id)
        experiments.add(run.experiment_id)
    refresh_summaries(connection, touched)
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
    touched: Iterable[int],
) -> None:
    """Store a data set's runs; `touched` are cells that its previous version was taken out of."""
    record_runs(connection, experiment, new, "loaded with the data set")
    refresh_summaries(connection, touched)


def taken(connection: Connection, uids: Sequence[str]) -> list[str]:
    """Which of these identities are those of stored runs."""
    return repository.existing_uids(connection, uids)


def refresh_summaries(connection: Connection, cell_ids: Iterable[int]) -> None:
    """Recompute the summaries of these cells from their current runs, all of them, exactly."""
    every = sorted(set(cell_ids))
    for start in range(0, len(every), _CELLS_AT_ONCE):  # not all their values in memory
        touched = every[start : start + _CELLS_AT_ONCE]
        values = summary_repository.current_values(connection, touched)
        found = {place: summarise_values(at_place) for place, at_place in values.items()}
        summary_repository.replace_summaries(connection, touched, found)
        summary_repository.count_current_runs(connection, touched)


def cells_recomputed(
    connection: Connection, experiment: ExperimentRecord
) -> Iterator[RecomputedCell]:
    """Every cell as it is kept beside what follows from its runs. Nothing is changed."""
    cells = summary_repository.counted_cells(connection, experiment.id)
    for start in range(0, len(cells), _BATCH):
        batch = cells[start : start + _BATCH]
        ids = [cell.id for cell in batch]
        kept: dict[int, dict[str, SummaryRecord]] = {cell_id: {} for cell_id in ids}
        recomputed: dict[int, dict[str, SummaryRecord]] = {cell_id: {} for cell_id in ids}
        for (cell_id, measure), summary in summary_repository.stored_summaries(
            connection, ids
        ).items():
            kept[cell_id][measure] = summary
        for (cell_id, measure), values in summary_repository.current_values(
            connection, ids
        ).items():
            # values that no program stored may have no summary
            with suppress(ArithmeticError, ValueError):
                recomputed[cell_id][measure] = summarise_values(values)
        for cell in batch:
            yield RecomputedCell(
                cell.factors, cell.kept, cell.counted, kept[cell.id], recomputed[cell.id]
            )


def cells_without(
    connection: Connection,
    experiment: ExperimentRecord,
    cells: Sequence[CellRecord],
    without: Sequence[str],
) -> tuple[list[str], list[CellRecord]]:
    """Which of these runs counted, and the cells as if they did not.

    Nothing is changed in the store. A cell of which nothing is left is left out.
    """
    if not without:
        return [], list(cells)
    places = repository.current_places(connection, experiment.id, without)
    left_out = [uid for uid, _, _ in places]
    touched = {cell_id for _, cell_id, _ in places}
    values = summary_repository.current_values(connection, sorted(touched), left_out)
    remaining = cells_after(cells, places, values)
    return left_out, remaining


def cells_in_sequence(
    connection: Connection,
    experiment: ExperimentRecord,
    without: Sequence[str] = (),
    measure: str | None = None,
) -> JudgedCells:
    """All cells, with the intervals that their runs carry in view of when they were recorded.

    Runs in `without` do not count; a cell of which nothing is left is left out. Where a measure is
    named, the others' intervals are those of independent runs.
    """
    left_out, cells = cells_without(
        connection, experiment, list_cells(connection, experiment), without
    )
    if not says_when(connection, experiment):
        return JudgedCells(cells, {}, left_out)
    found = repository.replicates_by_measure(connection, experiment.id, measure, without)
    return judged_cells(cells, judge_each(found), left_out)


def says_when(connection: Connection, experiment: ExperimentRecord) -> bool:
    """Whether anything is known of when the experiment's runs were recorded."""
    return repository.says_when(connection, experiment.id)


def intervals_in_sequence(
    connection: Connection,
    experiment: ExperimentRecord,
    measure: str,
    without: Sequence[str] = (),
) -> CellIntervals:
    """What the sequence of all runs makes of the cells' intervals in one measure."""
    found = repository.replicates_by_measure(connection, experiment.id, measure, without)
    return judge_replicates(found[measure]) if measure in found else INDEPENDENT


def environments_of(
    connection: Connection, experiment: ExperimentRecord, where: Iterable[tuple[str, str]]
) -> list[tuple[Mapping[str, Any] | None, int]]:
    """Distinct environments of the current runs with these levels, and of how many runs.

    Errors: 422 for an unknown factor.
    """
    found = repository.environments_of(connection, experiment.id)
    chosen_by = parse_where(where, factor_levels(factors for factors, _, _ in found))
    return [
        (environment, count) for factors, environment, count in found if matches(factors, chosen_by)
    ]


def replicates_of(
    connection: Connection, in_cells: Sequence[int], measure: str, without: Sequence[str] = ()
) -> dict[int, list[ReplicateRecord]]:
    """One measure of the current runs of these cells, by cell."""
    found: dict[int, list[ReplicateRecord]] = {}
    for record in repository.replicates_of(connection, in_cells, measure, without):
        found.setdefault(record.cell_id, []).append(record)
    return found


def count_replicates(connection: Connection, in_cells: Sequence[int], measure: str) -> int:
    """How many runs replicates_of reads where none is left out."""
    return repository.count_replicates(connection, in_cells, measure)


def get_run(connection: Connection, uid: str) -> RunRecord:
    """The run of that identity. Errors: 404."""
    record = repository.get(connection, uid)
    if record is None:
        raise not_found("run", uid, "GET /api/experiments/{slug}/runs lists an experiment's runs.")
    return record


def list_upload_runs(connection: Connection, upload_id: int, limit: int) -> list[RunRecord]:
    """The first runs of an upload, in the file's order."""
    return repository.list_upload_runs(connection, upload_id, limit)


def measures_of(
    connection: Connection, records: Sequence[RunRecord]
) -> dict[int, dict[str, MeasuredValue]]:
    """Measures of these runs, by row id."""
    return repository.measures_of(connection, [record.id for record in records])


def outlying(connection: Connection, cell_id: int) -> dict[int, list[str]]:
    """Measures in which current runs of a cell are outliers among them, by row id.

    Runs that stand for several replicates have no part in it.
    """
    found: dict[int, list[str]] = {}
    for measure, values in repository.replicates_in(connection, cell_id).items():
        run_ids = list(values)
        for index in outliers(list(values.values())):
            found.setdefault(run_ids[index], []).append(measure)
    return {run_id: sorted(names, key=glossary_order) for run_id, names in found.items()}


def history_of(connection: Connection, record: RunRecord) -> list[HistoryRecord]:
    """All changes of a run, oldest first."""
    return repository.history_of(connection, record.id)


def replicates_taken(
    connection: Connection, experiment: ExperimentRecord, settings: Iterable[Factors]
) -> dict[str, dict[int | None, str]]:
    """For each of these settings' factor keys: replicate numbers in use, with the run of each."""
    keys = list(dict.fromkeys(factor_key(factors) for factors in settings))
    return repository.replicates_at(connection, experiment.id, keys)


def retract(connection: Connection, uid: str, reason: str) -> None:
    """Take a run out of its cell's summaries; the run and its log stay. Errors: 404, 409."""
    _set_status(connection, uid, "retracted", "retracted", reason)


def restore(connection: Connection, uid: str, reason: str) -> None:
    """Take a retraction back. Errors: 404; 409, also if its place was filled meanwhile."""
    run = get_run(connection, uid)
    _refuse_taken_place(connection, run, run.cell_id, run.replicate)
    _set_status(connection, uid, "current", "restored", reason)


def correct(
    connection: Connection,
    uid: str,
    factors: Mapping[str, FactorValue | None],
    replicate: int | None,
    reason: str,
) -> None:
    """Change a run's factors (None removes one) or replicate number: it moves to another cell.

    Errors: 404; 409 if nothing would change, or if another row has that place.
    """
    run = get_run(connection, uid)
    changed = {**run.factors, **factors}
    kept: dict[str, FactorValue] = {k: v for k, v in changed.items() if v is not None}
    kept = canonical_factors(kept)
    number = run.replicate if replicate is None else replicate
    before = {"factors": dict(run.factors), "replicate": run.replicate}
    after = {"factors": kept, "replicate": number}
    if before == after:
        raise conflict(
            "nothing_to_correct",
            "The run has these factors and this replicate number already.",
            where={"run": uid},
            advice="Give the factors that are wrong with their right levels.",
        )
    key = factor_key(kept)
    cell = repository.cell_ids(connection, run.experiment_id, {key: kept})[key]
    if run.status == "current":
        _refuse_taken_place(connection, run, cell, number)
    repository.update_run(connection, run.id, {"cell_id": cell, "replicate": number})
    _note(connection, run, "corrected", reason, before, after)
    refresh_summaries(connection, [run.cell_id, cell])


def _refuse_taken_place(
    connection: Connection, run: RunRecord, cell: int, replicate: int | None
) -> None:
    """A row of a table would be counted twice; two logs of one number are two recordings."""
    if run.content != "csv" or replicate is None:
        return
    other = repository.replicates_taken(connection, [cell]).get(cell, {}).get(replicate)
    if other is not None and other != run.uid:
        raise conflict(
            "replicate_exists",
            f"Replicate {replicate} of this cell is there already, as run {other}.",
            where={"run": other},
            advice="Retract that run first, or give this one another replicate number.",
        )


def _set_status(connection: Connection, uid: str, status: str, action: str, reason: str) -> None:
    run = get_run(connection, uid)
    if run.status == status:
        raise conflict(
            f"already_{status}",
            f"The run is {status} already.",
            where={"run": uid},
            advice="Its history says since when and why.",
        )
    repository.update_run(connection, run.id, {"status": status})
    _note(connection, run, action, reason, {"status": run.status}, {"status": status})
    refresh_summaries(connection, [run.cell_id])


def _note(
    connection: Connection,
    run: RunRecord,
    action: str,
    reason: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    tell(connection, happened_to(run.experiment, run.uid, f"{action}: {reason}"))
    row = _history(run.id, utc_now(), action, reason, before, after)
    repository.insert_history(connection, [row])
    touch(connection, run.experiment_id)


def _history(
    run_id: int,
    at: str,
    action: str,
    reason: str,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "at": at,
        "action": action,
        "reason": reason,
        "before": before,
        "after": after,
    }


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
