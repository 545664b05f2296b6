# SPDX-License-Identifier: Apache-2.0
"""Ends a sweep on Ctrl-C, SIGTERM and SIGHUP so that what must be put back is put back.

A signal is only noted; the sweep asks often, where it can stop. An exception out of a signal's
handler could come in the middle of anything, and be lost in a destructor; what it prints, in the
middle of a line that is being printed.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from coalescope_host.terminal import say

CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """Someone asked the sweep to end. Nothing but its end may catch this."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.strsignal(number) or f"signal {number}")


class Interruption:
    """Whether a signal asked for the end."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._said = False

    def check(self) -> None:
        """Raise `Interrupted` if so."""
        if self._number is None:
            return
        if not self._said:
            self._said = True
            say("", "Ending, and putting everything back.")
        raise Interrupted(self._number)

    def note(self, number: int, _frame: FrameType | None) -> None:
        """Remember a signal."""
        self._number = number


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Note these signals while the block runs."""
    interruption = Interruption()
    before = {number: signal.signal(number, interruption.note) for number in CAUGHT}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
