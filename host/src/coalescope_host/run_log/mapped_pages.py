# SPDX-License-Identifier: Apache-2.0
"""A mapped log takes a few MiB of memory, however large it is: its pages are given back."""

from __future__ import annotations

import mmap
import sys

_STEP_BYTES = 1 << 22


class Passed:
    """How far somebody is through a log's bytes.

    If they are a file that is mapped to be read, the kernel takes back the pages behind, some MiB
    at a time. What is looked at again is read again.
    """

    __slots__ = ("_file", "_next", "_start")

    def __init__(self, data: memoryview, start: int = 0) -> None:
        file = data.obj
        self._file = None
        if isinstance(file, mmap.mmap) and memoryview(file).readonly:  # a change would be lost
            self._file = file
        self._begin(start)

    def to(self, offset: int) -> None:
        """All before this offset was looked at."""
        if offset < self._next or self._file is None:
            return
        self._file.madvise(mmap.MADV_DONTNEED, self._start, offset - self._start)
        self._begin(offset)

    def _begin(self, offset: int) -> None:
        self._start = offset - offset % mmap.PAGESIZE
        self._next = sys.maxsize if self._file is None else self._start + _STEP_BYTES
