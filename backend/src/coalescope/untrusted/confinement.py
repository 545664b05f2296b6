# SPDX-License-Identifier: Apache-2.0
"""Work on what somebody sent, in a process of its own with bounds on memory and time.

What is sent is bounded data, but what the work on it takes is still its sender's choice. Its
process can take no more than it is given, is killed when its time is over, when who asked has left
or when the server ends, and knows none of the server's secrets.
"""

import io
import logging
import pickle
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final, Protocol

from coalescope.errors import CoalescopeError
from coalescope.untrusted.confined import NO_MEMORY, Bounds, Raised
from coalescope.untrusted.processes import plain_environment, python

_LOG = logging.getLogger("coalescope")
_COMMAND = python("from coalescope.untrusted import confined; confined.main()")
# How a process ends whose memory is refused: Python says so, but not every native library asks
# (NumPy's loops die of it); and where the machine's own memory ends, the kernel kills.
_STARVED = (
    NO_MEMORY,
    -signal.SIGSEGV,
    -signal.SIGBUS,
    -signal.SIGABRT,
    -signal.SIGKILL,
)
_OPENBLAS_STARVED = b"OpenBLAS error: Memory allocation"  # and ends with 1
#: The code of the error of work that was ended, which is no fault of it.
ENDED: Final = "ended"


class Refusals(Protocol):
    """What is said where the work took more than it may."""

    def too_long(self, bounds: Bounds) -> CoalescopeError:
        """Its time was over."""

    def too_much_memory(self, bounds: Bounds) -> CoalescopeError:
        """Its memory was."""


class Ending:
    """What ends work under way before its time: who asked has left, or the server ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._has_come = False
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._killed: set[subprocess.Popen[bytes]] = set()

    def come(self) -> None:
        """End all that is under way, and what is begun from now on."""
        self._has_come = True
        self.end_what_is_under_way()

    def end_what_is_under_way(self) -> None:
        """Kill the processes of now; what is begun from now on goes on."""
        with self._lock:
            for process in self._processes:
                process.kill()
            self._killed |= self._processes

    @contextmanager
    def ends(self, process: "subprocess.Popen[bytes]") -> Iterator[None]:
        """Have the process killed if it comes meanwhile. Errors: CoalescopeError 503, then.

        How a process ends that was killed says nothing of what it took.
        """
        with self._lock:
            self._processes.add(process)
            if self._has_come:
                process.kill()
        try:
            yield
        finally:
            with self._lock:
                self._processes.discard(process)
                was_killed = process in self._killed
                self._killed.discard(process)
        if was_killed:
            raise _ended()
        self.check()

    def check(self) -> None:
        """Errors: CoalescopeError 503 once it has come."""
        if self._has_come:
            raise _ended()


def _ended() -> CoalescopeError:
    return CoalescopeError(
        ENDED,
        "The work was ended before it was done; nothing was kept.",
        advice="Send it again.",
        status=503,
    )


#: Of the whole server.
OF_THE_SERVER = Ending()


def confined(
    bounds: Bounds,
    refusals: Refusals,
    function: Callable[..., Any],
    *arguments: Any,
    ending: Ending = OF_THE_SERVER,
    **named: Any,
) -> Any:
    """Return what the function does, called elsewhere, or raise what it raises.

    What it yields comes as a list: piece by piece, so that no piece keeps other threads waiting.

    Errors: CoalescopeError of `refusals` where it takes more memory or time than it may; 503 where
    it was ended.
    """
    job = pickle.dumps((bounds, function, arguments, named))
    process = subprocess.Popen(  # noqa: S603  (nothing of it comes from outside)
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=plain_environment(),
        start_new_session=True,
    )
    with process, OF_THE_SERVER.ends(process), ending.ends(process):
        try:
            answer, said = process.communicate(job, timeout=bounds.by_the_clock_s)
        except subprocess.TimeoutExpired:
            raise refusals.too_long(bounds) from None
        finally:
            process.kill()
    if process.returncode == -signal.SIGXCPU:
        raise refusals.too_long(bounds)
    if process.returncode in _STARVED or said.startswith(_OPENBLAS_STARVED):
        if process.returncode != NO_MEMORY:
            _LOG.warning("confined work ended with %d", process.returncode)
        raise refusals.too_much_memory(bounds)
    if process.returncode:
        _LOG.error("confined work died: %s", said.decode(errors="replace")[-4000:])
        raise RuntimeError(f"confined work ended with {process.returncode}")
    return _outcome(answer)


def _outcome(answer: bytes) -> Any:
    """All that the process wrote: whether it yields, and one outcome, or one for each piece."""
    file = io.BytesIO(answer)
    yields = pickle.load(file)  # noqa: S301  (our own code wrote it)
    outcomes = []
    while file.tell() < len(answer):
        outcome = pickle.load(file)  # noqa: S301
        if isinstance(outcome, Raised):
            raise outcome.error
        outcomes.append(outcome)
    return outcomes if yields else outcomes[0]
