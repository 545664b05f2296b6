# SPDX-License-Identifier: Apache-2.0
"""A process that reads logs beside the one that serves.

It is begun when two logs come at once: who sends one after the other does not pay for it. What it
cannot read, and what is to be said about that, is left to the one who asked.
"""

from pathlib import Path
from typing import cast

from coalescope.processes import Beside, EndedError, answer_in_turn
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.run_logs import understand_run_log

# What is read in a moment: who sends more waits for its own log, and nobody else for it.
LARGEST_BYTES = 2**22
# A hundred times what the largest takes.
ANSWER_S = 30.0


class LogReader(Beside):
    """Understands logs; from `start` to `close` in a process of its own where that helps."""

    def __init__(self) -> None:
        super().__init__("coalescope.uploads.log_reader")
        self._asking = 0

    def __call__(self, path: Path, request: UploadRequest) -> Incoming:
        """As `understand_run_log`."""
        with self._lock:
            self._asking += 1
            several = self._asking > 1
        try:
            if several:
                self._begin()
            return self._elsewhere(path, request) or understand_run_log(path, request)
        finally:
            with self._lock:
                self._asking -= 1

    def _elsewhere(self, path: Path, request: UploadRequest) -> Incoming | None:
        process = self._up()
        if process is None or path.stat().st_size > LARGEST_BYTES:
            return None
        try:
            return cast(Incoming | None, process.ask((path, request), ANSWER_S))
        except EndedError as error:
            self._drop(process, error)
            return None


def main() -> None:
    """What the process does."""
    answer_in_turn(_understood)


def _understood(question: tuple[Path, UploadRequest]) -> Incoming | None:
    try:
        return understand_run_log(*question)
    except Exception:  # who asked meets it too, and says so
        return None
