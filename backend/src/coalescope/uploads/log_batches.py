# SPDX-License-Identifier: Apache-2.0
"""Run logs that came at the same time: rows in one transaction, one wait for the disk for all.

Only the simple case is stored here: new logs of new runs. Each of the others is handled alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import AuditContext, Database
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import canonical_factors
from coalescope.experiments.service import ensure_experiment
from coalescope.runs import recording
from coalescope.runs.history import happened_to
from coalescope.runs.records import NewRun
from coalescope.storage.object_store import RUN_LOG_SUFFIX, ObjectStore, StagedObject
from coalescope.uploads import repository
from coalescope.uploads.numbering import numbered
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.receipt import Receipt, ReceivedRun
from coalescope.web.tracing import span


@dataclass(frozen=True)
class LogUpload:
    """A log that was received, synced and understood, and who sent it."""

    staged: StagedObject
    request: UploadRequest
    parsed: ParsedUpload
    cause: AuditContext | None


def store_batch(
    database: Database, store: ObjectStore, logs: Sequence[LogUpload]
) -> list[Receipt | None]:
    """Store logs of one experiment; returns their receipts, in order, when all is on disk.

    None: nothing was kept of that log, and it has to be stored alone, or refused. Errors of the
    disk and of the database are raised, and nothing was acknowledged then.
    """
    causes: list[AuditContext] = []
    receipts: dict[int, Receipt] = {}
    try:
        # waits for the lock, and at its end for the disk
        with (
            span("upload commit", files=len(logs)),
            database.write(logs[0].parsed.slug, causes) as connection,
        ):
            new = _plain(logs)
            chosen = [logs[index] for index in new]
            with span("upload rows", runs=len(new)):
                receipts = dict(zip(new, _store_rows(connection, chosen), strict=True))
            with span("upload place"):
                store.commit_all([log.staged for log in chosen], RUN_LOG_SUFFIX)
            causes += [_noted(log, log.cause) for log in chosen if log.cause is not None]
    except (CoalescopeError, IntegrityError) as error:
        if isinstance(error, CoalescopeError) and error.status >= 500:
            raise  # of the store: it would be the same for each alone
        return [None] * len(logs)  # one of them spoilt it: alone, each is told what is its own
    return [receipts.get(index) for index in range(len(logs))]


def _noted(log: LogUpload, cause: AuditContext) -> AuditContext:
    (run,) = log.parsed.runs
    return AuditContext(cause.who, happened_to(log.parsed.slug, run.uid, _reason(log)))


def _reason(log: LogUpload) -> str:
    return f"uploaded as {log.request.filename}"


def _plain(logs: Sequence[LogUpload]) -> list[int]:
    """Which of the logs are neither sent twice here, nor of another kind than the first.

    Whether one of them is stored already, what is unique in the store says (IntegrityError).
    """
    seen: set[str] = set()
    found = []
    for index, log in enumerate(logs):
        own = {log.staged.sha256, log.parsed.runs[0].uid}
        if not own & seen and log.parsed.kind == logs[0].parsed.kind:
            found.append(index)
        seen |= own
    return found


def _store_rows(connection: Connection, logs: Sequence[LogUpload]) -> list[Receipt]:
    first = logs[0]
    source = {"citation": first.request.citation} if first.request.citation else None
    experiment = ensure_experiment(
        connection, first.parsed.slug, first.parsed.title, first.parsed.kind, source=source
    )
    new = numbered(connection, experiment, [log.parsed.runs[0] for log in logs])
    rows = [
        repository.upload_row(
            log.staged.sha256,
            log.staged.size,
            log.request.filename,
            log.parsed.content,
            experiment.id,
            1,
            run.warnings,
        )
        for log, run in zip(logs, new, strict=True)
    ]
    ids = repository.insert_all(connection, rows)
    reasons = [_reason(log) for log in logs]
    of_uploads = [replace(run, upload_id=id_) for run, id_ in zip(new, ids, strict=True)]
    each = list(zip(of_uploads, reasons, strict=True))
    # as if one had come after the other: the version does not tell who met whom
    recording.record_each(connection, experiment, each, changes=len(each))
    return [
        Receipt("stored", repository.inserted(id_, row, experiment), [_received(run)])
        for id_, row, run in zip(ids, rows, new, strict=True)
    ]


def _received(run: NewRun) -> ReceivedRun:
    return ReceivedRun(run.uid, canonical_factors(run.factors), run.replicate, run.partial)
