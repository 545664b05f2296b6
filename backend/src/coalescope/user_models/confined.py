# SPDX-License-Identifier: Apache-2.0
"""The process that `confinement` starts: reads a job, bounds itself, does it, writes the outcome.

It imports nothing of the server, so that it starts quickly.
"""

import math
import os
import pickle
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NO_MEMORY = 3
_NICE = 5


@dataclass(frozen=True)
class Bounds:
    """What the work on one model may take: seconds by the clock, and MiB of memory."""

    seconds: float
    mib: int


@dataclass(frozen=True)
class Raised:
    """The work raised this."""

    error: Exception


def main() -> None:
    """Do the job on stdin; the outcome goes to stdout."""
    bounds, function, arguments, named = pickle.loads(  # noqa: S301  (the server wrote it)
        sys.stdin.buffer.read()
    )
    _bind(bounds)
    try:
        outcome = pickle.dumps(_attempt(function, arguments, named))
    except MemoryError:
        sys.exit(NO_MEMORY)
    sys.stdout.buffer.write(outcome)


def _attempt(
    function: Callable[..., object], arguments: Sequence[object], named: Mapping[str, object]
) -> object:
    try:
        return function(*arguments, **named)
    except MemoryError:
        raise
    except Exception as error:
        return Raised(error)


def _bind(bounds: Bounds) -> None:
    """Bound this process from now on; what it took until here does not count."""
    os.nice(_NICE)
    most = _address_space() + (bounds.mib << 20)
    seconds = math.ceil(bounds.seconds)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # if the server dies meanwhile, nobody else ends this
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _address_space() -> int:
    """Bytes of address space in use. Source: proc_pid_statm(5)."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
