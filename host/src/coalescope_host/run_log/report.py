# SPDX-License-Identifier: Apache-2.0
"""What a log holds and what is wrong with it, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Problem
from .header import Json


@dataclass(frozen=True)
class Sampling:
    """When the records of the main stream were taken; nanoseconds.

    `jitter_ns` is the standard deviation of the intervals; `wall_jump_ns` the largest step of the
    wall clock against the monotonic one between two neighbours.
    """

    samples: int
    span_ns: int
    asked_interval_ns: int | None
    mean_interval_ns: float | None
    shortest_interval_ns: int | None
    longest_interval_ns: int | None
    jitter_ns: float | None
    missed_ticks: int | None
    wall_jump_ns: int | None


@dataclass(frozen=True)
class CounterReport:
    """One counter over the whole log: first and last value, and whether it ever ran backwards."""

    name: str
    unit: str
    source: str
    first: int
    last: int
    backward_steps: int


@dataclass(frozen=True)
class CheckReport:
    """What `check` found.

    `ok` means that the file is valid; `doubts` are about the run that it holds.
    """

    name: str
    size: int
    sha256: str
    ok: bool
    readable: bool
    complete: bool
    read_bytes: int
    version: str | None
    header: Json | None
    sampling: Sampling | None
    counters: tuple[CounterReport, ...]
    absent: tuple[str, ...]
    marks: tuple[tuple[str, int], ...]
    window_ns: int | None
    results: tuple[dict[str, object], ...]
    ended: str | None
    problems: tuple[Problem, ...]
    doubts: tuple[Problem, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The report as plain data."""
        return {
            "file": self.name,
            "bytes": self.size,
            "sha256": self.sha256,
            "ok": self.ok,
            "readable": self.readable,
            "complete": self.complete,
            "read_bytes": self.read_bytes,
            "version": self.version,
            "header": self.header,
            "sampling": None if self.sampling is None else _plain(self.sampling),
            "counters": [_plain(counter) for counter in self.counters],
            "absent": list(self.absent),
            "marks": [{"name": name, "t_monotonic_ns": moment} for name, moment in self.marks],
            "window_ns": self.window_ns,
            "results": list(self.results),
            "ended": self.ended,
            "problems": [problem.to_json() for problem in self.problems],
            "doubts": [doubt.to_json() for doubt in self.doubts],
        }


def _plain(row: Sampling | CounterReport) -> dict[str, object]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}
