# SPDX-License-Identifier: Apache-2.0
"""Lines to and from a program that may be anybody: bounded in length, in memory and in time.

Every wait ends at the deadline of the exchange that it is part of, whatever comes meanwhile.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import time
from collections.abc import Sequence

MOST_LINE_BYTES = 1 << 20
CHUNK_BYTES = 1 << 16
TAIL_BYTES = 4096


class CutError(Exception):
    """The other end is gone."""


class SilentError(Exception):
    """The time is over."""


class StrangeError(Exception):
    """What came is none of what may come; the text goes on after “its answer”."""


class Wire:
    """The three pipes of a program: where it reads, where it answers, where it complains."""

    def __init__(self, reads: int, answers: int, complaints: int) -> None:
        self._reads, self._answers, self._complaints = reads, answers, complaints
        self._received = bytearray()
        self._tail = b""
        self._complains = True
        for file in (reads, answers, complaints):
            os.set_blocking(file, False)

    def write(self, content: bytes, deadline: float) -> None:
        """Write all of it by then, on the monotonic clock.

        Raises:
            CutError, SilentError: if that cannot be; a part of it may be written.
        """
        left = memoryview(content)
        while left:
            if not self._wait((), (self._reads,), deadline):
                continue
            try:
                left = left[os.write(self._reads, left) :]
            except BlockingIOError:
                continue
            except OSError:
                raise CutError from None

    def line(self, deadline: float) -> bytes:
        """The next line, without its end.

        Raises:
            CutError, SilentError: if none comes by then.
            StrangeError: if it is too long.
        """
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > MOST_LINE_BYTES:
                raise StrangeError(f"is longer than {MOST_LINE_BYTES:,} bytes")
            if not self._wait((self._answers,), (), deadline):
                continue
            chunk = self._read(self._answers)
            if chunk == b"":
                raise CutError
            self._received += chunk or b""
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def complaints(self) -> str:
        """The last of what it complained about, so far."""
        self._take_complaints()
        return self._tail.decode("utf-8", "replace")

    def _wait(self, reads: Sequence[int], writes: Sequence[int], deadline: float) -> bool:
        """Whether one of them can be read or written; complaints are taken meanwhile."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise SilentError
        poll = select.poll()  # select() refuses descriptors beyond 1023
        for file in (*reads, *((self._complaints,) if self._complains else ())):
            poll.register(file, select.POLLIN)
        for file in writes:
            poll.register(file, select.POLLOUT)
        ready = {file for file, _ in poll.poll(math.ceil(1000 * left))}
        if self._complaints in ready:
            self._take_complaints()
        return bool(ready - {self._complaints})

    def _take_complaints(self) -> None:
        """As much as there is now, and no more at once than a pipe holds."""
        with contextlib.suppress(OSError):
            chunk = os.read(self._complaints, CHUNK_BYTES)
            self._complains = bool(chunk)
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]

    def _read(self, file: int) -> bytes | None:
        """What there is; None if nothing is there after all."""
        try:
            return os.read(file, CHUNK_BYTES)
        except BlockingIOError:
            return None
