# SPDX-License-Identifier: Apache-2.0
"""Whose the CPU time was: the interface's, the workload's, that of others. Pure."""

from __future__ import annotations

from collections.abc import Mapping

JIFFIES_PER_S = 100.0  # of the 2005 study

_IDLE = "idle"
# every moment of every CPU belongs to one of these; logs that tell the command's own tasks apart,
# or that missed switches, have further ones
_OWNERS = (_IDLE, "task", "other_task", "irq", "softirq", "other_irq")
_FURTHER = ("workload", "unknown")
_CLOCK = "t_tsc"
_BUSY_NS = ("cpu_user_ns", "cpu_nice_ns", "cpu_system_ns", "cpu_irq_ns", "cpu_softirq_ns")
_TASKS_NS = ("cpu_user_ns", "cpu_nice_ns", "cpu_system_ns")
_OTHERS_LEAST_S = 0.1  # less is not told from the kernel's ticks
# what one run of a probe costs, by the counters that say how often it ran
_PROBES = (
    ("irq_ns", ("interrupts",)),
    ("poll_ns", ("polls",)),
    ("schedule_ns", ("schedules",)),
    ("frame_ns", ("rx_skbs", "tx_skbs")),
)
_FRAMES = ("rx_packets", "tx_packets")


def cpu_times(
    counts: Mapping[str, float], elapsed_s: float, *, own_namespace: bool, irq_time_apart: bool
) -> dict[str, float]:
    """CPU seconds of interface, workload, traffic and host, and the share of others in percent.

    `own_namespace`: the interface is known to be in a network namespace of its own, so that the
    tasks in it are the workload. `irq_time_apart`: the kernel is known to account interrupts apart
    from tasks; else CPU time as it accounts it to tasks (`workload_cpu_ns`) holds the interrupts
    that came while they ran, and is not added to the interface's. What is not known is absent.
    """
    owned = owned_times(counts, elapsed_s)
    found: dict[str, float] = {}
    if "irq" in owned and "softirq" in owned and not received_elsewhere(counts):
        found["interface_cpu_s"] = owned["irq"] + owned["softirq"]
    accounted_s = 1e-9 * counts["workload_cpu_ns"] if "workload_cpu_ns" in counts else None
    workload_s = owned.get("workload", accounted_s if irq_time_apart else None)
    if workload_s is None and own_namespace:
        workload_s = owned.get("task")
    if workload_s is not None:
        found["workload_cpu_s"] = workload_s
        if "interface_cpu_s" in found:
            found["traffic_cpu_s"] = found["interface_cpu_s"] + workload_s
    elif accounted_s is not None:
        found["workload_cpu_s"] = accounted_s
    host_s = _host_s(counts, owned)
    if host_s is not None:
        found["host_cpu_s"] = host_s
    others_s = _others_s(owned, accounted_s if irq_time_apart else None, own=own_namespace)
    if others_s is not None and elapsed_s > 0.0:
        found["other_cpu_percent"] = 100.0 * others_s / elapsed_s
    return found


def others_at_least_s(counts: Mapping[str, float]) -> float | None:
    """CPU seconds that tasks beside the workload took, at least; None where nothing tells it.

    Interrupts are not among the host's user and system time, but they may be among the workload's.
    The logger says by the same bound that others were at work (driver/logger/verdict.c).
    """
    if not {"cpu_user_ns", "cpu_system_ns", "workload_cpu_ns"} <= counts.keys():
        return None
    tasks_ns = sum(counts.get(name, 0) for name in _TASKS_NS)
    others_s = 1e-9 * (tasks_ns - counts["workload_cpu_ns"])
    return others_s if others_s >= _OTHERS_LEAST_S else 0.0


def received_elsewhere(counts: Mapping[str, float]) -> bool:
    """Whether frames came though no poll of the interface was seen.

    A device without a NAPI of its own, such as a veth that does not merge segments, is served by
    the backlog of the CPU, which serves other devices too: what its receiving cost is not known.
    """
    return counts.get("polls") == 0 and counts.get("rx_packets", 0) > 0


def cycles_of_owners(counts: Mapping[str, float]) -> float | None:
    """Cycles of all owners together; None unless every moment of every CPU has one."""
    names = [f"{owner}_cycles" for owner in _OWNERS]
    if not all(name in counts for name in names):
        return None
    return sum(counts.get(f"{owner}_cycles", 0) for owner in (*_OWNERS, *_FURTHER))


def owned_times(counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """CPU seconds by owner, as far as they were counted.

    Cycles are turned into seconds by the rate at which the time stamp counter ran in the window
    of `elapsed_s`; sources that count nanoseconds say them directly.
    """
    clock = counts.get(_CLOCK, 0)
    if clock > 0 and any(f"{owner}_cycles" in counts for owner in _OWNERS):
        return _scaled(counts, "cycles", elapsed_s / clock)
    return _scaled(counts, "ns", 1e-9)


def probe_cpu_s(counts: Mapping[str, float], cost: Mapping[str, object]) -> float | None:
    """What counting cost in the window: how often each probe ran, times what one run costs.

    None unless the log says what a run costs and how often each of those probes ran.
    """
    known = {
        name: float(cost_ns)
        for name, cost_ns in cost.items()
        if isinstance(cost_ns, (int, float)) and not isinstance(cost_ns, bool) and cost_ns >= 0
    }
    total_ns, seen = 0.0, False
    for name, counters in _PROBES:
        if name not in known:
            continue
        if name == "frame_ns" and not all(counter in counts for counter in counters):
            counters = _FRAMES  # noqa: PLW2901  a source that sees each frame alone
        if not all(counter in counts for counter in counters):
            return None
        total_ns += known[name] * sum(counts[counter] for counter in counters)
        seen = True
    return 1e-9 * total_ns if seen else None


def _others_s(owned: Mapping[str, float], accounted_s: float | None, *, own: bool) -> float | None:
    """Of tasks that are not the workload's; of time without a known owner, nobody knows whose."""
    if {"task", "other_task"} <= owned.keys():
        tasks_s = owned["task"] + owned["other_task"]
        if "workload" in owned:
            return tasks_s
        if accounted_s is not None:
            return max(tasks_s - accounted_s, 0.0)
    return owned.get("other_task") if own else None


def _scaled(counts: Mapping[str, float], unit: str, scale: float) -> dict[str, float]:
    owners = (*_OWNERS, *_FURTHER)
    return {o: scale * counts[f"{o}_{unit}"] for o in owners if f"{o}_{unit}" in counts}


def _host_s(counts: Mapping[str, float], owned: Mapping[str, float]) -> float | None:
    """All that was not idle: by owner where every moment has one, else by the kernel's ticks."""
    if all(owner in owned for owner in _OWNERS):
        return sum(owned.values()) - owned[_IDLE]
    busy = [name for name in _BUSY_NS if name in counts]
    if {"cpu_user_ns", "cpu_system_ns"} <= set(busy):
        return 1e-9 * sum(counts[name] for name in busy)
    return None
