# SPDX-License-Identifier: Apache-2.0
"""Accept one file: understand it, make it durable, store its rows, and only then say so.

All or nothing: a refused file leaves neither bytes nor rows. Bytes that were accepted before change
nothing when they come again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.database import CAUSE, Database
from coalescope.errors import CoalescopeError, Problem, refused
from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.service import (
    add_notes,
    describe_columns,
    ensure_experiment,
    get_experiment,
)
from coalescope.measures import DEFINITIONS
from coalescope.object_store import (
    RUN_LOG_SUFFIX,
    SUFFIXES,
    ObjectStore,
    StagedObject,
    same_bytes,
)
from coalescope.runs import service as runs
from coalescope.runs.records import NewRun, RunRecord, RunWarning
from coalescope.timestamps import utc_now
from coalescope.tracing import span
from coalescope.uploads import repository
from coalescope.uploads.csv_faults import MAX_PROBLEMS
from coalescope.uploads.csv_files import understand_csv
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.logs_together import LogUpload, numbered_log, store_together
from coalescope.uploads.provenance import check_source
from coalescope.uploads.receipt import Receipt, ReceivedRun
from coalescope.uploads.repository import UploadRecord
from coalescope.uploads.run_logs import understand_run_log
from coalescope.uploads.superseding import SUPERSEDED, compare_logs

RUNS_SHOWN = 100
SUPERSEDES = "supersedes"
_RUN_LOG_MAGIC = b"\x89COAL\r\n\x1a"


class Take(Protocol):
    """How a run log is read, and perhaps stored at once."""

    def __call__(self, staged: StagedObject, request: UploadRequest, /) -> Incoming | Receipt:
        """What it holds; or its receipt, if all of it is on disk."""


def read_here(staged: StagedObject, request: UploadRequest) -> Incoming:
    """Read a run log. Errors: as understand_run_log."""
    return understand_run_log(staged.path, request)


def accept(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    take: Take = read_here,
) -> Receipt:
    """Store a received file. When this returns, bytes and rows are on disk.

    Errors: CoalescopeError 422 where the file is wrong, 409 where it contradicts what is stored.
    """
    known = _known(database, store, staged)
    if known is not None:
        return known
    with span("upload understand", bytes=staged.size):
        incoming = _understand(staged, request, take)
    if isinstance(incoming, Receipt):
        return incoming
    with span("upload sync"):
        staged.sync()  # the slow part of durability, before the write lock is taken
    receipt = None
    if incoming.content == "run_log":
        log = LogUpload(staged, request, incoming, CAUSE.get())
        receipt = database.together.do(incoming.slug, log, partial(store_together, database, store))
    return receipt or _accept_alone(database, store, staged, request, incoming)


def _accept_alone(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    incoming: Incoming,
) -> Receipt:
    """Store a table, or a log that may be one that is known, contradict it, or go on where it ends.

    Errors: as of `accept`.
    """
    stored = _stored_copy(database, store, staged, incoming)
    if stored is not None:
        match compare_logs(stored.path, staged.path):
            case "longer":
                return _supersede(database, staged, request, incoming, stored.run)
            case "no longer":
                return _superseded(database, staged, request, stored.run)
    try:
        # waits for the lock, and at its end for the disk
        with span("upload commit"), database.write(within=incoming.slug) as connection:
            if repository.find(connection, staged.sha256) is None:
                with span("upload rows", runs=len(incoming.runs)):
                    _store(connection, staged, request, incoming)
                with span("upload place"):
                    staged.commit(SUFFIXES[incoming.content])
                upload = repository.find(connection, staged.sha256)
                assert upload is not None
                return _receipt(connection, "stored", upload)
    except IntegrityError:
        pass  # the same bytes came at the same time, by another server of this database
    known = _known(database, store, staged)
    if known is None:
        raise _came_meanwhile()
    return known


def _came_meanwhile() -> CoalescopeError:
    return CoalescopeError(
        "conflict",
        "The same run was being stored at the same time.",
        advice="Send the file again.",
        status=409,
    )


def recent(connection: Connection, limit: int) -> list[Receipt]:
    """Receipts of the newest uploads, newest first."""
    return [
        _receipt(connection, "stored", upload)
        for upload in repository.list_recent(connection, limit)
    ]


def _known(database: Database, store: ObjectStore, staged: StagedObject) -> Receipt | None:
    if repository.surely_new(database, staged.sha256):
        return None
    with database.read() as connection:
        upload = repository.find(connection, staged.sha256)
        if upload is None:
            return None
        receipt = _receipt(connection, "known", upload)
    suffix = SUFFIXES[upload.content]
    kept = store.path(upload.sha256, suffix)
    if kept is None or not same_bytes(kept, upload.sha256):
        staged.commit(suffix)  # the store had lost it, or it was damaged
    return receipt


@dataclass(frozen=True)
class _StoredLog:
    """A run that is stored, and its log."""

    run: RunRecord
    path: Path


def _stored_copy(
    database: Database, store: ObjectStore, staged: StagedObject, incoming: Incoming
) -> _StoredLog | None:
    """The stored log of the run that came in again, in other bytes."""
    if incoming.content != "run_log":
        return None
    with database.read() as connection:
        run = runs.find_run(connection, incoming.runs[0].uid)
    if run is None or run.content != "run_log" or run.sha256 in (None, staged.sha256):
        return None
    assert run.sha256 is not None
    path = store.path(run.sha256, RUN_LOG_SUFFIX)
    return None if path is None else _StoredLog(run, path)


def _supersede(
    database: Database,
    staged: StagedObject,
    request: UploadRequest,
    incoming: Incoming,
    stored: RunRecord,
) -> Receipt:
    """Store a log in the place of the cut-off copy that came before it, whose bytes stay."""
    (whole,) = incoming.runs
    note = RunWarning(
        SUPERSEDES,
        f"A copy of this log that was cut off was stored before, as {stored.filename}. This one "
        f"is longer and took its place: {_standing(stored)}.",
        {"run": stored.uid, "log": stored.sha256},
    )
    with database.write() as connection:
        now = runs.find_run(connection, stored.uid)
        if now is None or now.sha256 != stored.sha256:
            raise _came_meanwhile()
        experiment = get_experiment(connection, now.experiment)
        warnings = [note, *whole.warnings]
        upload_id = _insert_upload(connection, staged, request, incoming, experiment, warnings)
        reason = f"superseded by the longer log, uploaded as {request.filename}"
        runs.replace_log(connection, now, whole, upload_id, staged.sha256, reason)
        assert stored.sha256 is not None
        repository.add_warning(connection, stored.sha256, _is_superseded(stored.uid).as_json())
        staged.commit(RUN_LOG_SUFFIX)
        upload = repository.find(connection, staged.sha256)
        assert upload is not None
        return _receipt(connection, "stored", upload)


def _superseded(
    database: Database, staged: StagedObject, request: UploadRequest, stored: RunRecord
) -> Receipt:
    """Answer a copy that holds no more than the stored log does; nothing changes."""
    assert stored.sha256 is not None
    with database.read() as connection:
        upload = repository.find(connection, stored.sha256)
        assert upload is not None
        receipt = _receipt(connection, "known", upload)
    sent = replace(
        upload,
        sha256=staged.sha256,
        bytes=staged.size,
        filename=request.filename,
        warnings=[_is_superseded(stored.uid).as_json()],
    )
    return replace(receipt, upload=sent)


def _standing(run: RunRecord) -> str:
    where = f"the run stays in {run.experiment}, in its cell"
    return where + (", and stays retracted" if run.status == "retracted" else "")


def _is_superseded(uid: str) -> RunWarning:
    return RunWarning(
        SUPERSEDED,
        "This copy of the log was cut off. A longer log of the same run is here, and counts.",
        {"run": uid},
    )


def begins_as_run_log(start: bytes) -> bool:
    """A log that was damaged in its first bytes should be told so as a log."""
    return start[:5] == _RUN_LOG_MAGIC[:5]


def is_named_as_run_log(filename: str) -> bool:
    """What is none for all its name should be told so too, and not what it lacks as a table."""
    return filename.lower().endswith(f".{RUN_LOG_SUFFIX}")


def _understand(staged: StagedObject, request: UploadRequest, take: Take) -> Incoming | Receipt:
    if not staged.size:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"file": request.filename, "offset": 0},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    if begins_as_run_log(staged.start) or is_named_as_run_log(request.filename):
        return take(staged, request)
    return understand_csv(staged.path, staged.size, staged.sha256, request)


def _store(
    connection: Connection, staged: StagedObject, request: UploadRequest, incoming: Incoming
) -> None:
    cited = {"citation": request.citation} if request.citation else {}
    about = incoming.about if incoming.content == "csv" else cited
    experiment = ensure_experiment(
        connection,
        incoming.slug,
        incoming.title,
        incoming.kind,
        subtitle=incoming.subtitle,
        source=about,
    )
    if incoming.content == "csv":
        check_source(experiment, about)
        add_notes(connection, experiment, incoming.notes)
        describe_columns(connection, experiment, about)
    new = _numbered(connection, experiment, incoming)
    of_table = incoming.warnings if incoming.content == "csv" else ()
    warnings = [*of_table, *(warning for run in new for warning in run.warnings)]
    upload_id = _insert_upload(connection, staged, request, incoming, experiment, warnings)
    new = [replace(run, upload_id=upload_id) for run in new]
    runs.record_runs(connection, experiment, new, f"uploaded as {request.filename}")


def _insert_upload(
    connection: Connection,
    staged: StagedObject,
    request: UploadRequest,
    incoming: Incoming,
    experiment: ExperimentRecord,
    warnings: Sequence[RunWarning],
) -> int:
    return repository.insert(
        connection,
        {
            "sha256": staged.sha256,
            "bytes": staged.size,
            "filename": request.filename,
            "content": incoming.content,
            "experiment_id": experiment.id,
            "run_count": len(incoming.runs),
            "measured_as": DEFINITIONS,
            "warnings": [warning.as_json() for warning in warnings[:100]],
            "created_at": utc_now(),
        },
    )


def _numbered(
    connection: Connection, experiment: ExperimentRecord, incoming: Incoming
) -> Sequence[NewRun]:
    """Runs with replicate numbers that fit those stored. Errors: 409 for rows that repeat them."""
    taken = runs.replicates_taken(connection, experiment, [run.factors for run in incoming.runs])
    if incoming.content == "run_log":
        return [numbered_log(run, taken[factor_key(run.factors)]) for run in incoming.runs]
    problems = [
        problem
        for run in incoming.runs
        if (problem := _repeats(run, taken[factor_key(run.factors)], incoming.per_cell))
    ]
    if problems:
        error = refused(problems[:MAX_PROBLEMS])
        error.status = 409
        raise error
    return incoming.runs


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
    listed = runs.list_upload_runs(connection, upload.id, RUNS_SHOWN)
    gone = (w["where"]["run"] for w in upload.warnings if w["code"] == SUPERSEDED)
    # the run of a cut-off copy has another log by now, but it is still the run that came
    found = listed or [runs.get_run(connection, uid) for uid in gone]
    came = [ReceivedRun(run.uid, run.factors, run.replicate, run.partial) for run in found]
    return Receipt(outcome, upload, came)
