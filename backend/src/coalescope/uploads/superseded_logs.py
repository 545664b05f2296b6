# SPDX-License-Identifier: Apache-2.0
"""A longer log takes the place of the copy of it that was cut off; a shorter one is told so."""

from dataclasses import dataclass, replace

from coalescope.db.engine import Database
from coalescope.experiments.service import check_not_deleted, get_experiment
from coalescope.runs import recording
from coalescope.runs import service as runs
from coalescope.runs.records import RunRecord, RunWarning
from coalescope.storage.object_store import RUN_LOG_SUFFIX, KeptObject, ObjectStore, StagedObject
from coalescope.uploads import repository
from coalescope.uploads.known_files import came_meanwhile
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.receipt import Receipt, receipt_of
from coalescope.uploads.superseding import SUPERSEDED
from coalescope.uploads.upload_rows import insert_upload

SUPERSEDES = "supersedes"


@dataclass(frozen=True)
class StoredLog:
    """A run that is stored, and its log."""

    run: RunRecord
    log: KeptObject


def stored_copy(
    database: Database, store: ObjectStore, staged: StagedObject, parsed: ParsedUpload
) -> StoredLog | None:
    """The stored log of the run that came in again, in other bytes.

    Errors: 409 where the run's experiment was deleted.
    """
    if parsed.content != "run_log":
        return None
    with database.read() as connection:
        run = runs.find_run(connection, parsed.runs[0].uid)
        if run is not None:
            check_not_deleted(connection, run.experiment, f"run {run.uid}")
    if run is None or run.content != "run_log" or run.sha256 in (None, staged.sha256):
        return None
    assert run.sha256 is not None
    path = store.path(run.sha256, RUN_LOG_SUFFIX)
    return None if path is None else StoredLog(run, KeptObject(path, run.sha256))


def supersede(
    database: Database,
    staged: StagedObject,
    request: UploadRequest,
    parsed: ParsedUpload,
    stored: RunRecord,
) -> Receipt:
    """Store a log in the place of the cut-off copy that came before it, whose bytes stay."""
    (whole,) = parsed.runs
    note = RunWarning(
        SUPERSEDES,
        f"A copy of this log that was cut off was stored before, as {stored.filename}. This one "
        f"is longer and took its place: {_standing(stored)}.",
        {"run": stored.uid, "log": stored.sha256},
    )
    with database.write() as connection:
        now = runs.find_run(connection, stored.uid)
        if now is None or now.sha256 != stored.sha256:
            raise came_meanwhile()
        experiment = get_experiment(connection, now.experiment)
        warnings = [note, *whole.warnings]
        upload_id = insert_upload(connection, staged, request, parsed, experiment, warnings)
        reason = f"superseded by the longer log, uploaded as {request.filename}"
        recording.replace_log(connection, now, whole, upload_id, staged.sha256, reason)
        assert stored.sha256 is not None
        repository.add_warning(connection, stored.sha256, _is_superseded(stored.uid).as_json())
        staged.commit(RUN_LOG_SUFFIX)
        upload = repository.find(connection, staged.sha256)
        assert upload is not None
        return receipt_of(connection, "stored", upload)


def say_superseded(
    database: Database, staged: StagedObject, request: UploadRequest, stored: RunRecord
) -> Receipt:
    """Answer a copy that holds no more than the stored log does; nothing changes."""
    assert stored.sha256 is not None
    with database.read() as connection:
        upload = repository.find(connection, stored.sha256)
        assert upload is not None
        receipt = receipt_of(connection, "known", upload)
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
