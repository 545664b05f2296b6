# SPDX-License-Identifier: Apache-2.0
"""An experiment's changes as they come.

The store is read once a second for each listener, so it does not matter which process took the
upload.
"""

import asyncio
from collections.abc import AsyncIterator
from threading import Lock

from fastapi.concurrency import run_in_threadpool

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.sweeps import service
from coalescope.sweeps.schemas import ChangeOut

_EVERY_S = 1.0


class Listeners:
    """How many streams are open, and whether they are to end."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._open = 0
        self._lock = Lock()
        self.closing = False

    def enter(self) -> None:
        """Count one more. Errors: 503 where there are too many."""
        with self._lock:
            if self._open >= self._most:
                raise CoalescopeError(
                    "too_many_listeners",
                    f"{self._most} pages are listening for changes already.",
                    advice="Reload the page now and then instead, or try again later.",
                    status=503,
                )
            self._open += 1

    def leave(self) -> None:
        """Count one less."""
        with self._lock:
            self._open -= 1


async def changes(database: Database, listeners: Listeners, slug: str) -> AsyncIterator[ChangeOut]:
    """Yield the state now, and again whenever it differs; ends when the server closes."""
    seen: service.Version | None = None
    while not listeners.closing:
        now = await run_in_threadpool(_version, database, slug)
        if now != seen:
            seen = now
            yield await run_in_threadpool(_change, database, slug)
        await asyncio.sleep(_EVERY_S)


def _version(database: Database, slug: str) -> service.Version:
    with database.read() as connection:
        return service.version(connection, slug)


def _change(database: Database, slug: str) -> ChangeOut:
    with database.read() as connection:
        return service.change(connection, slug)
