# SPDX-License-Identifier: Apache-2.0
"""What a log shows of its run: how it went over time, what each queue counted, what was said at
the end.

However long the log, the answer is bounded: a series has so many points, each the mean over its
stretch with the least and the most of the steps in it. Times and rates are those that the log
stands for: its own times over its time dilation. Standard library only: the page runs it too.
"""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from . import layout
from .errors import RunLogError
from .frame_bytes import uncounted_bytes
from .header import Field, Json
from .log import Mark, Result, RunLog, Stream, column_of

DEFAULT_POINTS = 400
MOST_POINTS = 2000
MOST_STEPS = 50_000
MOST_COUNTERS = 512
MOST_STATISTICS = 1000
MOST_BUCKETS = 2000
MOST_MARKS = 200

_FASTEST_WRAP = 4.0
_TAKEN_BACK = 1_000_000_000  # ns or cycles: kernels take back a little of a CPU's time
_PERCENT = 100.0
_KEPT = 32  # columns: lines share them

# every nanosecond of the CPUs has one class, or every cycle
_CLASSES_OF_TIME = ("user", "nice", "system", "irq", "softirq", "iowait", "steal", "idle")
_CLASSES_OF_CYCLES = ("task", "other_task", "irq", "softirq", "other_irq", "idle")

_START, _END = "ethtool_statistics_start", "ethtool_statistics_end"


@dataclass(frozen=True, slots=True)
class _Signal:
    """What a line shows: scale × advance of the counters above over that of those below.

    Nothing below: over elapsed seconds. `extra` is added for each advance of `per`: bytes that a
    counter of bytes leaves out of each packet.
    """

    name: str
    group: str
    label: str
    unit: str
    above: tuple[str, ...]
    below: tuple[str, ...] = ()
    scale: float = 1.0
    per: tuple[str, ...] = ()
    extra: float = 0.0


@dataclass(slots=True)
class _Line:
    """A signal's points as they are gathered."""

    signal: _Signal
    mean: list[float | None] = field(default_factory=list)
    least: list[float | None] = field(default_factory=list)
    most: list[float | None] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        signal = self.signal
        return {
            "name": signal.name,
            "group": signal.group,
            "label": signal.label,
            "unit": signal.unit,
            "mean": self.mean,
            "least": self.least,
            "most": self.most,
        }


def contents(log: RunLog, points: int = DEFAULT_POINTS) -> dict[str, object]:
    """The log's series, counters, statistics, results and marks as plain data.

    Args:
        log: as it was read, whole or cut off.
        points: of each series at most; fewer where the log has fewer steps.
    """
    stream = log.streams[0]
    taken = _Taken(stream)
    dilation = log.time_dilation
    start_ns, end_ns = log.window
    origin = taken.times[0] if taken.times else 0

    def seconds(moment: int | None) -> float | None:
        return None if moment is None else (moment - origin) / 1e9 / dilation

    steps = len(taken.times) - 1
    count = max(0, min(points, MOST_POINTS, steps))
    edges = [k * steps // count for k in range(count + 1)] if count else []
    return {
        "complete": log.complete,
        "records": stream.records,
        "time_dilation": dilation,
        "span_s": seconds(taken.times[-1]) if taken.times else None,
        "samples_per_step": taken.stride,
        "edges_s": [seconds(taken.times[k]) for k in edges],
        "window_s": [seconds(start_ns), seconds(end_ns)],
        "marks": [
            {"name": mark.name, "t_s": seconds(mark.t_monotonic_ns)}
            for mark in _first_marks(log.marks)
        ],
        "series": [_line(signal, taken, edges, dilation).to_json() for signal in _signals(stream)],
        "counters": _counters(log, taken),
        "counters_left_out": max(0, len(_names(stream)) - MOST_COUNTERS),
        "statistics": _statistics(log.results),
        "latency": _latency(log.result, dilation),
        "results": [_result(result) for result in log.results],
    }


# --- what is read of a log


class _Taken:
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
        """How far it went in each step; what is read seldom, evenly since it was read before."""
        steps, column = self.advances(name), self.stream.field(name)
        if column is None or not column.read_every_ns:
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
            moved = (k + 1 for k, steps in enumerate(zip(*together, strict=True)) if any(steps))
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
        return array("d", map(sum, zip(*columns, strict=True)))

    def seconds(self) -> "array[float]":
        """How long each step took, by the log's own clock."""
        return array("d", ((b - a) / 1e9 for a, b in pairwise(self.times)))

    def _column(self, name: str) -> "array[int]":
        found, column = array("Q"), self.stream.field(name)
        if column is None:
            return found
        size, first = self.stream.record_bytes, 0
        for block in self.stream.blocks:
            found.extend(column_of(block, column, size, first, self.stride))
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


# --- series


def _line(signal: _Signal, taken: _Taken, edges: Sequence[int], dilation: float) -> _Line:
    above, below, scale = taken.total(signal.above), taken.seconds(), signal.scale
    if signal.per:
        frames = taken.total(signal.per)
        above = array("d", (a + signal.extra * b for a, b in zip(above, frames, strict=True)))
    if signal.below:
        below = taken.total(signal.below)
    else:
        scale *= dilation
    line = _Line(signal)
    for first, last in pairwise(edges):
        whole, total = sum(below[first:last]), sum(above[first:last])
        mean = scale * total / whole if whole > 0 else math.nan
        parts = [
            scale * a / b
            for a, b in zip(above[first:last], below[first:last], strict=True)
            if b > 0 and not math.isnan(a)
        ]
        line.mean.append(None if math.isnan(mean) else mean)
        line.least.append(min(parts, default=None))
        line.most.append(max(parts, default=None))
    return line


def _signals(stream: Stream) -> Iterator[_Signal]:
    """The lines that the log has counters for."""
    instances = _instances(stream)

    def has(*names: str) -> bool:
        return all(name in instances for name in names)

    for direction, name, label in (
        ("rx", "throughput_mbps", "Receive throughput"),
        ("tx", "tx_throughput_mbps", "Send throughput"),
    ):
        octets, packets = f"{direction}_bytes", f"{direction}_packets"
        outside = _uncounted(stream, instances.get(octets, ()))
        if outside is not None and (has(packets) or not outside):
            per = tuple(instances[packets]) if outside else ()
            above = tuple(instances[octets])
            yield _Signal(name, "throughput", label, "Mb/s", above, (), 8e-6, per, outside)
    for direction, name, label in (
        ("rx", "packet_rate_hz", "Received packets"),
        ("tx", "tx_packet_rate_hz", "Sent packets"),
    ):
        packets = f"{direction}_packets"
        if has(packets):
            yield _Signal(name, "packets", label, "packets/s", tuple(instances[packets]))
    for kind, of in (("", "interrupt"), ("line_", "interrupt on its lines")):
        counter = f"rx_{kind}interrupts"
        if not has(counter):
            continue
        raised = tuple(instances[counter])
        rate, ratio = f"rx_{kind}interrupt_rate_hz", f"packets_per_{kind}interrupt"
        label = f"Receive {of}".replace("interrupt", "interrupts")
        yield _Signal(rate, "interrupts", label, "interrupts/s", raised)
        if has("rx_packets"):
            above = tuple(instances["rx_packets"])
            yield _Signal(ratio, "ratio", f"Packets per {of}", "packets", above, raised)
    yield from _cpu_signals(instances)


def _cpu_signals(instances: Mapping[str, Sequence[str]]) -> Iterator[_Signal]:
    """The CPU's time by class: cycles, where each has one owner, else the kernel's own times."""
    cycles = {name: f"{name}_cycles" for name in _CLASSES_OF_CYCLES}
    times = {name: f"cpu_{name}_ns" for name in _CLASSES_OF_TIME}
    for classes in (cycles, times):
        known = {name: tuple(instances[c]) for name, c in classes.items() if c in instances}
        if "idle" not in known or len(known) < 3:
            continue
        every = tuple(name for names in known.values() for name in names)
        for name, counted in known.items():
            yield _Signal(
                f"cpu_{name}_percent",
                "cpu",
                name.replace("_", " "),
                "%",
                counted,
                every,
                _PERCENT,
            )
        return


def _names(stream: Stream) -> list[str]:
    return [column.name for column in stream.fields if column.kind == "counter"]


def _instances(stream: Stream) -> dict[str, list[str]]:
    """Counters by plain name; those of single queues (name.instance) where there is no total."""
    names = _names(stream)
    found = {name: [name] for name in names if "." not in name}
    whole = set(found)
    for name in names:
        stem, dot, _ = name.partition(".")
        if dot and stem not in whole:
            found.setdefault(stem, []).append(name)
    return found


def _uncounted(stream: Stream, names: Sequence[str]) -> int | None:
    """Bytes per frame at link level that the counters leave out; None if the log does not say."""
    return uncounted_bytes(column for name in names if (column := stream.field(name)) is not None)


# --- counters over the window


def _counters(log: RunLog, taken: _Taken) -> list[dict[str, object]]:
    """Each counter over the window: totals, and those of single queues beside them."""
    stream, times = log.streams[0], taken.times
    (start_ns, end_ns), behind = log.window, log.behind
    inside = [
        k
        for k, moment in enumerate(times)
        if (start_ns is None or moment >= start_ns) and (end_ns is None or moment <= end_ns)
    ]
    if len(inside) < 2:
        return []
    first, last = inside[0], inside[-1]
    return [
        _counter(stream.field(name), name, None if name in behind else taken, first, last)
        for name in _names(stream)[:MOST_COUNTERS]
    ]


def _counter(
    column: Field | None, name: str, taken: _Taken | None, first: int, last: int
) -> dict[str, object]:
    advance = sum(taken.advances(name)[first:last]) if taken is not None else math.nan
    stem, _, instance = name.partition(".")
    return {
        "name": stem,
        "instance": instance or None,
        "unit": column.unit if column else "1",
        "source": column.source if column else "",
        "advance": None if math.isnan(advance) else int(advance),
    }


# --- what was said at start and end


def _statistics(results: Sequence[Result]) -> dict[str, object] | None:
    """`ethtool -S` and netdev's qstats at start and end: what changed, and how many did not."""
    start, end = (_numbers(_named(results, name)) for name in (_START, _END))
    if start is None and end is None:
        return None
    if start is None or end is None:
        return {
            "missing": _START if start is None else _END,
            "changed": [],
            "left_out": 0,
            "unchanged": 0,
        }
    names = [*start, *(name for name in end if name not in start)]
    changed = [name for name in names if start.get(name) != end.get(name)]
    return {
        "missing": None,
        "changed": [
            {
                "name": name[:200],
                "start": start.get(name),
                "end": end.get(name),
                "difference": end[name] - start[name] if name in start and name in end else None,
            }
            for name in changed[:MOST_STATISTICS]
        ],
        "left_out": max(0, len(changed) - MOST_STATISTICS),
        "unchanged": len(names) - len(changed),
    }


def _named(results: Sequence[Result], name: str) -> Result | None:
    return next((result for result in results if result.name == name), None)


def _numbers(result: Result | None) -> dict[str, int] | None:
    document = _document(result)
    if document is None:
        return None
    return {n: v for n, v in document.items() if isinstance(v, int) and not isinstance(v, bool)}


def _document(result: Result | None) -> Json | None:
    """The result's JSON object; None where there is none that can be read."""
    if result is None or result.media_type.partition(";")[0].strip() != "application/json":
        return None
    try:
        document = result.json()
    except RunLogError:
        return None
    return document if isinstance(document, dict) else None


def _latency(result: Result | None, dilation: float) -> dict[str, object] | None:
    """The workload's own latencies and their histogram, in µs of the time stood for."""
    document = _document(result)
    latencies = document.get("latency_us") if document else None
    if document is None or not isinstance(latencies, dict):
        return None
    scale = 1e-3 / dilation
    return {
        "latency_us": {
            str(name): float(value) / dilation
            for name, value in latencies.items()
            if isinstance(value, int | float)
        },
        "histogram": _histogram(document.get("histogram"), scale),
    }


def _histogram(found: object, scale: float) -> dict[str, object] | None:
    if not isinstance(found, dict):
        return None
    columns = [found.get(name) for name in ("lower_ns", "upper_ns", "counts")]
    lower, upper, counts = (
        [v for v in column if isinstance(v, int | float)] if isinstance(column, list) else []
        for column in columns
    )
    if not counts or not len(lower) == len(upper) == len(counts):
        return None
    together = -(-len(counts) // MOST_BUCKETS)
    starts = range(0, len(counts), together)
    return {
        "lower_us": [scale * lower[k] for k in starts],
        "upper_us": [scale * upper[min(k + together, len(upper)) - 1] for k in starts],
        "counts": [sum(counts[k : k + together]) for k in starts],
    }


def _result(result: Result) -> dict[str, object]:
    status = result.metadata.get("exit_status")
    return {
        "name": result.name,
        "media_type": result.media_type,
        "bytes": len(result.body),
        "exit_status": status if isinstance(status, int) else None,
    }


def _first_marks(marks: Sequence[Mark]) -> Sequence[Mark]:
    return marks[:MOST_MARKS]
