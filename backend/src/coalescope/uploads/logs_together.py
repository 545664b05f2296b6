# SPDX-License-Identifier: Apache-2.0
"""Run logs that came at the same time: rows in one transaction, one wait for the disk for all.

Only the simple case is stored here: new logs of new runs. Each of the others is handled alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import Cause, Database
from coalescope.db.timestamps import utc_now
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import canonical_factors, factor_key
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.service import ensure_experiment
from coalescope.measures import DEFINITIONS
from coalescope.runs import recording
from coalescope.runs.history import happened_to
from coalescope.runs.records import NewRun, RunWarning
from coalescope.storage.object_store import RUN_LOG_SUFFIX, ObjectStore, ReceivedObject
from coalescope.uploads import repository
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.receipt import Receipt, ReceivedRun
from coalescope.uploads.repository import UploadRecord
from coalescope.web.tracing import span


@dataclass(frozen=True)
class LogUpload:
    """A log that was received, synced and understood, and who sent it."""

    staged: ReceivedObject
    request: UploadRequest
    incoming: Incoming
    cause: Cause | None


def store_together(
    database: Database, store: ObjectStore, logs: Sequence[LogUpload]
) -> list[Receipt | None]:
    """Store logs of one experiment; returns their receipts, in order, when all is on disk.

    None: nothing was kept of that log, and it has to be stored alone, or refused. Errors of the
    disk and of the database are raised, and nothing was acknowledged then.
    """
    causes: list[Cause] = []
    receipts: dict[int, Receipt] = {}
    try:
        # waits for the lock, and at its end for the disk
        with (
            span("upload commit", files=len(logs)),
            database.write(logs[0].incoming.slug, causes) as connection,
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


def _noted(log: LogUpload, cause: Cause) -> Cause:
    (run,) = log.incoming.runs
    return Cause(cause.who, happened_to(log.incoming.slug, run.uid, _reason(log)))


def _reason(log: LogUpload) -> str:
    return f"uploaded as {log.request.filename}"


def _plain(logs: Sequence[LogUpload]) -> list[int]:
    """Which of the logs are neither sent twice here, nor of another kind than the first.

    Whether one of them is stored already, what is unique in the store says (IntegrityError).
    """
    seen: set[str] = set()
    found = []
    for index, log in enumerate(logs):
        own = {log.staged.sha256, log.incoming.runs[0].uid}
        if not own & seen and log.incoming.kind == logs[0].incoming.kind:
            found.append(index)
        seen |= own
    return found


def _store_rows(connection: Connection, logs: Sequence[LogUpload]) -> list[Receipt]:
    first = logs[0]
    source = {"citation": first.request.citation} if first.request.citation else None
    experiment = ensure_experiment(
        connection, first.incoming.slug, first.incoming.title, first.incoming.kind, source=source
    )
    new = _numbered(connection, experiment, logs)
    now = utc_now()
    uploads: list[dict[str, Any]] = [
        {
            "sha256": log.staged.sha256,
            "bytes": log.staged.size,
            "filename": log.request.filename,
            "content": log.incoming.content,
            "run_count": 1,
            "warnings": [warning.as_json() for warning in run.warnings[:100]],
            "created_at": now,
        }
        for log, run in zip(logs, new, strict=True)
    ]
    rows = [
        {**upload, "experiment_id": experiment.id, "measured_as": DEFINITIONS} for upload in uploads
    ]
    ids = repository.insert_all(connection, rows)
    reasons = [_reason(log) for log in logs]
    of_uploads = [replace(run, upload_id=id_) for run, id_ in zip(new, ids, strict=True)]
    each = list(zip(of_uploads, reasons, strict=True))
    # as if one had come after the other: the version does not tell who met whom
    recording.record_each(connection, experiment, each, changes=len(each))
    place: dict[str, Any] = {"slug": experiment.slug, "title": experiment.title}
    return [
        Receipt("stored", UploadRecord(id_, upload["sha256"], **upload, **place), [_received(run)])
        for id_, upload, run in zip(ids, uploads, new, strict=True)
    ]


def _received(run: NewRun) -> ReceivedRun:
    return ReceivedRun(run.uid, canonical_factors(run.factors), run.replicate, run.partial)


def _numbered(
    connection: Connection, experiment: ExperimentRecord, logs: Sequence[LogUpload]
) -> list[NewRun]:
    """Their runs with replicate numbers, as if one had come after the other."""
    given = [log.incoming.runs[0] for log in logs]
    taken = recording.replicates_taken(connection, experiment, [run.factors for run in given])
    found = []
    for run in given:
        own = taken[factor_key(run.factors)]
        numbered = numbered_log(run, own)
        own.setdefault(numbered.replicate, numbered.uid)
        found.append(numbered)
    return found


def numbered_log(run: NewRun, taken: dict[int | None, str]) -> NewRun:
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
