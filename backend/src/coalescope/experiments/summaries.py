# SPDX-License-Identifier: Apache-2.0
"""What the list says of each experiment, kept while the experiment stands as it is."""

import fcntl
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Condition, Event, Thread
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
from coalescope.lru_cache import LruCache
from coalescope.untrusted.bounds import LISTED

_LOG = logging.getLogger("coalescope.experiments")

# An entry of 144 cells with five measures is 3.4 KB as text, and several times that as objects.
KEPT_BYTES = 2**25
# The thread rests this many times as long as each description took, for requests to come first.
_REST = 4.0
_LOOKS_AGAIN_S = 0.2


class Summaries:
    """Of many experiments, as text; those not asked for longest are forgotten."""

    def __init__(self) -> None:
        self._kept: LruCache[bytes] = LruCache(KEPT_BYTES, len)
        self._askers = 0
        self._asked_for = Condition()

    def of_page(
        self, connection: Connection, records: Sequence[ExperimentRecord]
    ) -> list[ExperimentSummaryOut]:
        """The entries of a page that somebody waits for: nothing else is described meanwhile."""
        self._come_or_go(1)
        try:
            return [
                ExperimentSummaryOut.model_validate_json(self.as_text(connection, record))
                for record in records
            ]
        finally:
            self._come_or_go(-1)

    def wait_for_askers(self, most_s: float) -> bool:
        """Wait until nobody waits for a page, so many seconds at most; whether it is so."""
        with self._asked_for:
            return self._asked_for.wait_for(lambda: self._askers == 0, most_s)

    def _come_or_go(self, people: int) -> None:
        with self._asked_for:
            self._askers += people
            self._asked_for.notify_all()

    def as_text(self, connection: Connection, record: ExperimentRecord) -> bytes:
        """The same as JSON."""
        return self._kept.get(tag_of(record), partial(_summarised, connection, record))


class SummariesAhead:
    """Describes the experiments of a large store in a thread of its own, before somebody asks.

    A list of two thousand takes ten seconds of a processor. Those that fit on its first page are
    left to whoever asks. Of the processes with the same data folder one does so at a time.
    """

    def __init__(self, database: Database, summaries: Summaries, data_dir: Path) -> None:
        self._database = database
        self._summaries = summaries
        self._data_dir = data_dir
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
                    while not self._summaries.wait_for_askers(_LOOKS_AGAIN_S):
                        if self._stopping.is_set():
                            return
                    began = perf_counter()
                    left -= len(self._summaries.as_text(connection, record))
                    if left < 0 or self._stopping.wait(_REST * (perf_counter() - began)):
                        return
            offset += LISTED

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """No other process has it meanwhile. Whoever ends gives it up."""
        folder = os.open(self._data_dir, os.O_RDONLY)
        try:
            while not (_taken(folder) or self._stopping.wait(_LOOKS_AGAIN_S)):
                pass
            yield
        finally:
            os.close(folder)

    def _run(self) -> None:
        try:
            with self._turn():
                self.describe()
        except (SQLAlchemyError, CoalescopeError, OSError) as error:
            _LOG.warning("the list of experiments was not described ahead", exc_info=error)


def _taken(folder: int) -> bool:
    """Whether the open folder is locked for this process now."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _summarised(connection: Connection, record: ExperimentRecord) -> bytes:
    summary = summarise_experiment(record, service.list_cells(connection, record))
    return ExperimentSummaryOut.model_validate(summary).model_dump_json().encode()
