# SPDX-License-Identifier: Apache-2.0
"""The store's answer to the guard: whose token is this?"""

import logging
import time

from sqlalchemy.exc import DBAPIError

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.tokens import service
from coalescope.web.security import Caller

_LOG = logging.getLogger("coalescope")
_PAUSE_S = 60.0


class StoredCallers:
    """Recognises the tokens of one store and remembers when they were used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tried: dict[str, float] = {}

    def find(self, given: str) -> Caller | None:
        """Whose token this is; None if nobody's."""
        with self._database.read() as connection:
            return service.recognise(connection, given)

    def note_use(self, key: str) -> None:
        """Write the use down, at most once a minute; a store that takes no writes goes on."""
        now = time.monotonic()
        if now - self._tried.get(key, -_PAUSE_S) < _PAUSE_S:
            return
        self._tried[key] = now
        if self._database.for_reading:
            return
        try:
            with self._database.write() as connection:
                service.note_use(connection, key)
        except (DBAPIError, CoalescopeError) as error:
            _LOG.warning("the last use of a token was not written down", exc_info=error)
