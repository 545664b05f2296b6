# SPDX-License-Identifier: Apache-2.0
"""Accept one file: understand it, make it durable, store its rows, and only then say so.

All or nothing: a refused file leaves neither bytes nor rows. Bytes that were accepted before change
nothing when they come again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.database import Database
from coalescope.errors import CoalescopeError, Problem, refused
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.service import ensure_experiment
from coalescope.object_store import CSV_SUFFIX, RUN_LOG_SUFFIX, ObjectStore, StagedObject
from coalescope.runs import service as runs
from coalescope.runs.records import NewRun, RunRecord, RunWarning
from coalescope.timestamps import utc_now
from coalescope.uploads import repository
from coalescope.uploads.csv_files import understand_csv
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.repository import UploadRecord
from coalescope.uploads.run_logs import understand_run_log
from coalescope.uploads.tidy_csv import MAX_PROBLEMS

RUNS_SHOWN = 100
_RUN_LOG_MAGIC = b"\x89COAL\r\n\x1a"
_SUFFIXES = {"run_log": RUN_LOG_SUFFIX, "csv": CSV_SUFFIX}


@dataclass(frozen=True)
class Receipt:
    """What became of a file."""

    outcome: Literal["stored", "known"]
    upload: UploadRecord
    runs: Sequence[RunRecord]


def accept(
    database: Database, store: ObjectStore, staged: StagedObject, request: UploadRequest
) -> Receipt:
    """Store a received file. When this returns, bytes and rows are on disk.

    Errors: CoalescopeError 422 where the file is wrong, 409 where it contradicts what is stored.
    """
    known = _known(database, store, staged)
    if known is not None:
        return known
    incoming = _understand(staged, request)
    staged.sync()  # the slow part of durability, before the write lock is taken
    try:
        with database.write() as connection:
            if repository.find(connection, staged.sha256) is None:
                _store(connection, staged, request, incoming)
                staged.commit(_SUFFIXES[incoming.content])
                upload = repository.find(connection, staged.sha256)
                assert upload is not None
                return _receipt(connection, "stored", upload)
    except IntegrityError:
        pass  # the same bytes came at the same time, by another server of this database
    known = _known(database, store, staged)
    if known is None:
        raise CoalescopeError(
            "conflict",
            "The same run was being stored at the same time.",
            advice="Send the file again.",
            status=409,
        )
    return known


def recent(connection: Connection, limit: int) -> list[Receipt]:
    """Receipts of the newest uploads, newest first."""
    return [
        _receipt(connection, "stored", upload)
        for upload in repository.list_recent(connection, limit)
    ]


def _known(database: Database, store: ObjectStore, staged: StagedObject) -> Receipt | None:
    with database.read() as connection:
        upload = repository.find(connection, staged.sha256)
        if upload is None:
            return None
        receipt = _receipt(connection, "known", upload)
    suffix = _SUFFIXES[upload.content]
    if store.path(upload.sha256, suffix) is None:
        staged.commit(suffix)  # the store had lost it
    return receipt


def _understand(staged: StagedObject, request: UploadRequest) -> Incoming:
    with staged.path.open("rb") as file:
        start = file.read(len(_RUN_LOG_MAGIC))
    # A log that was damaged in its first bytes should be told so as a log.
    if start == _RUN_LOG_MAGIC or (start[:5] == _RUN_LOG_MAGIC[:5] and start):
        return understand_run_log(staged.path, request)
    if not start:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"file": request.filename, "offset": 0},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    return understand_csv(staged.path, staged.size, staged.sha256, request)


def _store(
    connection: Connection, staged: StagedObject, request: UploadRequest, incoming: Incoming
) -> None:
    source = {"citation": request.citation} if request.citation else None
    experiment = ensure_experiment(
        connection, incoming.slug, incoming.title, incoming.kind, source=source
    )
    new = _numbered(connection, experiment, incoming)
    warnings = [warning.as_json() for run in new for warning in run.warnings]
    upload_id = repository.insert(
        connection,
        {
            "sha256": staged.sha256,
            "bytes": staged.size,
            "filename": request.filename,
            "content": incoming.content,
            "experiment_id": experiment.id,
            "run_count": len(new),
            "warnings": warnings[:100],
            "created_at": utc_now(),
        },
    )
    runs.record_runs(connection, experiment, new, upload_id, f"uploaded as {request.filename}")


def _numbered(
    connection: Connection, experiment: ExperimentRecord, incoming: Incoming
) -> Sequence[NewRun]:
    """Runs with replicate numbers that fit those stored. Errors: 409 for rows that repeat them."""
    taken = runs.replicates_taken(connection, experiment, [run.factors for run in incoming.runs])
    if incoming.content == "run_log":
        return [_numbered_log(run, taken[runs.factor_key(run.factors)]) for run in incoming.runs]
    problems = [
        problem
        for run in incoming.runs
        if (problem := _repeats(run, taken[runs.factor_key(run.factors)], incoming.per_cell))
    ]
    if problems:
        error = refused(problems[:MAX_PROBLEMS])
        error.status = 409
        raise error
    return incoming.runs


def _numbered_log(run: NewRun, taken: dict[int | None, str]) -> NewRun:
    """Another recording is another run, even under a number that is in use."""
    if run.replicate is None:
        return replace(run, replicate=max((n for n in taken if n is not None), default=0) + 1)
    if run.replicate not in taken:
        return run
    warning = RunWarning(
        "replicate_repeated",
        f"Replicate {run.replicate} of this cell is there already (run {taken[run.replicate]}); "
        "both count. Retract one if it should not.",
        {"run": taken[run.replicate]},
    )
    return replace(run, warnings=[*run.warnings, warning])


def _repeats(run: NewRun, taken: dict[int | None, str], per_cell: bool) -> Problem | None:
    """A row has no identity but its cell and number: what is there already is not stored twice."""
    if per_cell and taken:
        other = next(iter(taken.values()))
        return Problem(
            code="cell_exists",
            message=f"The cell of row {run.csv_row} has data already.",
            where={"row": run.csv_row, "run": other},
            advice="Retract the stored runs first, or use another experiment.",
        )
    if run.replicate in taken:
        return Problem(
            code="replicate_exists",
            message=f"Replicate {run.replicate} of row {run.csv_row}'s cell is stored already.",
            where={"row": run.csv_row, "run": taken[run.replicate]},
            advice="Leave the row out, give it another number, or retract the stored run first.",
        )
    return None


def _receipt(
    connection: Connection, outcome: Literal["stored", "known"], upload: UploadRecord
) -> Receipt:
    return Receipt(outcome, upload, runs.list_upload_runs(connection, upload.id, RUNS_SHOWN))
