# SPDX-License-Identifier: Apache-2.0
"""Who had the CPUs, as the kernel accounts it: what a log's CPU times are compared with."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

EVERY_S = 0.01
FIRST_IN_LINE = -10  # before hogs: what is read late is of another instant
HOG = "while True: pass"
TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Share:
    """CPU time between two instants, in percent of one CPU.

    `system`: interrupts included; `accounted`: idle time, too, thus all that the kernel accounts.
    """

    busy: float
    system: float
    accounted: float
    hogs: float


@dataclass(frozen=True)
class Usage:
    """CPU time by mpstat between two instants, in percent of one CPU; `system`: as in `Share`."""

    start_ns: int
    end_ns: int
    busy: float
    system: float


class Mpstat:
    """mpstat beside what is measured, a line each second: what a line tells was read as it came."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["nice", "-n", str(FIRST_IN_LINE), "stdbuf", "--output=L", "mpstat", "1"],
            env={**os.environ, "S_TIME_FORMAT": "ISO", "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lines: list[tuple[int, Sequence[float]]] = []
        self._reader = threading.Thread(target=self._read_on)
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.send_signal(signal.SIGINT)
        self._reader.join()
        self._process.wait()

    def between(self, start_ns: int, end_ns: int) -> Usage:
        """All whole lines between two instants together."""
        first, *later = [
            (instant, shares) for instant, shares in self._lines if start_ns <= instant <= end_ns
        ]
        begin, end = first[0], later[-1][0]
        spans = [after - before for before, after in pairwise([begin, *(at for at, _ in later)])]
        busy, system = (
            sum(span * shares[i] for span, (_, shares) in zip(spans, later, strict=True))
            / (end - begin)
            for i in (0, 1)
        )
        return Usage(begin, end, busy, system)

    def _read_on(self) -> None:
        _be_first_in_line()
        assert self._process.stdout
        with self._process.stdout as lines:
            for line in lines:
                now = _now_ns()
                match line.split():
                    case [time_of_day, "all", *columns] if time_of_day != "Average:":
                        self._lines.append((now, _shares(*map(float, columns))))


def _shares(
    user: float,
    nice: float,
    system: float,
    _waiting: float,
    irq: float,
    soft: float,
    steal: float,
    *_guests_and_idle: float,
) -> tuple[float, float]:
    """Busy and system time, in percent of one CPU, of mpstat's columns, in percent of all."""
    cpus = os.cpu_count() or 1
    return cpus * (user + nice + system + irq + soft + steal), cpus * (system + irq + soft)


class Hogs:
    """Processes that want a CPU each, and how busy the host is while they run.

    Times are those of CLOCK_MONOTONIC_RAW, the clock of run logs.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._running = ExitStack()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._readings: list[tuple[int, ...]] = []
        self._over = threading.Event()
        self._reader = threading.Thread(target=self._read_on)

    def __enter__(self) -> Self:
        for _ in range(self._count):
            hog = self._running.enter_context(subprocess.Popen([sys.executable, "-c", HOG]))
            self._running.callback(hog.kill)
            self._processes.append(hog)
        self._read()
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._reader.join()
        self._read()
        self._running.close()

    def between(self, start_ns: int, end_ns: int) -> Share:
        """What was used from one instant to another, both while the hogs ran."""
        first, last = (amounts_at(self._readings, instant) for instant in (start_ns, end_ns))
        return Share(
            *(
                100 * (after - before) / (end_ns - start_ns)
                for before, after in zip(first, last, strict=True)
            )
        )

    def _read_on(self) -> None:
        _be_first_in_line()
        while not self._over.wait(EVERY_S):
            self._read()

    def _read(self) -> None:
        hogs = sum(map(_used_ns, self._processes))
        self._readings.append((_now_ns(), *_of_all_cpus_ns(), hogs))


def _be_first_in_line() -> None:
    """This thread alone."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), FIRST_IN_LINE)


def _now_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def _of_all_cpus_ns() -> tuple[int, int, int]:
    """Time not idle, what a hypervisor took included; the system's part of it; all time."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    user, nice, system, idle, waiting, irq, softirq, steal = map(int, fields)
    in_system = system + irq + softirq
    busy = user + nice + in_system + steal
    return TICK_NS * busy, TICK_NS * in_system, TICK_NS * (busy + idle + waiting)


def _used_ns(process: subprocess.Popen[bytes]) -> int:
    return int(Path(f"/proc/{process.pid}/schedstat").read_text(encoding="ascii").split()[0])


def amounts_at(readings: Sequence[tuple[int, ...]], instant: int) -> tuple[float, ...]:
    """All amounts at an instant, evenly between the readings before and after it."""
    for (before, *low), (after, *high) in pairwise(readings):
        if before <= instant <= after:
            part = (instant - before) / (after - before)
            return tuple(a + part * (b - a) for a, b in zip(low, high, strict=True))
    raise ValueError("the instant is outside of what was read")
