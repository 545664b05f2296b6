# SPDX-License-Identifier: Apache-2.0
"""What others took of the CPUs while something was measured: processes beside it, a hypervisor."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from children import children_of

#: Of one CPU. What takes less is there on each machine.
MOST_OTHERS_PERCENT = 20.0
MOST_STEAL_PERCENT = 2.0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
#: The machine's time is counted in whole ticks of each CPU, that of processes more finely.
UNCERTAIN_S = TICK_S * (os.cpu_count() or 1)


@dataclass(frozen=True)
class CpuTimes:
    """CPU time since the machine booted, in seconds, at an instant of CLOCK_MONOTONIC."""

    at_s: float
    in_tasks_s: float
    stolen_s: float
    own_s: float

    @classmethod
    def now(cls, root: int | None = None) -> "CpuTimes":
        """All at once, with `own_s` of a process and its descendants; OSError without /proc."""
        tasks, stolen = _of_machine_s()
        return cls(time.monotonic(), tasks, stolen, own_s(root))


class Watch:
    """What disturbs a process and its descendants, from when it is made on.

    Args:
        root: the process; None is the one that asks.
    """

    def __init__(self, root: int | None = None) -> None:
        self._root = root
        self._begun: CpuTimes | None = None
        with suppress(OSError):
            self._begun = CpuTimes.now(root)

    def said(self) -> str:
        """What has disturbed since; nothing where nothing did, or where nobody counts it."""
        if self._begun is None:
            return ""
        return disturbance(self._begun, CpuTimes.now(self._root))


def disturbance(begun: CpuTimes, ended: CpuTimes) -> str:
    """What disturbed between two instants, in words; nothing within the bounds."""
    elapsed_s = max(ended.at_s - begun.at_s, TICK_S)
    own = max(ended.own_s - begun.own_s, 0.0)  # less, where a child of before left the tree
    others = ended.in_tasks_s - begun.in_tasks_s - own - UNCERTAIN_S
    stolen = ended.stolen_s - begun.stolen_s - UNCERTAIN_S
    if (percent := 100 * others / elapsed_s) > MOST_OTHERS_PERCENT:
        return f"other processes used {percent:.0f} % of a CPU"
    if (percent := 100 * stolen / elapsed_s) > MOST_STEAL_PERCENT:
        return f"the hypervisor took {percent:.0f} % of a CPU"
    return ""


def own_s(root: int | None = None) -> float:
    """CPU time of a process, this one by default, its descendants, and those waited for."""
    tree, found = [root or os.getpid()], 0
    while tree:
        pid = tree.pop()
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            found += sum(map(int, fields.rpartition(")")[2].split()[11:15]))
            tree += children_of(pid)
    return found * TICK_S


def _of_machine_s() -> tuple[float, float]:
    """User, nice and system time of all CPUs; what a hypervisor took of them."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    return sum(map(int, fields[:3])) * TICK_S, int(fields[7]) * TICK_S
