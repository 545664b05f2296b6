# SPDX-License-Identifier: Apache-2.0
"""The main measures of one run, under the glossary's names: enough for the table at the end.

The store computes all of them, with resets within the window in mind. What a log does not count is
absent here as there.
"""

from collections.abc import Mapping, Sequence

from coalescope_host.run_log import Field, RunLog, RunLogError

from .window_counters import window_counters

_LINK_BYTES = 18
_PART_BYTES = {"link_header": 14, "fcs": 4, "preamble_and_gap": 20}
_HOST_NS = tuple(f"cpu_{name}_ns" for name in ("user", "nice", "system", "irq", "softirq"))
_OWNERS = ("idle", "task", "other_task", "irq", "softirq", "other_irq")
_SYSTEM_NS = ("cpu_system_ns", "cpu_irq_ns", "cpu_softirq_ns")
_NEEDED_NS = {"cpu_user_ns", "cpu_system_ns", "cpu_idle_ns"}
_NEARLY_WHOLE = 0.95
# sums of interrupt lines had the name of receive interrupts before they had one of their own
_LINES = "proc_interrupts"

#: Losses: a measure and the counters that it is the sum of; those that a log lacks are left out.
_LOSSES: Mapping[str, Sequence[str]] = {
    "socket_drops": ("udp_rcvbuf_errors", "tcp_rcv_queue_drops"),
    "backlog_drops": ("backlog_drops",),
    "ring_drops": ("rx_missed_errors", "rx_fifo_errors"),
    "interface_drops": ("rx_dropped",),
    "retransmitted_segments": ("tcp_retransmitted_segments",),
}


def run_values(log: RunLog) -> dict[str, float]:
    """Measures by name, in the time that the log stands for; none where its window is empty."""
    counters = window_counters(log)
    if not counters:
        return {}
    elapsed_s = counters["elapsed_s"]
    counts = _plain(log.fields, counters)
    values = {
        "elapsed_s": elapsed_s,
        **_traffic(log, counts, elapsed_s),
        **_interrupts(log, counts, elapsed_s),
        **_processors(counts, elapsed_s),
        **_losses(counts),
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
    owned = _owned_s(_plain(log.fields, counters), elapsed_s)
    if not {"task", "other_task"} <= owned.keys():
        return None
    return 100 * (owned["task"] + owned["other_task"] + owned.get("workload", 0.0)) / elapsed_s


def _plain(fields: Sequence[Field], counters: Mapping[str, float]) -> dict[str, float]:
    """Counters by plain name; those of single queues are summed where there is no other."""
    names = [field.name for field in fields if field.name in counters]
    found = {name: counters[name] for name in names if "." not in name}
    for name in names:
        stem, dot, _ = name.partition(".")
        if dot and stem not in names:
            found[stem] = found.get(stem, 0.0) + counters[name]
    return found


def _traffic(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    outside = _bytes_left_out(log.fields)
    if outside is None or "rx_bytes" not in counts or "rx_packets" not in counts:
        return {}
    octets = counts["rx_bytes"] + outside * counts["rx_packets"]
    return {"throughput_mbps": 8e-6 * octets / elapsed_s}


def _bytes_left_out(fields: Sequence[Field]) -> int | None:
    """Bytes of a frame that rx_bytes does not count; None if the log does not say."""
    counting = {f.bytes_include for f in fields if f.name.partition(".")[0] == "rx_bytes"}
    parts = counting.pop() if len(counting) == 1 else None
    return None if parts is None else _LINK_BYTES - sum(_PART_BYTES[part] for part in parts)


def _interrupts(log: RunLog, counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """Interrupts that brought frames where the kernel was watched, else those of the lines."""
    found = {}
    for name in ("rx_interrupts", "rx_line_interrupts"):
        if name not in counts:
            continue
        of_lines = any(field.source == _LINES for field in log.fields if field.name == name)
        stem = "rx_line_interrupt" if of_lines else name.removesuffix("s")
        found[f"{stem}_rate_hz"] = counts[name] / elapsed_s
    if counts.get("polls"):
        found["poll_rate_hz"] = counts["polls"] / elapsed_s
    return found


def _processors(counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    """Percent of one CPU: by owner where every moment has one, else by the kernel's ticks."""
    owned = _owned_s(counts, elapsed_s)
    found = {}
    elsewhere = counts.get("polls") == 0 and counts.get("rx_packets", 0) > 0  # in the backlog
    if "irq" in owned and "softirq" in owned and not elsewhere:
        found["interface_cpu_percent"] = owned["irq"] + owned["softirq"]
    if "workload" in owned:
        found["workload_cpu_percent"] = owned["workload"]
    elif "workload_cpu_ns" in counts:
        found["workload_cpu_percent"] = 1e-9 * counts["workload_cpu_ns"]
    if counts.keys() >= _NEEDED_NS:
        found["system_cpu_percent"] = 1e-9 * sum(counts.get(name, 0.0) for name in _SYSTEM_NS)
    if all(owner in owned for owner in _OWNERS):
        found["host_cpu_percent"] = sum(owned.values()) - owned["idle"]
    elif counts.keys() >= _NEEDED_NS:
        found["host_cpu_percent"] = 1e-9 * sum(counts.get(name, 0.0) for name in _HOST_NS)
    return {name: 100 * seconds / elapsed_s for name, seconds in found.items()}


def _owned_s(counts: Mapping[str, float], elapsed_s: float) -> dict[str, float]:
    clock = counts.get("t_tsc", 0.0)
    cycles = clock > 0 and any(f"{owner}_cycles" in counts for owner in _OWNERS)
    unit, scale = ("cycles", elapsed_s / clock) if cycles else ("ns", 1e-9)
    every = (*_OWNERS, "workload", "unknown")
    return {o: scale * counts[f"{o}_{unit}"] for o in every if f"{o}_{unit}" in counts}


def _losses(counts: Mapping[str, float]) -> dict[str, float]:
    found = {}
    for measure, parts in _LOSSES.items():
        known = [counts[part] for part in parts if part in counts]
        if known:
            found[measure] = sum(known)
    return found


def _latencies(log: RunLog, dilation: float) -> dict[str, float]:
    """What the workload said of latency and of datagrams that were lost."""
    if log.result is None or "json" not in log.result.media_type:
        return {}
    try:
        document = log.result.json()
    except RunLogError:
        return {}
    if not isinstance(document, dict):
        return {}
    found = {}
    latencies = document.get("latency_us")
    if not isinstance(latencies, dict) or not _of_the_window(document, log):
        latencies = {}
    for name in ("p50", "p99"):
        value = latencies.get(name)
        if isinstance(value, int | float):
            found[f"latency_{name}_us"] = value / dilation
    lost = _datagram_loss_percent(document)
    return found if lost is None else {**found, "datagram_loss_percent": lost}


def _of_the_window(document: Mapping[str, object], log: RunLog) -> bool:
    """Whether the window holds nearly all of the workload, so that its percentiles are of both."""
    begin, end = (document.get(f"t_{name}_monotonic_ns") for name in ("start", "end"))
    start, stop = log.window
    if not isinstance(begin, int) or not isinstance(end, int) or start is None or stop is None:
        return False
    return min(end, stop) - max(begin, start) >= _NEARLY_WHOLE * (end - begin)


def _datagram_loss_percent(document: Mapping[str, object]) -> float | None:
    """As iperf3 counts it: of the datagrams that the receiver knows were sent."""
    end = document.get("end")
    received = end.get("sum_received", end.get("sum")) if isinstance(end, dict) else None
    if not isinstance(received, dict):
        return None
    lost, packets = received.get("lost_packets"), received.get("packets")
    if not isinstance(lost, int) or not isinstance(packets, int) or packets <= 0:
        return None
    return 100 * lost / packets
