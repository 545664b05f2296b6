# SPDX-License-Identifier: Apache-2.0
"""A process beside the server's: it reads logs and, for a store in a folder, stores them.

It starts when two logs come at once: logs that come one after the other do not pay for it. Its next
turn reads all logs that wait, one after the other, then stores them together; meanwhile the server
receives others. Files come to it synced; what it reports as stored is on disk. What it cannot read
or store is left to the server, and so is what to say about it.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coalescope.db.engine import CAUSE, Cause, Database, open_database
from coalescope.db.together import Together
from coalescope.errors import CoalescopeError
from coalescope.storage.object_store import (
    LOGS_NAME,
    DirectoryObjectStore,
    ObjectStore,
    ReceivedObject,
    SyncedFile,
)
from coalescope.untrusted.processes import Beside, EndedError, answer_in_turn
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.logs_together import LogUpload, store_together
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.run_logs import understand_run_log
from coalescope.web.tracing import TRACER

if TYPE_CHECKING:  # the process needs none, and to read them takes a while
    from coalescope.settings import Settings

# What is read in a moment: nobody waits for a larger log but its own sender.
LARGEST_BYTES = 2**22
# A hundred times what the largest takes; a turn has at most as many as the server has threads.
READ_S = 30.0
# Longer than a writer waits for its turn, and then for a slow disk.
STORE_S = 120.0
_ONE_TURN = ""


@dataclass(frozen=True)
class SentLog:
    """A log that nobody has read yet, and who sent it."""

    file: SyncedFile
    request: UploadRequest
    cause: Cause | None


@dataclass(frozen=True)
class Turn:
    """Logs that the process is asked to read, and perhaps to store."""

    logs: Sequence[SentLog]
    stores: bool


class Kept(NamedTuple):
    """How far the process came with a log: what became of it, or what it holds, or nothing."""

    incoming: Incoming | None = None
    stored: Receipt | Exception | None = None


class LogKeeper(Beside):
    """Reads logs; from `start` to `close` in a process of its own where that helps."""

    def __init__(self, database: Database, settings: "Settings") -> None:
        # a database server does the most of storing in processes of its own
        self._stores = settings.database_url is None and settings.object_store_url is None
        folder = (str(settings.data_dir),) if self._stores else ()
        super().__init__("coalescope.uploads.log_keeper", *folder)
        self._database = database
        self._together = Together(by_halves=True)
        self._asking = 0

    def __call__(self, staged: ReceivedObject, request: UploadRequest) -> Incoming | Receipt:
        """What the log holds; its receipt where it was stored at once.

        Errors: as `understand_run_log` and `store_together`; 503 where the process ended over it.
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
            return kept.stored or kept.incoming or understand_run_log(staged.path, request)
        finally:
            with self._lock:
                self._asking -= 1

    def _elsewhere(self, staged: ReceivedObject, request: UploadRequest) -> Kept:
        if self._up() is None or staged.size > LARGEST_BYTES:
            return Kept()
        if self._stores:
            staged.sync()  # the slow part of durability, before the write lock is taken
        file = SyncedFile(staged.path, staged.size, staged.sha256)
        return self._together.do(_ONE_TURN, SentLog(file, request, CAUSE.get()), self._keep)

    def _keep(self, logs: Sequence[SentLog]) -> Sequence[Kept]:
        process = self._up()
        if process is None:
            return [Kept()] * len(logs)
        stores = self._stores and TRACER.get() is None  # spans are of this process
        times_s = (READ_S, STORE_S) if stores else (READ_S,)
        kept: Sequence[Kept]
        try:
            # in the queue of the server's own writers
            with self._database.turn() if stores else nullcontext():
                *_, kept = process.ask(Turn(logs, stores), *times_s)
        except EndedError as error:
            self._drop(process)
            if stores and error.has_answered:  # it had read them all, and begun to store them
                raise _interrupted() from None
            return [Kept()] * len(logs)
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

    def answers_to(turn: Turn) -> Iterator[object]:
        logs = [_understood(log) for log in turn.logs]
        if turn.stores:
            yield None  # from here on it is not known what is stored, until it is said
            ((database, store),) = stores
            yield _store(database, store, logs)
        else:
            yield [Kept(log.incoming if log else None) for log in logs]

    answer_in_turn(answers_to)
    for database, _ in stores:
        database.close()


def _understood(log: SentLog) -> LogUpload | None:
    try:
        incoming = understand_run_log(log.file.path, log.request)
    except Exception:  # who asked meets it too, and says so
        return None
    return LogUpload(log.file, log.request, incoming, log.cause)


def _store(database: Database, store: ObjectStore, logs: Sequence[LogUpload | None]) -> list[Kept]:
    """What became of each: those of one experiment are stored together."""
    found = [Kept()] * len(logs)
    by_slug: dict[str, dict[int, LogUpload]] = {}
    for index, log in enumerate(logs):
        if log is not None:
            by_slug.setdefault(log.incoming.slug, {})[index] = log
    for chosen in by_slug.values():
        outcomes: Sequence[Receipt | Exception | None]
        try:
            outcomes = store_together(database, store, list(chosen.values()))
        except Exception as error:
            outcomes = [error] * len(chosen)
        for (index, log), outcome in zip(chosen.items(), outcomes, strict=True):
            found[index] = Kept(None if outcome else log.incoming, outcome)
    return found
