# SPDX-License-Identifier: Apache-2.0
"""The delay that a device really applied, as its interrupts show it. Pure.

Between two receive interrupts lie the device's delay and a wait. An absolute timer starts with the
first frame after an interrupt: the interval is the delay, and before it the wait for that frame,
which is at most a mean gap between frames where they come as in a Poisson process, and anything
from nothing to a gap, half of one in the mean, where they come evenly. A throttle counts from the
interrupt itself, and a frame is waiting when it ends: there is no wait while frames are dense. So

    1/I − 1/λ  ≤  delay  ≤  1/I

for I receive interrupts and λ frames per second; the estimate is the middle. Its error is at most
half a gap: relative to the delay, half of one frame among those that share an interrupt.

Each receive queue has a timer of its own, so that this holds for each: with several at work, those
that tell anything are averaged, each as often as it interrupted.

This holds while frames come whatever the host does. It says nothing

- of TCP, requests or files, whose frames wait for the host's answers: the wait is unknown;
- where an interrupt brings a single frame: the delay may be anything below the gap;
- where several interrupt lines are at work and the log has no counters by queue;
- where the processor is saturated: the driver then polls with interrupts masked, and their interval
  is the load's, not the device's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Kinds of workload whose frames come whatever the host does.
OPEN_LOOP_KINDS = frozenset({"udp-fan-in", "pktgen"})

FEWEST_INTERRUPTS = 20
FEWEST_FRAMES_PER_INTERRUPT = 1.5
MOST_BUSY = 0.9  # of one processor, with interrupts and their softirq
LEAST_IDLE = 0.02  # of all processors
AT_WORK = 0.1  # of all receive interrupts: a line with fewer is none of a receive queue at work

_OWNERS = (
    "idle_cycles",
    "task_cycles",
    "other_task_cycles",
    "irq_cycles",
    "softirq_cycles",
    "other_irq_cycles",
)


@dataclass(frozen=True)
class DelayEstimate:
    """A delay in microseconds, and the bounds within which the data leave it."""

    low_us: float
    high_us: float

    @property
    def delay_us(self) -> float:
        """The middle."""
        return (self.low_us + self.high_us) / 2


def effective_delay_us(counters: Mapping[str, float], kind: str) -> float | None:
    """The delay that a window's counters show, None where they cannot tell.

    Args:
        counters: how far each counter advanced, and `elapsed_s`.
        kind: of the workload.
    """
    found = estimate(counters, kind)
    return None if found is None else found.delay_us


def estimate(counters: Mapping[str, float], kind: str) -> DelayEstimate | None:
    """The same with its bounds."""
    elapsed_us = 1e6 * counters.get("elapsed_s", 0.0)
    if kind not in OPEN_LOOP_KINDS or elapsed_us <= 0 or saturated(counters):
        return None
    telling = [queue for queue in _queues(counters) if queue.tells]
    interrupts = sum(queue.interrupts for queue in telling)
    if not telling:
        return None
    # the mean of elapsed/interrupts and elapsed/frames, weighted by interrupts
    interval_us = len(telling) * elapsed_us / interrupts
    gaps = sum(queue.interrupts / queue.frames for queue in telling)
    return DelayEstimate(interval_us - gaps * elapsed_us / interrupts, interval_us)


@dataclass(frozen=True)
class _Queue:
    frames: float
    interrupts: float

    @property
    def tells(self) -> bool:
        """Whether its interrupts show its delay."""
        enough = self.interrupts >= FEWEST_INTERRUPTS
        return enough and self.frames >= FEWEST_FRAMES_PER_INTERRUPT * self.interrupts


def _queues(counters: Mapping[str, float]) -> list[_Queue]:
    """Frames and interrupts of each receive queue; none where they cannot be told apart."""
    raised = counters.get("rx_interrupts", counters.get("rx_line_interrupts", 0.0))
    whole = _Queue(counters.get("rx_packets", 0.0), raised)
    names = [name.removeprefix("rx_interrupts") for name in counters]
    queues = [
        _Queue(counters.get(f"rx_packets{name}", 0.0), counters[f"rx_interrupts{name}"])
        for name in names
        if name.startswith(".q")
    ]
    if queues and sum(queue.frames for queue in queues) == whole.frames:
        return queues
    lines = [value for name, value in counters.items() if name.startswith("interrupts.")]
    at_work = [value for value in lines if value > AT_WORK * whole.interrupts]
    return [whole] if len(at_work) <= 1 else []


def saturated(counters: Mapping[str, float]) -> bool:
    """Whether a processor was so busy receiving that interrupts stayed masked.

    From cycles where the log has them, else from the processor times of the whole system; False
    where there is neither.
    """
    return _idle_share(counters) < LEAST_IDLE or _receiving_share(counters) > MOST_BUSY


def _idle_share(counters: Mapping[str, float]) -> float:
    if all(name in counters for name in _OWNERS):
        whole = sum(counters[name] for name in _OWNERS)
        idle = counters["idle_cycles"]
    else:
        times = {name: value for name, value in counters.items() if _is_processor_time(name)}
        whole = sum(times.values())
        idle = sum(times.get(f"cpu_{name}_ns", 0.0) for name in ("idle", "iowait"))
    return idle / whole if whole > 0 else 1.0


def _receiving_share(counters: Mapping[str, float]) -> float:
    """Of one processor."""
    cycles = counters.get("t_tsc", 0.0)
    if cycles > 0 and "softirq_cycles" in counters:
        return (counters.get("irq_cycles", 0.0) + counters["softirq_cycles"]) / cycles
    times_ns = counters.get("cpu_irq_ns", 0.0) + counters.get("cpu_softirq_ns", 0.0)
    return times_ns / 1e9 / counters["elapsed_s"] if counters.get("elapsed_s") else 0.0


def _is_processor_time(name: str) -> bool:
    return name.startswith("cpu_") and name.endswith("_ns")
