# SPDX-License-Identifier: Apache-2.0
"""Who had the CPUs, as the kernel accounts it: what a log's CPU times are compared with."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

EVERY_S = 0.05
HOG = "while True: pass"
TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Share:
    """CPU time between two instants, in percent of one CPU."""

    busy: float
    hogs: float


@dataclass(frozen=True)
class Usage:
    """A second by mpstat, in percent of one CPU; `end`: its end, in seconds of the day's clock."""

    end: float
    busy: float
    system: float


class Mpstat:
    """mpstat beside what is measured, a line each second."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["mpstat", "-o", "JSON", "1"],
            env={**os.environ, "S_TIME_FORMAT": "ISO", "LC_ALL": "C", "TZ": "UTC"},
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.send_signal(signal.SIGINT)
        self._printed, _ = self._process.communicate()

    def between(self, start_s: float, end_s: float) -> list[Usage]:
        """The whole seconds between two instants; its clock shows no part of a second."""
        (host,) = json.loads(self._printed)["sysstat"]["hosts"]
        day = datetime.fromtimestamp(start_s, UTC).date()
        found = [_usage(day, host["number-of-cpus"], one) for one in host["statistics"]]
        return [usage for usage in found if start_s <= usage.end - 1 and usage.end + 1 <= end_s]


def _usage(day: date, cpus: int, printed: dict[str, Any]) -> Usage:
    end = datetime.fromisoformat(f"{day}T{printed['timestamp']}+00:00").timestamp()
    (load,) = (one for one in printed["cpu-load"] if one["cpu"] == "all")
    idle, system = load["idle"] + load["iowait"], load["sys"] + load["irq"] + load["soft"]
    return Usage(end, cpus * (100 - idle), cpus * system)


class Hogs:
    """Processes that want a CPU each, and how busy the host is while they run.

    Times are those of CLOCK_MONOTONIC_RAW, the clock of run logs.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._running = ExitStack()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._readings: list[tuple[int, int, int]] = []
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
        first, last = (_at(self._readings, instant) for instant in (start_ns, end_ns))
        busy, hogs = (
            100 * (after - before) / (end_ns - start_ns)
            for before, after in zip(first, last, strict=True)
        )
        return Share(busy, hogs)

    def _read_on(self) -> None:
        while not self._over.wait(EVERY_S):
            self._read()

    def _read(self) -> None:
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        self._readings.append((now, _busy_ns(), sum(map(_used_ns, self._processes))))


def _busy_ns() -> int:
    """CPU time of all CPUs that was not idle; what a hypervisor took was not idle either."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _waiting, irq, softirq, steal = map(int, fields)
    return TICK_NS * (user + nice + system + irq + softirq + steal)


def _used_ns(process: subprocess.Popen[bytes]) -> int:
    return int(Path(f"/proc/{process.pid}/schedstat").read_text(encoding="ascii").split()[0])


def _at(readings: Sequence[tuple[int, int, int]], instant: int) -> tuple[float, float]:
    """Both amounts at an instant, evenly between the readings before and after it."""
    for (before, *low), (after, *high) in pairwise(readings):
        if before <= instant <= after:
            part = (instant - before) / (after - before)
            first, second = (a + part * (b - a) for a, b in zip(low, high, strict=True))
            return first, second
    raise ValueError("the instant is outside of what was read")
