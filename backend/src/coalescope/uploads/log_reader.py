# SPDX-License-Identifier: Apache-2.0
"""A process that reads logs beside the one that serves, in which one thread runs at a time.

It is begun when two logs come at once: who sends one after the other does not pay for it. What it
cannot read, and what is to be said about that, is left to the one who asked.
"""

import logging
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import cast

from coalescope.processes import plain_environment
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.run_logs import understand_run_log

_LOG = logging.getLogger("coalescope")
_COMMAND = (sys.executable, "-c", "from coalescope.uploads import log_reader; log_reader.main()")
_READY = "ready"
_ENDED = (EOFError, OSError, ValueError, pickle.UnpicklingError)
# What is read in a moment: who sends more waits for its own log, and nobody else for it.
LARGEST_BYTES = 2**22


class LogReader:
    """Understands logs; from `start` to `close` in a process of its own where that helps."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._allowed = False
        self._asking = 0
        self.process: _Process | None = None

    def start(self) -> None:
        """Allow the process, if there is a CPU for it."""
        self._allowed = (os.cpu_count() or 1) > 1

    def close(self) -> None:
        """End it; what it is asked from now on is read here."""
        with self._lock:
            self._allowed = False
            process, self.process = self.process, None
        if process is not None:
            process.close()

    def __call__(self, path: Path, request: UploadRequest) -> Incoming:
        """As `understand_run_log`."""
        with self._lock:
            self._asking += 1
        try:
            process, found = self._begun(), None
            if process is not None and path.stat().st_size <= LARGEST_BYTES:
                found = self._elsewhere(process, path, request)
            return found or understand_run_log(path, request)
        finally:
            with self._lock:
                self._asking -= 1

    def _begun(self) -> "_Process | None":
        with self._lock:
            if self._allowed and self._asking > 1 and self.process is None:
                try:
                    self.process = _Process()
                except OSError as error:
                    _LOG.warning("no process can be begun that reads logs: %s", error)
            return self.process

    def _elsewhere(
        self, process: "_Process", path: Path, request: UploadRequest
    ) -> Incoming | None:
        try:
            return process.ask(path, request)
        except _ENDED as error:
            _LOG.warning("the process that reads logs ended: %r", error)
        with self._lock:
            if self.process is process:
                self.process = None
        process.close()
        return None


class _Process:
    """One that answers in turn, from when it has come up."""

    def __init__(self) -> None:
        self._turn = Lock()
        self.is_up = False
        self._process = subprocess.Popen(  # noqa: S603  (nothing of it comes from outside)
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=plain_environment(),
            start_new_session=True,
        )
        Thread(target=self._await, daemon=True).start()

    def ask(self, path: Path, request: UploadRequest) -> Incoming | None:
        """What is in the log; None for what it cannot tell. Errors: `_ENDED`, if it ended."""
        if not self.is_up:
            return None
        with self._turn:
            questions = self._process.stdin
            assert questions is not None
            pickle.dump((path, request), questions)
            questions.flush()
            return cast(Incoming | None, self._answer())

    def close(self) -> None:
        """Let it end, or end it."""
        self._process.kill()
        with self._turn, suppress(OSError):
            self._process.__exit__(None, None, None)

    def _await(self) -> None:
        """Coming up takes a while, for which nobody waits."""
        with self._turn:
            try:
                self.is_up = self._answer() == _READY
            except _ENDED as error:
                _LOG.warning("the process that reads logs did not come up: %r", error)

    def _answer(self) -> object:
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)  # noqa: S301  (our own code wrote it)


def main() -> None:
    """What the process does until nobody asks any more."""
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    found: object = _READY
    while True:
        pickle.dump(found, answers)
        answers.flush()
        try:
            path, request = pickle.load(questions)  # noqa: S301  (the server wrote it)
        except EOFError:
            return
        try:
            found = understand_run_log(path, request)
        except Exception:  # who asked meets it too, and says so
            found = None
