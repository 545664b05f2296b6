# SPDX-License-Identifier: Apache-2.0
"""What receiving alone cost, from counters that give every cycle one owner."""

from collections.abc import Mapping

# tasks of the interface's namespace, its hard interrupts, its network softirq or NAPI thread
_OWNERS = ("task", "irq", "softirq")
_CLOCK = "t_tsc"


def receiver_cpu_s(counts: Mapping[str, int], elapsed_s: float) -> float | None:
    """CPU seconds, in the log's own time; None where one of the parts was not counted.

    Cycles are turned into seconds by the rate at which the time stamp counter ran in the window
    of `elapsed_s`; sources that count nanoseconds say them directly.
    """
    cycles, clock = [f"{owner}_cycles" for owner in _OWNERS], counts.get(_CLOCK, 0)
    if clock > 0 and all(name in counts for name in cycles):
        return sum(counts[name] for name in cycles) * elapsed_s / clock
    times = [f"{owner}_ns" for owner in _OWNERS]
    if all(name in counts for name in times):
        return 1e-9 * sum(counts[name] for name in times)
    return None
