# SPDX-License-Identifier: Apache-2.0
"""What a server and the processes that it began take of CPU time and memory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from children import children_of


def cpu_s(pid: int) -> float:
    """Of a process and of its children that ended. Source: proc_pid_stat(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def memory_kib(pid: int, what: str) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition(f"{what}:")[2].split()[0])


def has_begun(pid: int) -> bool:
    """Whether it runs a program of its own: until then it has its parent's memory."""
    return b"confined" in Path(f"/proc/{pid}/cmdline").read_bytes()


class Watch:
    """What a server takes beyond what it had before, and the processes that it began in all.

    Attributes:
        memory_kib: the most that one of them had in memory, or all at once, pages of files and of
            programs included.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # the most from now on
        self._before_s, self._before_kib = cpu_s(pid), memory_kib(pid, "VmRSS")
        self.memory_kib = 0

    @property
    def cpu_s(self) -> float:
        """CPU time, that of processes that ended included, in seconds."""
        return cpu_s(self._pid) - self._before_s

    def look(self) -> None:
        """Note how much memory they have had."""
        with suppress(OSError, IndexError):  # it has ended
            readers = [pid for pid in children_of(self._pid) if has_begun(pid)]
            for what, together in (("VmHWM", max), ("VmRSS", sum)):
                taken = [memory_kib(pid, what) for pid in readers]
                taken.append(memory_kib(self._pid, what) - self._before_kib)
                self.memory_kib = max(self.memory_kib, together(taken))


@contextmanager
def watched(pid: int) -> Iterator[Watch]:
    watch, over = Watch(pid), Event()

    def looking() -> None:
        while not over.wait(0.05):
            watch.look()

    thread = Thread(target=looking)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()
        watch.look()
