# SPDX-License-Identifier: Apache-2.0
"""Where a run log is read from: a path, bytes, or a file that is open."""

import mmap
import os
import stat
from pathlib import Path
from typing import BinaryIO, Union

from . import layout
from .errors import Problem, RunLogError

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, mmap.mmap, BinaryIO]


def bytes_of(source: Source, limits: layout.Limits) -> memoryview:
    """All bytes of a source, bounded; see `read`."""
    if isinstance(source, (bytes, bytearray, memoryview, mmap.mmap)):
        data = memoryview(source)
        if data.format != "B" or data.ndim != 1 or not data.contiguous:
            data = data.cast("B")
    elif isinstance(source, (str, os.PathLike)):
        with Path(source).open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_size > limits.file_bytes:
                raise _too_large(limits)  # before it fills the memory
            size = limits.file_bytes + 1
            if stat.S_ISCHR(status.st_mode):
                size = len(layout.MAGIC)  # a device, which may never end, is no log
            elif stat.S_ISREG(status.st_mode) and status.st_size:
                size = status.st_size  # read() takes memory for all that it is asked for
            data = memoryview(file.read(size))
    else:
        data = memoryview(source.read(limits.file_bytes + 1))
    if len(data) > limits.file_bytes:
        raise _too_large(limits)
    return data.toreadonly()


def _too_large(limits: layout.Limits) -> RunLogError:
    return RunLogError(
        Problem(
            "too_large",
            f"The log is larger than the {limits.file_bytes:,} bytes accepted here.",
            limits.file_bytes,
            advice="Record with a longer interval or for a shorter time.",
        )
    )
