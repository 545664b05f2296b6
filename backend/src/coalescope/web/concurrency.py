# SPDX-License-Identifier: Apache-2.0
"""Limits how many long computations run at once: each takes a CPU, and memory while it lasts."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from coalescope.errors import CoalescopeError

_WAITING_FOR_EACH = 2
_TIMEOUT_S = 10.0
_RETRY_AFTER_S = 5


class ConcurrencyLimiter:
    """`at_once` computations run, twice as many wait, and the rest is refused immediately.

    A waiting request holds one of the server's threads: hence few wait, and not for long.
    """

    def __init__(self, at_once: int, timeout_s: float = _TIMEOUT_S) -> None:
        self._free = BoundedSemaphore(at_once)
        self._room = BoundedSemaphore(at_once * (1 + _WAITING_FOR_EACH))
        self._timeout_s = timeout_s

    @contextmanager
    def acquire(self) -> Iterator[None]:
        """Compute in this context. Errors: CoalescopeError 503 where too much is under way."""
        if not self._room.acquire(blocking=False):
            raise _busy()
        try:
            if not self._free.acquire(timeout=self._timeout_s):
                raise _busy()
            try:
                yield
            finally:
                self._free.release()
        finally:
            self._room.release()


def _busy() -> CoalescopeError:
    return CoalescopeError(
        "busy",
        "The server is computing as much as it can at the moment.",
        where={"retry_after_s": _RETRY_AFTER_S},
        advice=f"Try again in {_RETRY_AFTER_S} s.",
        status=503,
    )
