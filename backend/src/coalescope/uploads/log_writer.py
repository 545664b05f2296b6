# SPDX-License-Identifier: Apache-2.0
"""A process that stores logs beside the one that serves, for a store in a folder.

A database server does this in processes of its own anyway. It is begun when two logs wait for the
same turn. Files come to it synced; what it answers is on disk.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from coalescope.database import Database, open_database
from coalescope.errors import CoalescopeError
from coalescope.object_store import LOGS_NAME, DirectoryObjectStore, ObjectStore, SyncedFile
from coalescope.processes import Beside, EndedError, answer_in_turn
from coalescope.tracing import TRACER
from coalescope.uploads.logs_together import LogUpload, store_together
from coalescope.uploads.receipt import Receipt

if TYPE_CHECKING:  # the process needs none, and to read them takes a while
    from coalescope.settings import Settings

# Longer than a writer waits for its turn, and then for a slow disk.
ANSWER_S = 120.0


class LogWriter(Beside):
    """Stores logs; from `start` to `close` in a process of its own where that helps."""

    def __init__(self, settings: "Settings") -> None:
        super().__init__("coalescope.uploads.log_writer", str(settings.data_dir))
        self._in_folder = settings.database_url is None and settings.object_store_url is None

    def start(self) -> None:
        """Allow the process, if it can open the store and there is a CPU for it."""
        if self._in_folder:
            super().start()

    def __call__(
        self, database: Database, store: ObjectStore, logs: Sequence[LogUpload]
    ) -> Sequence[Receipt | None]:
        """As `store_together`. Errors: its own; 503 where the process ended over it."""
        if TRACER.get() is not None:  # spans are of this process
            return store_together(database, store, logs)
        if len(logs) > 1:
            self._begin()
        process = self._up()
        if process is None:
            return store_together(database, store, logs)
        given = [replace(log, staged=_synced(log)) for log in logs]
        try:
            with database.turn():  # in the queue of the server's own writers
                answer = process.ask(given, ANSWER_S)
        except EndedError as error:
            self._drop(process, error)
            raise _interrupted() from None
        if isinstance(answer, Exception):
            raise answer
        return cast(Sequence[Receipt | None], answer)


def _synced(log: LogUpload) -> SyncedFile:
    log.staged.sync()
    return SyncedFile(log.staged.path, log.staged.size, log.staged.sha256)


def _interrupted() -> CoalescopeError:
    return CoalescopeError(
        "interrupted",
        "The file was being stored when the process that did it ended.",
        advice="Send it again: if it is stored already, that changes nothing.",
        status=503,
    )


def main() -> None:
    """What the process does."""
    data_dir = Path(sys.argv[1])
    database, store = open_database(None, data_dir), DirectoryObjectStore(data_dir / LOGS_NAME)

    def stored(given: Sequence[LogUpload]) -> Sequence[Receipt | None] | Exception:
        try:
            return store_together(database, store, given)
        except Exception as error:
            return error

    answer_in_turn(stored)
    database.close()
