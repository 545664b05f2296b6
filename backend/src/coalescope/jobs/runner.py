# SPDX-License-Identifier: Apache-2.0
"""Takes up jobs in a thread of its own, one after another, as long as the server runs."""

import logging
from collections.abc import Callable
from threading import Event, Thread

from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.jobs import service
from coalescope.jobs.schemas import JobIn
from coalescope.jobs.underway import Underway
from coalescope.untrusted.confinement import ENDED
from coalescope.web.tracing import TRACER, Tracer, span

_LOG = logging.getLogger("coalescope.jobs")
# Jobs may be asked for at another server of this store.
_LOOK_EVERY_S = 2.0
_SAY_EVERY_S = 2.0

# Reads what a job needs from the store; what it returns computes, and asks the store no more.
Calculate = Callable[[], BaseModel]
Prepare = Callable[[JobIn, Underway], Calculate]


class JobRunner:
    """One worker of this process; `at_once` bounds those of all servers together."""

    def __init__(
        self, database: Database, prepare: Prepare, at_once: int, tracer: Tracer | None = None
    ) -> None:
        self._database = database
        self._prepare = prepare
        self._at_once = at_once
        self._tracer = tracer
        self._stopping = Event()
        self._asked = Event()
        self._thread = Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin, unless nothing may be written."""
        if not self._database.for_reading:
            self._thread.start()

    def look(self) -> None:
        """Look for a job at once."""
        self._asked.set()

    def take_no_more(self) -> None:
        """Give the job at hand back, and take no other."""
        self._stopping.set()
        self._asked.set()

    def stop(self) -> None:
        """End; the job at hand goes back into the queue."""
        self.take_no_more()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                claim = self._take()
                if claim is not None:
                    self._work(claim)
                    continue
            except (SQLAlchemyError, CoalescopeError) as error:
                _LOG.warning("the store of jobs does not answer", exc_info=error)
            self._asked.wait(_LOOK_EVERY_S)
            self._asked.clear()

    def _take(self) -> service.Claim | None:
        with self._database.read() as connection:
            if not service.any_to_take(connection):
                return None
        with self._database.write() as connection:
            return service.take(connection, self._at_once)

    def _work(self, claim: service.Claim) -> None:
        """Compute beside a clock that says we are still there.

        In a daemon, which holds no exit up. We may leave it to itself once it has read what it
        needs: then it has no connection either. It ends with the part that it is at.
        """
        underway = Underway()
        read, done = Event(), Event()
        outcome: list[BaseModel | CoalescopeError] = []

        def compute() -> None:
            TRACER.set(self._tracer)  # this thread's own
            try:
                with span("job", uid=claim.uid, experiment=claim.question.experiment or ""):
                    calculate = self._prepare(claim.question, underway)
                    read.set()
                    outcome.append(calculate())
            except CoalescopeError as error:
                outcome.append(error)
            except Exception:
                _LOG.exception("the job %s failed", claim.uid)
                outcome.append(_internal())
            finally:
                read.set()
                done.set()
                self._asked.set()

        Thread(target=compute, name=f"job {claim.uid}", daemon=True).start()
        read.wait()
        try:
            self._watch(claim, underway, done, outcome)
        finally:
            underway.ending.come()

    def _watch(
        self,
        claim: service.Claim,
        underway: Underway,
        done: Event,
        outcome: list[BaseModel | CoalescopeError],
    ) -> None:
        """Say how far it is until it is done or is the worker's no more; keep what comes of it."""
        while not done.is_set():
            self._asked.wait(_SAY_EVERY_S)
            self._asked.clear()
            with self._database.write() as connection:
                if self._stopping.is_set():
                    service.give_back(connection, claim)
                    return
                if not service.still_at_it(connection, claim, underway):
                    return
        found = outcome[0]
        with self._database.write() as connection:
            if not isinstance(found, CoalescopeError):
                service.finish(connection, claim, underway, found.model_dump(mode="json"))
            elif found.code == ENDED:  # with the server: a cancelled job is no more ours
                service.give_back(connection, claim)
            else:
                service.fail(connection, claim, found)


def _internal() -> CoalescopeError:
    return CoalescopeError(
        "internal",
        "Something failed inside the server.",
        advice="Its log has the details.",
        status=500,
    )
