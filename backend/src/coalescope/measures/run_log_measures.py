# SPDX-License-Identifier: Apache-2.0
"""The measures of one run from its log, over the marked window.

What a log does not count is absent, never zero. The window is the span between its first and last
record, so counters and elapsed time belong to the same instants.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from coalescope_host.run_log import (
    JIFFIES_PER_S,
    NOT_SEEN,
    PART_BYTES,
    Field,
    Payloads,
    RunLog,
    cpu_times,
    cross_checks,
    losses,
    others_at_least_s,
    probe_cpu_s,
    received_elsewhere,
    uncounted_bytes,
    unseen_interrupts,
)

from coalescope.errors import CoalescopeError
from coalescope.measures.audits import audit_log
from coalescope.measures.counters import (
    Advances,
    Window,
    advances,
    first_advance,
    whole_advance,
    window_records,
)
from coalescope.measures.derived import derive
from coalescope.measures.in_window import Carried, workload_measures
from coalescope.measures.plausibility import as_warnings
from coalescope.measures.snapshot_flags import flagged, unstable_clock
from coalescope.measures.workload_result import Reported, reported
from coalescope.runs.records import RunWarning

_COUNTED = (
    *("rx_bytes", "rx_packets", "tx_bytes", "tx_packets"),
    *("rx_interrupts", "rx_line_interrupts"),
)
# sums of interrupt lines had the name of receive interrupts before they had one of their own
_LINES = "proc_interrupts"
# system time with the interrupts, whichever of these the source tells apart
_SYSTEM_NS = ("cpu_system_ns", "cpu_irq_ns", "cpu_softirq_ns")
_OTHER_NS = ("cpu_user_ns", "cpu_nice_ns", "cpu_idle_ns", "cpu_iowait_ns", "cpu_steal_ns")
_ALL_NS = (*_SYSTEM_NS, *_OTHER_NS)
_FOR_A_SHARE = {"cpu_idle_ns", "cpu_system_ns", "cpu_user_ns"}
# time in the receive interrupt and in the soft interrupt that it raises
_CYCLES = ("irq_cycles", "softirq_cycles")
_JIFFIES = ("traffic", "interface", "workload")
_SHORT_BYTES = 1 << 18
_BEGUN = 0.25  # of the mean advance: more than what a client says before it sends


@dataclass(frozen=True)
class RunMeasures:
    """Values by measure, with warnings about them.

    `others_at_least_percent`: what tasks beside the workload took of a CPU, by the least bound.
    """

    values: Mapping[str, float]
    warnings: Sequence[RunWarning]
    window: Window
    others_at_least_percent: float | None = None


def measure_run(log: RunLog) -> RunMeasures:
    """All measures that the log supports. Errors: 422 if its window holds fewer than two records.

    Units as in the glossary; times are those that the log stands for: its own over its time
    dilation, rates accordingly. `throughput_mbps` counts whole frames with check sequence: bytes
    that the counter leaves out, or counts too many of (preamble and gap), are corrected per packet.
    """
    log = _in_one_block(log)
    start_ns, end_ns = log.window
    stream = log.streams[0]
    window = window_records(stream, start_ns, end_ns)
    if window is None:
        raise CoalescopeError(
            "empty_window",
            "The log has fewer than two records in its window: nothing can be measured.",
            where={"window_start_ns": start_ns, "window_end_ns": end_ns, "records": log.records},
            advice="Record for longer, or with a shorter interval.",
        )
    advanced = advances(stream, window)
    behind = log.behind
    known = {name: by for name, by in advanced.by_field.items() if name not in behind}
    counts = _sum_instances(stream.fields, known)
    unstable = list(unstable_clock(stream, window))
    if unstable:
        counts = {name: count for name, count in counts.items() if not name.endswith("_cycles")}
    dilation = log.time_dilation
    elapsed_s = window.elapsed_s / dilation
    environment = _environment(log)
    unseen = list(as_warnings(unseen_interrupts(stream.fields, counts, environment)))
    if any(warning.code == NOT_SEEN for warning in unseen):
        counts.pop("rx_interrupts", None)
    said, complaints = reported(log.result)
    steady = environment.get("workload_steady") is True
    of_workload, left_out = workload_measures(
        said, window, _carried(log, window, counts, said), dilation, steady=steady
    )
    values = derive(
        {
            "elapsed_s": elapsed_s,
            **{name: float(counts[name]) for name in _COUNTED if name in counts},
            **_throughputs(stream.fields, counts, elapsed_s),
            **_system_cpu(stream.fields, counts, dilation),
            **_cpu(counts, window, environment, dilation),
            **_packet_costs(counts),
            **_energy(counts),
            **losses(counts),
            **of_workload,
        }
    )
    warnings = [
        *_window_warnings(log),
        *_behind_warnings(behind),
        *_reset_warnings(advanced),
        *unseen,
        *unstable,
        *complaints,
        *left_out,
        *_byte_warnings(stream.fields, counts),
        *_offload_warnings(log, values),
        *flagged(stream, window),
        *as_warnings(cross_checks(counts, window.elapsed_s, environment.get("cpus"))),
        *audit_log(log, window, values),
    ]
    others_s = others_at_least_s(counts)
    others_percent = None if others_s is None else 100.0 * others_s / window.elapsed_s
    return RunMeasures(values, warnings, window, others_percent)


def _in_one_block(log: RunLog) -> RunLog:
    """The same log, a short one with its main stream's records copied into one block.

    What is done with each block takes as long for ten records as for a thousand.
    """
    stream = log.streams[0]
    if log.size > _SHORT_BYTES or len(stream.blocks) < 2:
        return log
    records = memoryview(b"".join(stream.blocks))
    blocks = Payloads(records)
    blocks.add(0, len(records))
    return replace(log, streams=(replace(stream, blocks=blocks), *log.streams[1:]))


def _sum_instances(fields: Sequence[Field], advanced: Mapping[str, int]) -> dict[str, int]:
    """Advances by plain name; counters of single queues or lines (name.instance) are summed.

    If one instance is not known, neither is the sum, and it is absent.
    """
    found: dict[str, int] = {}
    for name, instances in _instances(fields).items():
        known = [advanced[i] for i in instances if i in advanced]
        if len(known) == len(instances):
            found[name] = sum(known)
    if any(field.name == "rx_interrupts" and field.source == _LINES for field in fields):
        lines = found.pop("rx_interrupts", None)
        found |= {} if lines is None else {"rx_line_interrupts": lines}
    return found


def _instances(fields: Sequence[Field]) -> dict[str, list[str]]:
    counters = [field.name for field in fields if field.kind == "counter"]
    plain = {name: [name] for name in counters if "." not in name}
    for name in counters:
        stem, dot, _ = name.partition(".")
        if dot and stem not in counters:
            plain.setdefault(stem, []).append(name)
    return plain


def _throughputs(
    fields: Sequence[Field], counts: Mapping[str, int], elapsed_s: float
) -> dict[str, float]:
    found = {}
    for direction, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        outside = _uncounted_bytes(fields, f"{direction}_bytes")
        total, packets = counts.get(f"{direction}_bytes"), counts.get(f"{direction}_packets")
        if outside is None or total is None or (packets is None and outside):
            continue
        found[name] = 8e-6 * (total + outside * (packets or 0)) / elapsed_s
    return found


def _uncounted_bytes(fields: Sequence[Field], name: str) -> int | None:
    """Bytes per frame at link level that the counter leaves out; None if the log does not say."""
    return uncounted_bytes(f for f in fields if f.name == name or f.name.startswith(f"{name}."))


def _system_cpu(
    fields: Sequence[Field], counts: Mapping[str, int], dilation: float
) -> dict[str, float]:
    """System time of all CPUs together, in s; idle share of all CPUs together, in percent.

    Absent if one of the times that the log counts was reset: the sum would lack it.
    """
    counted = _instances(fields).keys()
    found = {}
    system = [name for name in _SYSTEM_NS if name in counted]
    if "cpu_system_ns" in counted and all(name in counts for name in system):
        found["system_cpu_s"] = 1e-9 * sum(counts[name] for name in system) / dilation
    times = [name for name in _ALL_NS if name in counted]
    if counted >= _FOR_A_SHARE and all(name in counts for name in times):
        total = sum(counts[name] for name in times)
        if total > 0:
            # other times may fall a little, so that idle time exceeds the sum
            idle = 100.0 * max(counts["cpu_idle_ns"], 0) / total
            found["idle_cpu_percent"] = min(idle, 100.0)
    return found


def _cpu(
    counts: Mapping[str, int],
    window: Window,
    environment: Mapping[str, object],
    dilation: float,
) -> dict[str, float]:
    """CPU time by whom it was spent, and what counting it cost."""
    own = environment.get("network_namespace") == "other"
    apart = environment.get("irq_time_accounting") is True
    found = cpu_times(counts, window.elapsed_s, own_namespace=own, irq_time_apart=apart)
    cost = environment.get("probe_cost")
    probe_s = probe_cpu_s(counts, cost) if isinstance(cost, Mapping) else None
    if probe_s is not None:
        found["probe_cpu_s"] = probe_s
    found = {n: v / dilation if n.endswith("_s") else v for n, v in found.items()}
    jiffies = {
        f"{who}_cpu_jiffies": JIFFIES_PER_S * found[f"{who}_cpu_s"]
        for who in _JIFFIES
        if f"{who}_cpu_s" in found
    }
    return found | jiffies


def _energy(counts: Mapping[str, int]) -> dict[str, float]:
    name = "package_energy_uj"
    return {"package_energy_j": 1e-6 * counts[name]} if name in counts else {}


def _carried(
    log: RunLog, window: Window, counts: Mapping[str, int], said: Reported
) -> Carried | None:
    """What the interface received in the window and in all, or sent where the workload did.

    None if the log lacks some of it.
    """
    names = {mark.name for mark in log.marks}
    counter = "tx_bytes" if said.sends else "rx_bytes"
    in_window = counts.get(counter)
    if in_window is None or not {"command_start", "command_end"} <= names:
        return None
    in_all = whole_advance(log.streams[0], window, counter, in_window)
    if in_all is None:
        return None
    least = max(_BEGUN * in_all / log.streams[0].records, 1)
    return Carried(in_all, in_window, first_advance(log.streams[0], counter, least))


def _environment(log: RunLog) -> Mapping[str, object]:
    environment = log.header["environment"]
    return environment if isinstance(environment, Mapping) else {}


def _packet_costs(counts: Mapping[str, int]) -> dict[str, float]:
    known = all(name in counts for name in _CYCLES) and not received_elsewhere(counts)
    if known and counts.get("rx_packets", 0) > 0:
        return {"cycles_per_packet": sum(counts[n] for n in _CYCLES) / counts["rx_packets"]}
    return {}


def _window_warnings(log: RunLog) -> list[RunWarning]:
    start_ns, end_ns = log.window
    if start_ns is not None and end_ns is not None:
        return []
    what = "has no marked window" if start_ns is None else "has no end of its window"
    return [
        RunWarning(
            "window_not_marked",
            f"The log {what}: measures span its records from "
            f"{'the first' if start_ns is None else 'the mark'} to the last.",
        )
    ]


def _behind_warnings(behind: Collection[str]) -> Iterator[RunWarning]:
    if behind:
        yield RunWarning(
            "not_read_at_the_end",
            "The log was cut off, or its interface went away: CPU times and losses were not read "
            "for its last record, and measures made of them are left out.",
            {"fields": ", ".join(sorted(behind))},
        )


def _reset_warnings(advanced: Advances) -> list[RunWarning]:
    return [
        RunWarning(
            "counter_reset",
            f"{reset.field} started anew inside the window: measures made of it, or of a counter "
            "that starts anew with it, are left out.",
            {
                "field": reset.field,
                "record": reset.record,
                "t_monotonic_ns": reset.t_monotonic_ns,
            },
        )
        for reset in advanced.resets
    ]


def _offload_warnings(log: RunLog, values: Mapping[str, float]) -> list[RunWarning]:
    """Packets that are larger than a frame can be were merged by an offload before counting."""
    environment = log.header["environment"]
    mtu = environment.get("mtu_bytes") if isinstance(environment, Mapping) else None
    mean = values.get("mean_packet_bytes", 0.0)
    if not isinstance(mtu, int) or mean <= mtu + sum(PART_BYTES.values()):
        return []
    return [
        RunWarning(
            "packets_larger_than_mtu",
            f"Packets average {mean:.0f} bytes at an MTU of {mtu}: an offload merged them before "
            "they were counted. Packet counts are not frames, and throughput lacks their headers.",
            {"mtu_bytes": mtu},
        )
    ]


def _byte_warnings(fields: Sequence[Field], counts: Mapping[str, int]) -> list[RunWarning]:
    return [
        RunWarning(
            "bytes_not_described",
            f"The log does not say which bytes of a frame {name} counts: throughput is left out.",
            {"field": name},
        )
        for name in ("rx_bytes", "tx_bytes")
        if name in counts and _uncounted_bytes(fields, name) is None
    ]
