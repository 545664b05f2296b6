# SPDX-License-Identifier: Apache-2.0
"""Takes up jobs in a thread of its own, one after another, as long as the server runs."""

import logging
from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from coalescope.database import Database
from coalescope.errors import CoalescopeError
from coalescope.jobs import service
from coalescope.jobs.schemas import JobIn
from coalescope.tracing import TRACER, Tracer, span

_LOG = logging.getLogger("coalescope.jobs")
# Jobs may be asked for at another server of this store.
_LOOK_EVERY_S = 2.0
_SAY_EVERY_S = 5.0

# Reads what a job needs from the store; what it returns computes, and asks the store no more.
Calculate = Callable[[], BaseModel]
Prepare = Callable[[JobIn], Calculate]
Outcome = BaseModel | CoalescopeError
T = TypeVar("T")


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

    def stop(self) -> None:
        """End; the job at hand goes back into the queue."""
        self._stopping.set()
        self._asked.set()
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
        calculate = _outcome(claim, partial(self._prepare, claim.question))
        if isinstance(calculate, CoalescopeError):
            outcome: Outcome | None = calculate
        else:
            outcome = self._calculated(claim, calculate)
        if outcome is None:
            return
        with self._database.write() as connection:
            if isinstance(outcome, CoalescopeError):
                service.fail(connection, claim, outcome)
            else:
                service.finish(connection, claim, outcome.model_dump(mode="json"))

    def _calculated(self, claim: service.Claim, calculate: Calculate) -> Outcome | None:
        """Beside a clock that says we are still there; None once the job is no longer ours.

        A daemon, left to itself where we stop: it holds no exit up, and no connection.
        """
        done = Event()
        outcome: list[Outcome] = []

        def run() -> None:
            TRACER.set(self._tracer)  # this thread's own
            outcome.append(_outcome(claim, partial(_traced, claim, calculate)))
            done.set()
            self._asked.set()

        Thread(target=run, name=f"job {claim.uid}", daemon=True).start()
        while not done.is_set():
            self._asked.wait(_SAY_EVERY_S)
            self._asked.clear()
            with self._database.write() as connection:
                if self._stopping.is_set():
                    service.give_back(connection, claim)
                    return None
                if not service.still_at_it(connection, claim):
                    return None
        return outcome[0]


def _traced(claim: service.Claim, calculate: Calculate) -> BaseModel:
    with span("job", uid=claim.uid, experiment=claim.question.experiment or ""):
        return calculate()


def _outcome(claim: service.Claim, step: Callable[[], T]) -> T | CoalescopeError:
    """What a step gave, or why it failed."""
    try:
        return step()
    except CoalescopeError as error:
        return error
    except Exception:
        _LOG.exception("the job %s failed", claim.uid)
        return _internal()


def _internal() -> CoalescopeError:
    return CoalescopeError(
        "internal",
        "Something failed inside the server.",
        advice="Its log has the details.",
        status=500,
    )
