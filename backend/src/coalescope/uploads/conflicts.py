# SPDX-License-Identifier: Apache-2.0
"""Files that meet what is stored: they came before, or are one log with another, cut off or whole.

The longer log takes the place of the copy of it that was cut off; a shorter one is told so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import check_not_deleted, check_same_kind, get_experiment
from coalescope.runs import recording
from coalescope.runs import service as runs
from coalescope.runs.records import RunRecord, RunWarning
from coalescope.storage.object_store import (
    RUN_LOG_SUFFIX,
    SUFFIXES,
    KeptObject,
    ObjectStore,
    StagedObject,
    same_bytes,
)
from coalescope.uploads import repository
from coalescope.uploads.mapping.records import TableMapping, mapping_of
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading
from coalescope.uploads.receipt import SUPERSEDED, Receipt, receipt_of
from coalescope.uploads.repository import UploadRecord
from coalescope.uploads.storing import IncomingFile, upload_row

SUPERSEDES = "supersedes"


def resolve(
    database: Database,
    store: ObjectStore,
    file: IncomingFile,
    reading: Reading,
    error: CoalescopeError | IntegrityError,
) -> Receipt:
    """The receipt of a file that could not be stored, if it is known, or goes on or ends a log.

    Errors: the given one, if it is nothing of that; 409 where another request was faster.
    """
    known = known_file(database, store, file.staged, file.identity)
    if known is not None:
        return known
    stored = _stored_copy(database, store, file)
    if stored is not None:
        match reading.longer(stored.log, file.staged):
            case "longer":
                return _supersede(database, file, stored.run)
            case "no longer":
                return _say_superseded(database, file, stored.run)
    if isinstance(error, CoalescopeError):
        raise error
    raise _came_meanwhile()


def known_table(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    reading: Reading,
) -> Receipt | None:
    """The receipt of a table that is where it is to go, read as it is to be read.

    Without an experiment that is asked for, it stays where it is. Errors: 409 where it is said to
    be of another kind now.
    """
    with database.read() as connection:
        there = [
            upload
            for upload in reversed(repository.with_bytes(connection, staged.sha256))
            if request.experiment in (None, upload.slug)
        ]
    same = _read_alike(there, staged, request.mapping, reading)
    if same is None:
        return None
    with database.read() as connection:
        check_same_kind(get_experiment(connection, same.slug), request.kind)
    return known_file(database, store, staged, same.identity)


def _read_alike(
    there: Sequence[UploadRecord],
    staged: StagedObject,
    mapping: TableMapping | None,
    reading: Reading,
) -> UploadRecord | None:
    """The first of these stored tables that was read as the same bytes are to be read now."""
    if mapping is None:
        return next((upload for upload in there if upload.mapping is None), None)
    mapped = [(upload, upload.mapping) for upload in there if upload.mapping is not None]
    if not mapped:
        return None
    asked = reading.settled(staged, mapping)
    return next((upload for upload, said in mapped if mapping_of(said) == asked), None)


def known_file(
    database: Database, store: ObjectStore, staged: StagedObject, identity: str
) -> Receipt | None:
    """The receipt of the upload of that identity; its bytes are put back where they are damaged.

    Errors: 409 where its experiment was deleted.
    """
    with database.read() as connection:
        upload = repository.find(connection, identity)
        if upload is None:
            return None
        check_not_deleted(connection, upload.slug, "this file")
        receipt = receipt_of(connection, "known", upload)
    suffix = SUFFIXES[upload.content]
    kept = store.path(upload.sha256, suffix)
    if kept is None or not same_bytes(kept, upload.sha256):
        staged.commit(suffix)  # the store had lost it, or it was damaged
    return receipt


@dataclass(frozen=True)
class StoredLog:
    """A run that is stored, and its log."""

    run: RunRecord
    log: KeptObject


def _stored_copy(database: Database, store: ObjectStore, file: IncomingFile) -> StoredLog | None:
    """The stored log of the run that came in again, in other bytes.

    Errors: 409 where the run's experiment was deleted.
    """
    if file.parsed.content != "run_log":
        return None
    with database.read() as connection:
        run = runs.find_run(connection, file.parsed.runs[0].uid)
        if run is not None:
            check_not_deleted(connection, run.experiment, f"run {run.uid}")
    if run is None or run.content != "run_log" or run.sha256 in (None, file.staged.sha256):
        return None
    assert run.sha256 is not None
    path = store.path(run.sha256, RUN_LOG_SUFFIX)
    return None if path is None else StoredLog(run, KeptObject(path, run.sha256))


def _supersede(database: Database, file: IncomingFile, stored: RunRecord) -> Receipt:
    """Store a log in the place of the cut-off copy that came before it, whose bytes stay."""
    (whole,) = file.parsed.runs
    sha256 = file.staged.sha256
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
        row = upload_row(file, experiment, [note, *whole.warnings])
        (upload_id,) = repository.insert_all(connection, [row])
        reason = f"superseded by the longer log, {file.reason}"
        recording.replace_log(connection, now, whole, upload_id, sha256, reason)
        assert stored.sha256 is not None
        repository.add_warning(connection, stored.sha256, _is_superseded(stored.uid).as_json())
        file.staged.commit(RUN_LOG_SUFFIX)
        upload = repository.find(connection, sha256)
        assert upload is not None
        return receipt_of(connection, "stored", upload)


def _say_superseded(database: Database, file: IncomingFile, stored: RunRecord) -> Receipt:
    """Answer a copy that holds no more than the stored log does; nothing changes."""
    assert stored.sha256 is not None
    with database.read() as connection:
        upload = repository.find(connection, stored.sha256)
        assert upload is not None
        receipt = receipt_of(connection, "known", upload)
    sent = replace(
        upload,
        sha256=file.staged.sha256,
        bytes=file.staged.size,
        filename=file.request.filename,
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


def _came_meanwhile() -> CoalescopeError:
    """Of the same run, by another request. It is there, or refused, when it is sent again."""
    return CoalescopeError(
        "conflict",
        "The same run was being stored at the same time.",
        advice="Send the file again.",
        status=409,
    )
