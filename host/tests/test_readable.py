# SPDX-License-Identifier: Apache-2.0
"""Waiting for something to read, also where many files are open."""

import fcntl
import os
import resource
from collections.abc import Iterator
from io import FileIO

import pytest
from coalescope_host.readable import is_readable
from timeouts import TIMEOUT_S

BEYOND_SELECT = 1500


@pytest.fixture
def pipe() -> Iterator[tuple[int, FileIO]]:
    """Its end to read from has a number that select() cannot take."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2 * BEYOND_SELECT), before[1]))
    low, end = os.pipe()
    reader = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, BEYOND_SELECT)
    os.close(low)
    with FileIO(end, "wb") as sender:
        yield reader, sender
    os.close(reader)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_nothing_comes(pipe: tuple[int, FileIO]) -> None:
    assert not is_readable(pipe[0], 0)
    assert not is_readable(pipe[0], 0.01)


def test_something_comes(pipe: tuple[int, FileIO]) -> None:
    pipe[1].write(b"x")
    assert is_readable(pipe[0], TIMEOUT_S)


def test_the_end_comes(pipe: tuple[int, FileIO]) -> None:
    """Of a pipe that nobody writes to any more, as of a process that has ended."""
    pipe[1].close()
    assert is_readable(pipe[0], TIMEOUT_S)
