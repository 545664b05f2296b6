# SPDX-License-Identifier: Apache-2.0
"""What cannot be, or makes a run doubtful, in its values and what is known of where it ran. Pure.

For `check` and for the store, for runs of logs and rows of tables alike: what is not known is not
judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coalescope_host.newer_python import pairwise

from .errors import Problem
from .in_force import not_in_force

_SHARE = 0.01
_ORDERED = (
    *("latency_p50_us", "latency_p90_us", "latency_p95_us", "latency_p99_us"),
    *("latency_p999_us", "latency_max_us"),
)
_LOST_PERCENT = 0.1  # of what came
OTHERS_PERCENT = 10.0
"""Of one CPU, beyond what others took before anything was measured."""
_PROBE_SHARE = 0.1  # of the interface's CPU time
_PLACES = (
    ("socket_drops", "rx_packets", "found the buffer of their socket full"),
    ("backlog_drops", "rx_packets", "found the backlog of a CPU full"),
    ("ring_drops", "rx_packets", "found no buffer of the card"),
    ("host_retransmitted_segments", "tx_packets", "were retransmitted"),
)

Environment = Mapping[str, object]


def doubt(code: str, message: str, field: str) -> Problem:
    """A finding about the run that a file holds, of one of its quantities."""
    return Problem(code, message, severity="warning", details={"field": field})


def implausible(
    values: Mapping[str, float],
    environment: Environment,
    factors: Mapping[str, object],
    kind: str | None,
    others_at_least_percent: float | None = None,
) -> Iterator[Problem]:
    """All that is to be said about the values of one run.

    `others_at_least_percent`: of a CPU, where others' time is known by that bound only.
    """
    yield from _nothing_came(values)
    yield from _more_payload_than_frames(values)
    yield from _percentiles(values)
    yield from _lost(values)
    yield from not_in_force(environment, factors, kind)
    yield from _probes(values)
    if kind == "measured":
        yield from _others(values, environment, others_at_least_percent)
        yield from _emulated(environment)


def _nothing_came(values: Mapping[str, float]) -> Iterator[Problem]:
    if values.get("rx_packets") == 0.0 and not values.get("tx_packets"):
        yield doubt(
            "no_packets",
            "No packet came through the interface in the window: look at the interface's name, "
            "and whether the traffic ran.",
            "rx_packets",
        )


def _more_payload_than_frames(values: Mapping[str, float]) -> Iterator[Problem]:
    goodput, throughput = values.get("goodput_mbps"), values.get("throughput_mbps")
    if goodput is None or throughput is None or goodput <= (1.0 + _SHARE) * throughput:
        return
    yield doubt(
        "goodput_above_throughput",
        f"The workload received {goodput:,.4g} Mb/s of payload, the interface {throughput:,.4g} "
        "Mb/s of frames: they are not of the same time or the same traffic.",
        "goodput_mbps",
    )


def _percentiles(values: Mapping[str, float]) -> Iterator[Problem]:
    known = [name for name in _ORDERED if name in values]
    for lower, higher in pairwise(known):
        if values[lower] > values[higher]:
            yield doubt(
                "percentiles_out_of_order",
                f"{lower} is {values[lower]:g} and {higher} is {values[higher]:g}: more requests "
                "cannot stay within less time.",
                lower,
            )


def _lost(values: Mapping[str, float]) -> Iterator[Problem]:
    percent = values.get("datagram_loss_percent", 0.0)
    if percent > _LOST_PERCENT:
        yield doubt(
            "datagrams_lost",
            f"{percent:.3g} % of the workload's datagrams were lost.",
            "datagram_loss_percent",
        )
    for name, of, what in _PLACES:
        lost, came = values.get(name, 0.0), values.get(of)
        if came is not None and lost > 0.01 * _LOST_PERCENT * came:
            message = f"{lost:,.0f} packets {what}, beside {came:,.0f} that came through."
            yield doubt(name, message, name)


def _probes(values: Mapping[str, float]) -> Iterator[Problem]:
    probe_s, interface_s = values.get("probe_cpu_s"), values.get("interface_cpu_s", 0.0)
    if probe_s is None or interface_s <= 0.0 or probe_s <= _PROBE_SHARE * interface_s:
        return
    yield doubt(
        "probes_cost_much",
        f"Counting took at least {100.0 * probe_s / interface_s:.0f} % of the interface's CPU "
        "time: costs per packet and per interrupt hold that much of the probes.",
        "probe_cpu_s",
    )


def _others(
    values: Mapping[str, float], environment: Environment, at_least_percent: float | None
) -> Iterator[Problem]:
    """What others took while it ran, less what they took before."""
    others, least = values.get("other_cpu_percent"), ""
    if others is None:
        others, least = at_least_percent, "at least "
    if others is None:
        others, least = _others_in_user_mode(values), "at least "
    before = others_before_percent(environment)
    if others is None:
        return
    who, apart = "Others", ""
    if far_end_is_here(environment):
        far_end = values.get("far_end_cpu_percent")
        if far_end is None:
            who = "Others and the other end of the traffic, on the same machine,"
        else:
            others = max(others - far_end, 0.0)
            apart = f", beside {far_end:,.0f} % of the other end of the traffic"
    if others - (before or 0.0) < OTHERS_PERCENT:
        return
    yield doubt(
        "others_were_busy",
        f"{who} took {least}{others:,.0f} % of a CPU while this was measured{apart}"
        f"{'' if before is None else f', {before:,.0f} % before'}: they share caches, memory and "
        "clock frequency with it.",
        "other_cpu_percent",
    )


def others_before_percent(environment: Environment) -> float | None:
    """What others took of a CPU before anything was measured; None where it was not looked at."""
    baseline = environment.get("idle_baseline")
    return _number(baseline.get("other_cpu_percent")) if isinstance(baseline, Mapping) else None


def far_end_is_here(environment: Environment) -> bool:
    """Whether the other end of the traffic ran on the machine that was measured."""
    peers = environment.get("peers")
    if not isinstance(peers, list) or not peers:
        return False
    return all(isinstance(peer, Mapping) and peer.get("same_machine") is True for peer in peers)


def _others_in_user_mode(values: Mapping[str, float]) -> float | None:
    """The least that others took, as far as a table tells: of system time nobody knows whose."""
    names = ("host_cpu_percent", "system_cpu_percent", "workload_cpu_percent")
    host, system, workload = (values.get(name) for name in names)
    if host is None or system is None or workload is None:
        return None
    return host - system - workload


def _emulated(environment: Environment) -> Iterator[Problem]:
    machine = environment.get("virtual_machine")
    if isinstance(machine, Mapping) and machine.get("hypervisor") == "qemu-tcg":
        yield doubt(
            "measured_under_emulation",
            "The log calls itself measured, but QEMU emulated the processor: its CPU times are "
            "not those of any machine. Record such runs as emulated.",
            "kind",
        )


def _number(value: object) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, (int, float)) else None
