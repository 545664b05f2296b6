# SPDX-License-Identifier: Apache-2.0
"""A worker process beside the server: it parses logs and, for a store in a folder, stores them.

It starts when two logs arrive at the same time: logs that arrive one after the other do not pay for
it. Each batch parses all waiting logs, one after the other, then stores them in one transaction;
meanwhile the server receives others. Files come to it synced; what it reports as stored is on disk.
What it cannot parse or store is left to the server, which also words the error.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coalescope.db.batcher import Batcher
from coalescope.db.engine import AUDIT_CONTEXT, AuditContext, Database, open_database
from coalescope.errors import CoalescopeError
from coalescope.storage.object_store import (
    LOGS_NAME,
    DirectoryObjectStore,
    ObjectStore,
    ReceivedObject,
    SyncedFile,
)
from coalescope.untrusted.processes import WorkerDiedError, WorkerProcess, serve_requests
from coalescope.uploads.log_batches import LogUpload, store_batch
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.run_logs import parse_run_log
from coalescope.web.tracing import TRACER

if TYPE_CHECKING:  # the process needs none, and to read them takes a while
    from coalescope.settings import Settings

# What is read in a moment: nobody waits for a larger log but its own sender.
LARGEST_BYTES = 2**22
# A hundred times what the largest takes; a turn has at most as many as the server has threads.
READ_S = 30.0
# Longer than a writer waits for its turn, and then for a slow disk.
STORE_S = 120.0
_ONE_BATCH = ""


@dataclass(frozen=True)
class SentLog:
    """A log that nobody has read yet, and who sent it."""

    file: SyncedFile
    request: UploadRequest
    cause: AuditContext | None


@dataclass(frozen=True)
class Batch:
    """Logs that the worker is asked to parse, and perhaps to store."""

    logs: Sequence[SentLog]
    stores: bool


class WorkerOutcome(NamedTuple):
    """How far the worker came with a log: stored, parsed, or neither."""

    parsed: ParsedUpload | None = None
    stored: Receipt | Exception | None = None


class IngestWorker(WorkerProcess):
    """Reads logs; from `start` to `close` in a process of its own where that helps."""

    def __init__(self, database: Database, settings: "Settings") -> None:
        # a database server does the most of storing in processes of its own
        self._stores = settings.database_url is None and settings.object_store_url is None
        folder = (str(settings.data_dir),) if self._stores else ()
        super().__init__("coalescope.uploads.ingest_worker", *folder)
        self._database = database
        self._batcher = Batcher(half_batches=True)
        self._asking = 0

    def __call__(self, staged: ReceivedObject, request: UploadRequest) -> ParsedUpload | Receipt:
        """What the log holds; its receipt where it was stored at once.

        Errors: as `parse_run_log` and `store_batch`; 503 where the process ended over it.
        """
        with self._lock:
            self._asking += 1
            several = self._asking > 1
        try:
            if several:
                self._begin()
            kept = self._elsewhere(staged, request)
            if isinstance(kept.stored, Exception):
                raise kept.stored
            return kept.stored or kept.parsed or parse_run_log(staged.path, request)
        finally:
            with self._lock:
                self._asking -= 1

    def _elsewhere(self, staged: ReceivedObject, request: UploadRequest) -> WorkerOutcome:
        if self._up() is None or staged.size > LARGEST_BYTES:
            return WorkerOutcome()
        if self._stores:
            staged.sync()  # the slow part of durability, before the write lock is taken
        file = SyncedFile(staged.path, staged.size, staged.sha256)
        return self._batcher.do(_ONE_BATCH, SentLog(file, request, AUDIT_CONTEXT.get()), self._keep)

    def _keep(self, logs: Sequence[SentLog]) -> Sequence[WorkerOutcome]:
        process = self._up()
        if process is None:
            return [WorkerOutcome()] * len(logs)
        stores = self._stores and TRACER.get() is None  # spans are of this process
        times_s = (READ_S, STORE_S) if stores else (READ_S,)
        kept: Sequence[WorkerOutcome]
        try:
            # in the queue of the server's own writers
            with self._database.turn() if stores else nullcontext():
                *_, kept = process.ask(Batch(logs, stores), *times_s)
        except WorkerDiedError as error:
            self._drop(process)
            if stores and error.has_answered:  # it had read them all, and begun to store them
                raise _interrupted() from None
            return [WorkerOutcome()] * len(logs)
        return kept


def _interrupted() -> CoalescopeError:
    return CoalescopeError(
        "interrupted",
        "The file was being stored when the process that did it ended.",
        advice="Send it again: if it is stored already, that changes nothing.",
        status=503,
    )


def main() -> None:
    """What the process does."""
    folders = [Path(given) for given in sys.argv[1:]]
    stores = [(open_database(None, one), DirectoryObjectStore(one / LOGS_NAME)) for one in folders]

    def answers_to(turn: Batch) -> Iterator[object]:
        logs = [_understood(log) for log in turn.logs]
        if turn.stores:
            yield None  # from here on it is not known what is stored, until it is said
            ((database, store),) = stores
            yield _store(database, store, logs)
        else:
            yield [WorkerOutcome(log.parsed if log else None) for log in logs]

    serve_requests(answers_to)
    for database, _ in stores:
        database.close()


def _understood(log: SentLog) -> LogUpload | None:
    try:
        parsed = parse_run_log(log.file.path, log.request)
    except Exception:  # who asked meets it too, and says so
        return None
    return LogUpload(log.file, log.request, parsed, log.cause)


def _store(
    database: Database, store: ObjectStore, logs: Sequence[LogUpload | None]
) -> list[WorkerOutcome]:
    """What became of each: those of one experiment are stored together."""
    found = [WorkerOutcome()] * len(logs)
    by_slug: dict[str, dict[int, LogUpload]] = {}
    for index, log in enumerate(logs):
        if log is not None:
            by_slug.setdefault(log.parsed.slug, {})[index] = log
    for chosen in by_slug.values():
        outcomes: Sequence[Receipt | Exception | None]
        try:
            outcomes = store_batch(database, store, list(chosen.values()))
        except Exception as error:
            outcomes = [error] * len(chosen)
        for (index, log), outcome in zip(chosen.items(), outcomes, strict=True):
            found[index] = WorkerOutcome(None if outcome else log.parsed, outcome)
    return found
