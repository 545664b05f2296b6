# SPDX-License-Identifier: Apache-2.0
"""Several processes that answer on one socket, each started again when it fails.

They share nothing but the socket and the store. What one of them holds in memory (answers kept
under the data's version, how often an address asked) is right for each alone.
"""

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from types import FrameType

from prometheus_client.multiprocess import mark_process_dead

from coalescope.errors import CoalescopeError

_LOG = logging.getLogger("coalescope.workers")
_COUNTS = "PROMETHEUS_MULTIPROC_DIR"
_LOOK_EVERY_S = 0.2
# Between two restarts: what ends them may need time to pass.
_PAUSE_S = 2.0

# Serves on the socket until a signal comes; calls the second argument once it answers.
Answer = Callable[[socket.socket, Callable[[], None]], None]


def supervise(
    count: int, listener: socket.socket, answer: Answer, announce: Callable[[], None]
) -> None:
    """Run so many processes that `answer` until SIGTERM or SIGINT; returns when all have ended.

    `announce` is called once all of them answer; `answer` must be importable by name or be made of
    what is.

    Errors: CoalescopeError where a worker ends before all of them answered.
    """
    with tempfile.TemporaryDirectory(prefix="coalescope-counts-") as counts:
        os.environ[_COUNTS] = counts  # read by the workers, when they import prometheus_client
        try:
            _Workers(count, listener, answer, Path(counts)).run(announce)
        finally:
            del os.environ[_COUNTS]


class _Workers:
    def __init__(self, count: int, listener: socket.socket, answer: Answer, counts: Path) -> None:
        self._count = count
        self._work = (listener, answer)
        self._counts = counts
        self._context = multiprocessing.get_context("spawn")
        self._up = self._context.Semaphore(0)
        self._running: set[SpawnProcess] = set()
        self._begun = 0.0
        self._stopping = False

    def run(self, announce: Callable[[], None]) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        try:
            for _ in range(self._count):
                self._begin()
            answering = 0
            while self._running:
                wait([process.sentinel for process in self._running], timeout=_LOOK_EVERY_S)
                while answering < self._count and self._up.acquire(block=False):
                    answering += 1
                    if answering == self._count:
                        announce()
                self._replace_ended(fatal=answering < self._count)
        finally:
            self._stop()
            for process in self._running:
                process.join()

    def _begin(self) -> None:
        self._begun = time.monotonic()
        process = self._context.Process(target=_work, args=(*self._work, self._up))
        process.start()
        self._running.add(process)
        if self._stopping:  # the signal came meanwhile
            process.terminate()

    def _replace_ended(self, *, fatal: bool) -> None:
        for process in [one for one in self._running if not one.is_alive()]:
            self._running.remove(process)
            mark_process_dead(process.pid, str(self._counts))  # type: ignore[no-untyped-call]
            if self._stopping:
                continue
            if fatal:
                raise CoalescopeError(
                    "worker_failed",
                    f"A worker ended before it answered, with status {process.exitcode}.",
                    advice="What it said on stderr tells why; serve with one worker to see more.",
                    status=500,
                )
            _LOG.error("A worker ended, with status %s; another one is begun.", process.exitcode)
            time.sleep(max(0.0, self._begun + _PAUSE_S - time.monotonic()))
            self._begin()

    def _stop(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        self._stopping = True
        for process in self._running:
            if process.is_alive():
                process.terminate()


def _work(listener: socket.socket, answer: Answer, up: Semaphore) -> None:
    """What a worker does, for as long as there is one who looks after it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answer(listener, up.release)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
