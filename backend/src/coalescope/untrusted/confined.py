# SPDX-License-Identifier: Apache-2.0
"""The process that `confinement` starts: reads a job, bounds itself, does it, writes the outcome.

It imports nothing of the server, so that it starts quickly.
"""

import errno
import importlib
import inspect
import math
import os
import pickle
import resource
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NO_MEMORY = 3
_NICE = 5


@dataclass(frozen=True)
class Bounds:
    """What the work may take.

    Attributes:
        seconds: of CPU time.
        mib: of memory.
        clock: how many times as long by the clock, for others are at work beside it.
        all_told: whether what its program and libraries take by then is of that memory.
        mapped_mib: of files that it maps, whose pages it gives back.
    """

    seconds: float
    mib: int
    clock: float = 1.0
    all_told: bool = False
    mapped_mib: int = 0

    @property
    def by_the_clock_s(self) -> float:
        """The longest by the clock, in seconds."""
        return self.seconds * self.clock


@dataclass(frozen=True)
class Raised:
    """The work raised this."""

    error: Exception


def main() -> None:
    """Do the job on stdin; the outcome goes to stdout."""
    bounds, function, arguments, named = pickle.loads(  # noqa: S301  (the server wrote it)
        sys.stdin.buffer.read()
    )
    _load_libraries(function)
    _bind(bounds)
    try:
        for piece in _attempt(function, arguments, named):
            sys.stdout.buffer.write(pickle.dumps(piece))
    except MemoryError:
        sys.exit(NO_MEMORY)


def _load_libraries(function: Callable[..., object]) -> None:
    """Import what the function's module imports only when it is called (its LATE_LIBRARIES).

    Their code is not the sender's choice, and an import that is refused memory may end in any
    error at all.
    """
    module = sys.modules[function.__module__]
    for name in getattr(module, "LATE_LIBRARIES", ()):
        importlib.import_module(name)


def _attempt(
    function: Callable[..., object], arguments: Sequence[object], named: Mapping[str, object]
) -> Iterator[object]:
    """Whether it yields, then what it returns or yields; in the end, what it raised."""
    yields = inspect.isgeneratorfunction(function)
    yield yields
    try:
        found = function(*arguments, **named)
        yield from found if isinstance(found, Iterator) and yields else (found,)
    except Exception as error:
        if is_of_memory(error):
            raise MemoryError from error
        yield Raised(error)


def is_of_memory(error: BaseException | None) -> bool:
    """Whether refused memory is behind it, or behind what it was raised for.

    ImportError: a library could not be mapped into memory; SystemError: it does not say what
    failed in it; OSError: a system call was refused; zlib.error of -4: Z_MEM_ERROR (zlib.h).
    """
    while error is not None:
        if isinstance(error, (MemoryError, ImportError, SystemError)):
            return True
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return True
        if isinstance(error, zlib.error) and str(error).startswith("Error -4 "):
            return True
        error = error.__cause__ or error.__context__
    return False


def _bind(bounds: Bounds) -> None:
    """Bound this process from now on."""
    os.nice(_NICE)
    address_space, resident = _taken()
    most = address_space + (bounds.mib + bounds.mapped_mib << 20)
    if bounds.all_told:
        most = max(address_space, most - resident)
    seconds = math.ceil(bounds.seconds)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # if the server dies meanwhile, nobody else ends this
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _taken() -> tuple[int, int]:
    """Bytes of address space, and of memory, in use. Source: proc_pid_statm(5)."""
    address_space, resident = map(int, Path("/proc/self/statm").read_text().split()[:2])
    page = resource.getpagesize()
    return address_space * page, resident * page
