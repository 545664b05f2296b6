# SPDX-License-Identifier: Apache-2.0
"""What the list says of each experiment, kept while the experiment stands as it is."""

import logging
from functools import partial
from threading import Event, Thread
from time import perf_counter

from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.experiments import service
from coalescope.experiments.conditional import tag_of
from coalescope.experiments.description import summarise_experiment
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.schemas import ExperimentSummaryOut
from coalescope.fits.cache import LruCache
from coalescope.untrusted.bounds import LISTED

_LOG = logging.getLogger("coalescope.experiments")

# An entry of 144 cells with five measures is 3.4 KB as text, and several times that as objects.
KEPT_BYTES = 2**25
# The thread rests this many times as long as each description took, for requests to come first.
_REST = 4.0


class Summaries:
    """Of many experiments, as text; those not asked for longest are forgotten."""

    def __init__(self) -> None:
        self._kept: LruCache[bytes] = LruCache(KEPT_BYTES, len)

    def __call__(self, connection: Connection, record: ExperimentRecord) -> ExperimentSummaryOut:
        """The experiment's entry in the list."""
        return ExperimentSummaryOut.model_validate_json(self.as_text(connection, record))

    def as_text(self, connection: Connection, record: ExperimentRecord) -> bytes:
        """The same as JSON."""
        return self._kept.get(tag_of(record), partial(_summarised, connection, record))


class SummariesAhead:
    """Describes the experiments of a large store in a thread of its own, before somebody asks.

    A list of two thousand takes ten seconds of a processor. Those that fit on its first page are
    left to whoever asks.
    """

    def __init__(self, database: Database, summaries: Summaries) -> None:
        self._database = database
        self._summaries = summaries
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="list of experiments", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End with the experiment at hand; returns when ended."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def describe(self) -> None:
        """All of them in the list's order, as far as they can be kept: a transaction a page."""
        left, offset, more = KEPT_BYTES, 0, True
        while more:
            with self._database.read() as connection:
                page = service.list_experiments(connection, limit=LISTED + 1, offset=offset)
                more = len(page) > LISTED
                for record in page[:LISTED] if more or offset else ():
                    began = perf_counter()
                    left -= len(self._summaries.as_text(connection, record))
                    if left < 0 or self._stopping.wait(_REST * (perf_counter() - began)):
                        return
            offset += LISTED

    def _run(self) -> None:
        try:
            self.describe()
        except (SQLAlchemyError, CoalescopeError) as error:
            _LOG.warning("the list of experiments was not described ahead", exc_info=error)


def _summarised(connection: Connection, record: ExperimentRecord) -> bytes:
    summary = summarise_experiment(record, service.list_cells(connection, record))
    return ExperimentSummaryOut.model_validate(summary).model_dump_json().encode()
