# SPDX-License-Identifier: Apache-2.0
"""Whether what an address of the page names is there: an experiment, a run, a model."""

import re
from collections.abc import Callable

from sqlalchemy.engine import Connection

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import get_experiment
from coalescope.predictions.service import get_model
from coalescope.runs.service import get_run
from coalescope.settings import Settings
from coalescope.web.security import reading_is_open

_STORED: tuple[tuple[re.Pattern[str], Callable[[Connection, str], object]], ...] = (
    (re.compile(r"(?:/embed)?/explorer/([^/]+)/?", re.IGNORECASE), get_experiment),
    (re.compile(r"/experiments/([^/]+)/(?:runs|replicates)/?", re.IGNORECASE), get_experiment),
    (re.compile(r"/runs/([^/]+)/?", re.IGNORECASE), get_run),
)
_MODEL = re.compile(r"(?:/embed)?/models/([^/]+)(?:/about)?/?", re.IGNORECASE)
_NOT_FOUND = 404


class NamedThings:
    """Looks up what an address names. What a token guards is not told: it counts as there."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._open = reading_is_open(settings)

    def __call__(self, path: str) -> bool:
        """False where the path of a request, decoded, names what is not there."""
        try:
            if named := _MODEL.fullmatch(path):
                get_model(named[1])
            for pattern, look_up in _STORED if self._open else ():
                if named := pattern.fullmatch(path):
                    with self._database.read() as connection:
                        look_up(connection, named[1])
        except CoalescopeError as error:
            return error.status != _NOT_FOUND
        return True
