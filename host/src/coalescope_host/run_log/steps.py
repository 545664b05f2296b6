# SPDX-License-Identifier: Apache-2.0
"""How far each counter went from record to record."""

import math
from array import array
from collections.abc import Sequence

from coalescope_host.newer_python import pairwise, zip_strict

from . import layout
from .header import Field
from .log import Column, Stream

MOST_STEPS = 50_000

_FASTEST_WRAP = 4.0
_TAKEN_BACK = 1_000_000_000  # ns or cycles: kernels take back a little of a CPU's time
_KEPT = 32  # columns: lines share them


# --- what is read of a log


class Steps:
    """The records that are looked at: all, or of a long log every so many-th."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.stride = max(1, -(-(stream.records - 1) // MOST_STEPS))
        self.times = self._column(layout.TIME_FIELD)
        self._kept: dict[str, array[float]] = {}
        self._read: dict[str, Sequence[int]] = {}

    def advances(self, name: str) -> "array[float]":
        """How far a counter went in each step; not a number where it started anew."""
        if name in self._kept:
            return self._kept[name]
        steps = array("d", (b - a for a, b in pairwise(self._column(name))))
        column = self.stream.field(name)
        if column is not None and steps and min(steps) < 0:
            _mend(steps, column, self.times)
        if len(self._kept) < _KEPT:
            self._kept[name] = steps
        return steps

    def spread(self, name: str) -> "array[float]":
        """How far it went in each step; what is read seldom, evenly since it was read before.

        What is read with frames stays where it was read: that is where its frames are.
        """
        steps, column = self.advances(name), self.stream.field(name)
        if column is None or not column.read_every_ns or column.read_with_frames:
            return steps
        return _spread(steps, self._readings(column), self.times)

    def _readings(self, column: Field) -> Sequence[int]:
        """The records for which a column was read: others of its source went on then."""
        if column.source not in self._read:
            together = [
                self.advances(other.name)
                for other in self.stream.fields
                if other.kind == "counter" and other.source == column.source and other.read_every_ns
            ]
            moved = (k + 1 for k, steps in enumerate(zip_strict(*together)) if any(steps))
            longest = column.read_every_ns
            found = [0]
            for record in moved:
                if self.times[record] - self.times[found[-1]] > 2 * longest:
                    found.append(record - 1)  # nothing went on for long
                found.append(record)
            self._read[column.source] = found
        return self._read[column.source]

    def total(self, names: Sequence[str]) -> "array[float]":
        """The same of several counters together."""
        columns = [self.spread(name) for name in names]
        if len(columns) == 1:
            return columns[0]
        return array("d", map(sum, zip_strict(*columns)))

    def seconds(self) -> "array[float]":
        """How long each step took, by the log's own clock."""
        return array("d", ((b - a) / 1e9 for a, b in pairwise(self.times)))

    def _column(self, name: str) -> "array[int]":
        found, field = array("Q"), self.stream.field(name)
        if field is None:
            return found
        size, first = self.stream.record_bytes, 0
        column = Column(field, size)
        for block in self.stream.blocks:
            found.extend(column.of(block, first, self.stride))
            first = (first - len(block) // size) % self.stride
        return found


def _spread(steps: "array[float]", readings: Sequence[int], times: Sequence[int]) -> "array[float]":
    """Each advance over all the steps since the reading before it."""
    even = array("d", steps)
    for first, last in pairwise(readings):
        rate = sum(steps[first:last]) / max(times[last] - times[first], 1)
        for k in range(first, last):
            even[k] = rate * (times[k + 1] - times[k])
    return even


def _mend(steps: "array[float]", column: Field, times: Sequence[int]) -> None:
    """Tell wraps, which are added up, from resets, of which nothing is known.

    As the measures do: it wrapped if the step modulo its width is at most half of that and at
    most a few times as fast as the counter ever was.
    """
    width = 1 << (column.wrap_bits or 64)
    of_cpu = column.unit in {"ns", "cycles"}
    rates = (
        step / (times[k + 1] - times[k]) for k, step in enumerate(steps) if times[k + 1] > times[k]
    )
    fastest = max(rates, default=0.0)
    for k, step in enumerate(steps):
        if step >= 0 or (of_cpu and -step <= _TAKEN_BACK):
            continue
        around = step + width
        allowed = _FASTEST_WRAP * fastest * (times[k + 1] - times[k])
        steps[k] = around if around <= width // 2 and around <= allowed else math.nan
