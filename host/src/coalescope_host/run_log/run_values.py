# SPDX-License-Identifier: Apache-2.0
"""The main measures of one run, under the glossary's names: enough for the table at the end.

The store computes all of them, with resets within the window in mind. What a log does not count is
absent here as there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .cpu_time import cpu_times, others_at_least_s, owned_times, probe_cpu_s
from .errors import RunLogError
from .frame_bytes import uncounted_bytes
from .header import Field
from .interrupts import NOT_SEEN, unseen_interrupts
from .latencies import latencies_of
from .log import RunLog
from .loss_places import losses
from .window_counters import window_counters

_SYSTEM_NS = ("cpu_system_ns", "cpu_irq_ns", "cpu_softirq_ns")
_NEEDED_NS = {"cpu_user_ns", "cpu_system_ns", "cpu_idle_ns"}
_PACKETS = ("rx_packets", "tx_packets")
_QUANTILES = ("p50", "p99", "p999")
# sums of interrupt lines had the name of receive interrupts before they had one of their own
_LINES = "proc_interrupts"


def run_values(log: RunLog) -> dict[str, float]:
    """Measures by name, in the time that the log stands for; none where its window is empty."""
    counters = window_counters(log)
    if not counters:
        return {}
    elapsed_s = counters["elapsed_s"]
    counts = _plain(log.fields, counters)
    values = {
        "elapsed_s": elapsed_s,
        **{name: counts[name] for name in _PACKETS if name in counts},
        **_traffic(log, counts, elapsed_s),
        **_interrupts(log, counts, elapsed_s),
        **_processors(log, counts, elapsed_s),
        **_for_each_gb(log, counts, elapsed_s),
        **losses(counts),
    }
    dilation = log.time_dilation
    rates = {name for name in values if name.endswith(("_mbps", "_hz"))}
    slower = {name: value * dilation for name, value in values.items() if name in rates}
    slower["elapsed_s"] = elapsed_s / dilation
    return {**values, **slower, **_latencies(log, dilation)}


def tasks_percent(log: RunLog) -> float | None:
    """CPU time of all tasks of the host, in percent of one CPU; None where it was not counted."""
    counters = window_counters(log)
    if not counters:
        return None
    elapsed_s = counters["elapsed_s"]
    owned = owned_times(_plain(log.fields, counters), elapsed_s)
    if not {"task", "other_task"} <= owned.keys():
        return None
    return 100 * (owned["task"] + owned["other_task"] + owned.get("workload", 0.0)) / elapsed_s


def window_counts(log: RunLog) -> dict[str, float]:
    """How far counters advanced in the window, by plain name, and `elapsed_s`; empty without one.

    Those of single queues are summed where there is no other.
    """
    counters = window_counters(log)
    return {**_plain(log.fields, counters), "elapsed_s": counters["elapsed_s"]} if counters else {}


def others_at_least_percent(counts: Mapping[str, float]) -> float | None:
    """What tasks beside the workload took, at least, in percent of one CPU; of `window_counts`."""
    others_s, elapsed_s = others_at_least_s(counts), counts.get("elapsed_s", 0.0)
    return None if others_s is None or elapsed_s <= 0.0 else 100 * others_s / elapsed_s


def _plain(fields: Sequence[Field], counters: Mapping[str, float]) -> dict[str, float]:
    """Counters by plain name; those of single queues are summed where there is no other."""
    names = [field.name for field in fields if field.name in counters]
    found = {name: counters[name] for name in names if "." not in name}
    for name in names:
        stem, dot, _ = name.partition(".")
        if dot and stem not in names:
            found[stem] = found.get(stem, 0.0) + counters[name]
    if any(field.name == "rx_interrupts" and field.source == _LINES for field in fields):
        found["rx_line_interrupts"] = found.pop("rx_interrupts")
    return found


def _traffic(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    counting = [f for f in log.fields if f.name.partition(".")[0] == "rx_bytes"]
    outside = uncounted_bytes(counting)
    if outside is None or "rx_bytes" not in counts or "rx_packets" not in counts:
        return {}
    octets = counts["rx_bytes"] + outside * counts["rx_packets"]
    return {"throughput_mbps": 8e-6 * octets / elapsed_s}


def _interrupts(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """Interrupts that brought frames where the kernel was watched, and those of the lines."""
    unseen = [problem.code for problem in unseen_interrupts(log.fields, counts, {})]
    found = {
        f"{name.removesuffix('s')}_rate_hz": counts[name] / elapsed_s
        for name in ("rx_interrupts", "rx_line_interrupts")
        if name in counts and (name != "rx_interrupts" or NOT_SEEN not in unseen)
    }
    if counts.get("polls"):
        found["poll_rate_hz"] = counts["polls"] / elapsed_s
    return found


def _processors(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """Percent of one CPU; seconds of the interface, and of counting, which is part of them."""
    spent = _cpu_s(log, counts, elapsed_s)
    found = {f"{who}_cpu_percent": 100 * cpu_s / elapsed_s for who, cpu_s in spent.items()}
    times = _cpu_times(log, counts, elapsed_s)
    if "other_cpu_percent" in times:
        found["other_cpu_percent"] = times["other_cpu_percent"]
    cost = _environment(log).get("probe_cost")
    probe_s = probe_cpu_s(counts, cost) if isinstance(cost, dict) else None
    if probe_s is not None:
        found["probe_cpu_s"] = probe_s / log.time_dilation
    if "interface_cpu_s" in times:
        found["interface_cpu_s"] = times["interface_cpu_s"] / log.time_dilation
    return found


def _for_each_gb(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """CPU time and energy for 10⁹ bytes received."""
    octets = counts.get("rx_bytes", 0.0)
    if not octets > 0:
        return {}
    scale = 1e9 / octets
    spent = _cpu_s(log, counts, elapsed_s)
    found = {
        f"{who}_cpu_s_per_gb": scale * spent[who] / log.time_dilation
        for who in ("traffic", "interface", "system")
        if who in spent
    }
    if "package_energy_uj" in counts:
        found["energy_j_per_gb"] = scale * 1e-6 * counts["package_energy_uj"]
    return found


def _cpu_s(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """CPU seconds by whom they were spent, in the log's own time."""
    times = _cpu_times(log, counts, elapsed_s)
    parties = ("traffic", "interface", "workload", "host")
    found = {who: times[f"{who}_cpu_s"] for who in parties if f"{who}_cpu_s" in times}
    if counts.keys() >= _NEEDED_NS:
        found["system"] = 1e-9 * sum(counts.get(name, 0.0) for name in _SYSTEM_NS)
    return found


def _cpu_times(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    known = _environment(log)
    return cpu_times(
        counts,
        elapsed_s,
        own_namespace=known.get("network_namespace") == "other",
        irq_time_apart=known.get("irq_time_accounting") is True,
    )


def _environment(log: RunLog) -> Mapping[str, object]:
    environment = log.header.get("environment")
    return environment if isinstance(environment, dict) else {}


def _latencies(log: RunLog, dilation: float) -> dict[str, float]:
    """What the workload said of latency."""
    if log.result is None or "json" not in log.result.media_type:
        return {}
    try:
        document = log.result.json()
    except RunLogError:
        return {}
    if not isinstance(document, dict):
        return {}
    said, (start, stop) = latencies_of(document), log.window
    if said is None or start is None or stop is None:
        return {}
    within = said.between(start, stop)
    return {f"latency_{n}_us": within[n] / dilation for n in _QUANTILES if n in within}
