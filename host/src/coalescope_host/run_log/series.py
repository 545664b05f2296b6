# SPDX-License-Identifier: Apache-2.0
"""What a log has counters for, over time."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from coalescope_host.newer_python import pairwise, zip_strict

from .frame_bytes import uncounted_bytes
from .log import Stream
from .steps import Steps

_PERCENT = 100.0

# every nanosecond of the CPUs has one class, or every cycle
_CLASSES_OF_TIME = ("user", "nice", "system", "irq", "softirq", "iowait", "steal", "idle")
_CLASSES_OF_CYCLES = ("task", "other_task", "irq", "softirq", "other_irq", "idle")


@dataclass(frozen=True)
class Signal:
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


@dataclass
class Line:
    """A signal's points as they are gathered."""

    signal: Signal
    mean: list[float | None] = field(default_factory=list)
    least: list[float | None] = field(default_factory=list)
    most: list[float | None] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """The line as plain data."""
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


# --- series


def line_of(signal: Signal, taken: Steps, edges: Sequence[int], dilation: float) -> Line:
    """A signal over time: for each stretch between two edges its mean, least and most."""
    above, below, scale = taken.total(signal.above), taken.seconds(), signal.scale
    if signal.per:
        frames = taken.total(signal.per)
        above = array("d", (a + signal.extra * b for a, b in zip_strict(above, frames)))
    if signal.below:
        below = taken.total(signal.below)
    else:
        scale *= dilation
    line = Line(signal)
    for first, last in pairwise(edges):
        whole, total = sum(below[first:last]), sum(above[first:last])
        mean = scale * total / whole if whole > 0 else math.nan
        parts = [
            scale * a / b
            for a, b in zip_strict(above[first:last], below[first:last])
            if b > 0 and not math.isnan(a)
        ]
        line.mean.append(None if math.isnan(mean) else mean)
        line.least.append(min(parts, default=None))
        line.most.append(max(parts, default=None))
    return line


def signals_of(stream: Stream) -> Iterator[Signal]:
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
            yield Signal(name, "throughput", label, "Mb/s", above, (), 8e-6, per, outside)
    for direction, name, label in (
        ("rx", "packet_rate_hz", "Received packets"),
        ("tx", "tx_packet_rate_hz", "Sent packets"),
    ):
        packets = f"{direction}_packets"
        if has(packets):
            yield Signal(name, "packets", label, "packets/s", tuple(instances[packets]))
    for kind, of in (("", "interrupt"), ("line_", "interrupt on its lines")):
        counter = f"rx_{kind}interrupts"
        if not has(counter):
            continue
        raised = tuple(instances[counter])
        rate, ratio = f"rx_{kind}interrupt_rate_hz", f"packets_per_{kind}interrupt"
        label = f"Receive {of}".replace("interrupt", "interrupts")
        yield Signal(rate, "interrupts", label, "interrupts/s", raised)
        if has("rx_packets"):
            above = tuple(instances["rx_packets"])
            yield Signal(ratio, "ratio", f"Packets per {of}", "packets", above, raised)
    yield from _cpu_signals(instances)


def _cpu_signals(instances: Mapping[str, Sequence[str]]) -> Iterator[Signal]:
    """The CPU's time by class: cycles, where each has one owner, else the kernel's own times."""
    cycles = {name: f"{name}_cycles" for name in _CLASSES_OF_CYCLES}
    times = {name: f"cpu_{name}_ns" for name in _CLASSES_OF_TIME}
    for classes in (cycles, times):
        known = {name: tuple(instances[c]) for name, c in classes.items() if c in instances}
        if "idle" not in known or len(known) < 3:
            continue
        every = tuple(name for names in known.values() for name in names)
        for name, counted in known.items():
            yield Signal(
                f"cpu_{name}_percent",
                "cpu",
                name.replace("_", " "),
                "%",
                counted,
                every,
                _PERCENT,
            )
        return


def counter_names(stream: Stream) -> list[str]:
    """The counters of a stream, in its order."""
    return [column.name for column in stream.fields if column.kind == "counter"]


def _instances(stream: Stream) -> dict[str, list[str]]:
    """Counters by plain name; those of single queues (name.instance) where there is no total."""
    names = counter_names(stream)
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
