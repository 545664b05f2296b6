# SPDX-License-Identifier: Apache-2.0
"""What the runs of the data set measured, in the time that they stand for; means of cells."""

import math
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from coalescope_host.run_log import RunLog, read, window_counters
from guest.errors import GuestError

_JIFFY_S = 0.01
_TRAFFIC = ("task_cycles", "irq_cycles", "softirq_cycles")


@dataclass(frozen=True)
class Run:
    """One run: its cell, and the advance of its counters over the window.

    Attributes:
        elapsed_s: of the time stood for, as are all seconds here.
        traffic_cpu_s: tasks, and hard and soft interrupts of the interface.
        handler_s: of it, in hard interrupts.
        idle_share: of the CPU, 0 to 1.
    """

    workload: str
    mtu_bytes: int
    delay_ticks: int
    replicate: int
    elapsed_s: float
    rx_bytes: float
    rx_packets: float
    rx_interrupts: float
    traffic_cpu_s: float
    handler_s: float
    idle_share: float

    @property
    def throughput_mbps(self) -> float:
        """Frames with FCS."""
        return self.rx_bytes * 8e-6 / self.elapsed_s

    @property
    def packets_per_interrupt(self) -> float:
        """Of receive interrupts; infinite where polling never ended, so that none was needed."""
        return self.rx_packets / self.rx_interrupts if self.rx_interrupts else math.inf

    @property
    def interrupt_rate_hz(self) -> float:
        """Of receive interrupts."""
        return self.rx_interrupts / self.elapsed_s

    @property
    def handler_us(self) -> float:
        """Of one receive interrupt, declared cost included."""
        return 1e6 * self.handler_s / self.rx_interrupts if self.rx_interrupts else math.nan

    @property
    def traffic_cpu_jiffies(self) -> float:
        """The paper's unit: 10 ms."""
        return self.traffic_cpu_s / _JIFFY_S


@dataclass(frozen=True)
class Cell:
    """The replicates of one cell."""

    runs: tuple[Run, ...]

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over the replicates."""
        return sum(float(getattr(run, measure)) for run in self.runs) / len(self.runs)


Cells = Mapping[tuple[str, int, int], Cell]
"""Workload, MTU, delay in the paper's ticks → cell."""


def cells_of(runs: Iterable[Run]) -> Cells:
    """Gather runs by cell, in order."""
    gathered: dict[tuple[str, int, int], list[Run]] = defaultdict(list)
    for run in runs:
        gathered[run.workload, run.mtu_bytes, run.delay_ticks].append(run)
    return {key: Cell(tuple(gathered[key])) for key in sorted(gathered)}


def runs_of(archive: Path) -> Iterator[Run]:
    """Return the runs of an archive of logs. Errors: GuestError if it is not there."""
    if not archive.exists():
        raise GuestError(f"{archive} is missing: make testbed")
    with tarfile.open(archive) as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is not None:
                yield run_of(read(file.read()))


def factors_of(log: RunLog) -> dict[str, Any]:
    """Return the levels that a run was asked for."""
    factors = cast(dict[str, Any], log.header["factors"])
    return {name: level["requested"] for name, level in factors.items()}


def run_of(log: RunLog) -> Run:
    """Return what one log measured."""
    counters = window_counters(log)
    header = cast(dict[str, Any], log.header)
    dilation = header["time_dilation"]
    factors = factors_of(log)
    hertz = counters["t_tsc"] / counters["elapsed_s"]
    traffic_cycles = sum(counters[name] for name in _TRAFFIC)
    return Run(
        workload=factors["workload"],
        mtu_bytes=int(factors["mtu_bytes"]),
        delay_ticks=int(factors["delay_ticks"]),
        replicate=header["run"]["replicate"],
        elapsed_s=counters["elapsed_s"] / dilation,
        rx_bytes=counters["rx_bytes"],
        rx_packets=counters["rx_packets"],
        rx_interrupts=counters["rx_interrupts"],
        traffic_cpu_s=traffic_cycles / hertz / dilation,
        handler_s=counters["irq_cycles"] / hertz / dilation,
        idle_share=counters["idle_cycles"] / counters["t_tsc"],
    )
