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


class Watch:
    """What a server and the processes that it began take, beyond what it had before.

    Attributes:
        memory_kib: the most that one of them had at once.
        mapped_kib: of it, what the file of a run log may be, whose pages the kernel takes back.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # the most from now on
        self._before_s, self._before_kib = cpu_s(pid), memory_kib(pid, "VmRSS")
        self.memory_kib = self.mapped_kib = 0

    @property
    def cpu_s(self) -> float:
        """CPU time, that of processes that ended included, in seconds."""
        return cpu_s(self._pid) - self._before_s

    def look(self) -> None:
        """Note how much memory they have had."""
        for pid in (self._pid, *children_of(self._pid)):
            with suppress(OSError, IndexError):  # it has ended
                more = memory_kib(pid, "VmHWM") - self._before_kib
                self.memory_kib = max(self.memory_kib, more)


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
