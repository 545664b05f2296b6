# SPDX-License-Identifier: Apache-2.0
"""Accept one file: understand it, make it durable, store its rows, and only then say so.

All or nothing: a refused file leaves neither bytes nor rows. Bytes that were accepted before change
nothing when they come again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Literal, Protocol

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import CAUSE, Database
from coalescope.db.timestamps import utc_now
from coalescope.errors import CoalescopeError, Problem, not_found, refused
from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.experiments.service import (
    add_notes,
    check_same_kind,
    describe_columns,
    ensure_experiment,
    get_experiment,
)
from coalescope.foreign.bundle import is_bundle, write_bundle
from coalescope.foreign.registry import MOST_BYTES, START_BYTES, recognise
from coalescope.measures import DEFINITIONS
from coalescope.runs import recording
from coalescope.runs import service as runs
from coalescope.runs.records import NewRun, RunRecord, RunWarning
from coalescope.storage.object_store import (
    RUN_LOG_SUFFIX,
    SUFFIXES,
    KeptObject,
    ObjectStore,
    ReadableObject,
    StagedObject,
    same_bytes,
)
from coalescope.untrusted.texts import refuse_control
from coalescope.uploads import repository
from coalescope.uploads.csv_faults import MAX_PROBLEMS
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.logs_together import LogUpload, numbered_log, store_together
from coalescope.uploads.mapping.records import TableMapping, mapping_of
from coalescope.uploads.provenance import check_source
from coalescope.uploads.receipt import Receipt, ReceivedRun
from coalescope.uploads.repository import UploadRecord
from coalescope.uploads.superseding import Longer
from coalescope.web.tracing import span

RUNS_SHOWN = 100
_MOST_WARNINGS = 100  # that are kept of an upload
SUPERSEDES = "supersedes"
SUPERSEDED = "superseded"  # the warning of a copy whose run has a longer log now


class Read(Protocol):
    """How files are read; a run log is perhaps stored at once."""

    def table(self, staged: StagedObject, request: UploadRequest, /) -> Incoming:
        """What a table holds."""

    def foreign(self, staged: StagedObject, request: UploadRequest, /) -> Incoming:
        """What files of other tools hold."""

    def log(self, staged: StagedObject, request: UploadRequest, /) -> Incoming | Receipt:
        """What a run log holds; or its receipt, if all of it is on disk."""

    def longer(self, stored: ReadableObject, sent: ReadableObject, /) -> Longer | None:
        """Whether a log goes on where a stored one ends, or ends before; None: another log."""

    def settled(self, staged: StagedObject, mapping: TableMapping, /) -> TableMapping:
        """A mapping with what the table settles of it."""


def accept(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    read: Read,
) -> Receipt:
    """Store a received file. When this returns, bytes and rows are on disk.

    Errors: CoalescopeError 422 where the file is wrong, 409 where it contradicts what is stored.
    """
    for field in ("filename", "title", "citation"):
        refuse_control(field, getattr(request, field))
    if not _is_log(staged, request) and _is_foreign(staged):
        with store.stage() as bundled:
            bundled.write(write_bundle(request.given, {request.filename: _content(staged)}))
            return _accept(database, store, bundled, request, read)
    return _accept(database, store, staged, request, read)


def _accept(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    read: Read,
) -> Receipt:
    is_log = _is_log(staged, request)
    known = (
        _known(database, store, staged, staged.sha256)
        if is_log or is_bundle(_start(staged))
        else _known_table(database, store, staged, request, read)
    )
    if known is not None:
        return known
    with span("upload understand", bytes=staged.size):
        incoming = _understand(staged, request, read, is_log=is_log)
    if isinstance(incoming, Receipt):
        return incoming
    with span("upload sync"):
        staged.sync()  # the slow part of durability, before the write lock is taken
    receipt = None
    if incoming.content == "run_log":
        log = LogUpload(staged, request, incoming, CAUSE.get())
        receipt = database.together.do(incoming.slug, log, partial(store_together, database, store))
    return receipt or _accept_alone(database, store, staged, request, incoming, read)


def _accept_alone(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    incoming: Incoming,
    read: Read,
) -> Receipt:
    """Store a table, other tools' files, or a log that is known, contradicts one, or goes on.

    Errors: as of `accept`.
    """
    stored = _stored_copy(database, store, staged, incoming)
    if stored is not None:
        match read.longer(stored.log, staged):
            case "longer":
                return _supersede(database, staged, request, incoming, stored.run)
            case "no longer":
                return _superseded(database, staged, request, stored.run)
    try:
        # waits for the lock, and at its end for the disk
        with span("upload commit"), database.write(within=incoming.slug) as connection:
            identity = incoming.identity or staged.sha256
            if repository.find(connection, identity) is None:
                with span("upload rows", runs=len(incoming.runs)):
                    _store(connection, staged, request, incoming)
                with span("upload place"):
                    staged.commit(SUFFIXES[incoming.content])
                upload = repository.find(connection, identity)
                assert upload is not None
                return _receipt(connection, "stored", upload)
    except IntegrityError:
        pass  # the same bytes came at the same time, by another server of this database
    known = _known(database, store, staged, incoming.identity or staged.sha256)
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


def runs_of_cells(connection: Connection, identity: str) -> list[tuple[Factors, int]]:
    """Each cell that an upload has runs in, with how many. Errors: 404 where it is not there."""
    if repository.find(connection, identity) is None:
        raise not_found("upload", identity, "GET /api/uploads lists the newest.")
    return repository.runs_of_cells(connection, identity)


def _known_table(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    read: Read,
) -> Receipt | None:
    """The receipt of a table that is where it is to go, read as it is to be read.

    Without an experiment that is asked for, it stays where it is. Errors: 409 where it is said to
    be of another kind now.
    """
    if repository.surely_new(database, staged.sha256):
        return None
    with database.read() as connection:
        there = [
            upload
            for upload in reversed(repository.with_bytes(connection, staged.sha256))
            if request.experiment in (None, upload.slug)
        ]
    same = _read_alike(there, staged, request.mapping, read)
    if same is None:
        return None
    with database.read() as connection:
        check_same_kind(get_experiment(connection, same.slug), request.kind)
    return _known(database, store, staged, same.identity)


def _read_alike(
    there: Sequence[UploadRecord], staged: StagedObject, mapping: TableMapping | None, read: Read
) -> UploadRecord | None:
    """The first of these stored tables that was read as the same bytes are to be read now."""
    if mapping is None:
        return next((upload for upload in there if upload.mapping is None), None)
    mapped = [(upload, upload.mapping) for upload in there if upload.mapping is not None]
    if not mapped:
        return None
    asked = read.settled(staged, mapping)
    return next((upload for upload, said in mapped if mapping_of(said) == asked), None)


def _known(
    database: Database, store: ObjectStore, staged: StagedObject, identity: str
) -> Receipt | None:
    if repository.surely_new(database, staged.sha256):
        return None
    with database.read() as connection:
        upload = repository.find(connection, identity)
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
    log: KeptObject


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
    return None if path is None else _StoredLog(run, KeptObject(path, run.sha256))


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
        recording.replace_log(connection, now, whole, upload_id, staged.sha256, reason)
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


def _is_log(staged: StagedObject, request: UploadRequest) -> bool:
    return begins_as_run_log(staged.start) or is_named_as_run_log(request.filename)


def _understand(
    staged: StagedObject, request: UploadRequest, read: Read, *, is_log: bool
) -> Incoming | Receipt:
    if not staged.size:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"file": request.filename, "offset": 0},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    if is_log:
        return read.log(staged, request)
    if is_bundle(_start(staged)):
        return read.foreign(staged, request)
    return read.table(staged, request)


def _is_foreign(staged: StagedObject) -> bool:
    """Whether it is a file as another tool wrote it, to be kept with what was said of it."""
    return staged.size <= MOST_BYTES and recognise(_start(staged)) is not None


def _start(staged: StagedObject) -> bytes:
    with staged.path.open("rb") as file:
        return file.read(START_BYTES)


def _content(staged: StagedObject) -> bytes:
    return staged.path.read_bytes()


def _store(
    connection: Connection, staged: StagedObject, request: UploadRequest, incoming: Incoming
) -> None:
    cited = {"citation": request.citation} if request.citation else {}
    about = cited if incoming.content == "run_log" else incoming.about
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
    if incoming.content != "run_log":
        describe_columns(connection, experiment, about)
    settings, said = _looked_through(incoming.runs)
    new = _numbered(connection, experiment, incoming, settings)
    if new is not incoming.runs:
        said = _first_warnings(new)
    of_table = (
        [*_elsewhere(connection, staged, incoming), *incoming.warnings]
        if incoming.content == "csv"
        else ()
    )
    warnings = [*of_table, *said]
    upload_id = _insert_upload(connection, staged, request, incoming, experiment, warnings)
    of_upload = (replace(run, upload_id=upload_id) for run in new)
    recording.record_runs(connection, experiment, of_upload, f"uploaded as {request.filename}")


def _elsewhere(
    connection: Connection, staged: StagedObject, incoming: Incoming
) -> Sequence[RunWarning]:
    """That the same bytes are somewhere else, or are there under other names."""
    others = repository.with_bytes(connection, staged.sha256)
    places = list(dict.fromkeys(other.slug for other in others if other.slug != incoming.slug))
    if not places:
        return ()
    return [
        RunWarning(
            "also_elsewhere",
            f"The same file is in {', '.join(places[:5])} as well; its rows count in each.",
            {"experiment": places[0]},
        )
    ]


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
            "identity": incoming.identity or staged.sha256,
            "sha256": staged.sha256,
            "bytes": staged.size,
            "filename": request.filename,
            "content": incoming.content,
            "mapping": None if incoming.mapping is None else incoming.mapping.as_json(),
            "experiment_id": experiment.id,
            "run_count": len(incoming.runs),
            "measured_as": DEFINITIONS,
            "warnings": [warning.as_json() for warning in warnings[:_MOST_WARNINGS]],
            "created_at": utc_now(),
        },
    )


def _looked_through(new: Iterable[NewRun]) -> tuple[list[Factors], list[RunWarning]]:
    """The settings of runs, each once, and the first warnings.

    In one go: runs of a large table are unpacked each time that they are gone through.
    """
    settings: dict[str, Factors] = {}
    warnings: list[RunWarning] = []
    for run in new:
        settings.setdefault(factor_key(run.factors), run.factors)
        if len(warnings) < _MOST_WARNINGS:
            warnings += run.warnings
    return list(settings.values()), warnings


def _first_warnings(new: Iterable[NewRun]) -> list[RunWarning]:
    return list(islice((warning for run in new for warning in run.warnings), _MOST_WARNINGS))


def _numbered(
    connection: Connection,
    experiment: ExperimentRecord,
    incoming: Incoming,
    settings: Sequence[Factors],
) -> Sequence[NewRun]:
    """Runs with replicate numbers that fit those stored. Errors: 409 for rows that repeat them."""
    taken = recording.replicates_taken(connection, experiment, settings)
    if incoming.content != "csv":
        return [_numbered_in_turn(run, taken[factor_key(run.factors)]) for run in incoming.runs]
    if not any(taken.values()):
        return incoming.runs
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


def _numbered_in_turn(run: NewRun, taken: dict[int | None, str]) -> NewRun:
    """Its number is taken for the next run of the cell."""
    numbered = numbered_log(run, taken)
    taken.setdefault(numbered.replicate, numbered.uid)
    return numbered


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
