# SPDX-License-Identifier: Apache-2.0
"""The end of an exchange that takes longer than it may.

A time limit of a socket is one of each read: whoever sends a byte now and then is never late.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock, Timer
from types import TracebackType


class Expiry:
    """Shuts a socket down when its time is over, so that whoever reads from it goes on.

    Attributes:
        has_come: whether the time was over.
    """

    def __init__(self, seconds: float) -> None:
        self.has_come = False
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._timer = Timer(max(seconds, 0.0), self._come)
        self._timer.daemon = True

    def watch(self, connected: socket.socket) -> None:
        """From now on it is this socket: that of TLS in place of the one below it."""
        with self._lock:
            self._socket = connected
            if self.has_come:
                _shut(connected)

    def __enter__(self) -> Expiry:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()

    def _come(self) -> None:
        with self._lock:
            self.has_come = True
            if self._socket is not None:
                _shut(self._socket)


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):  # it has ended
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
