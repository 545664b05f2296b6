# SPDX-License-Identifier: Apache-2.0
"""Packets merged into segments before the stack sees them (GRO, LRO), and what that saves."""

from __future__ import annotations

from typing import Any

from .interrupts import mean_rate_packets_per_interrupt
from .link import TCP_TIMESTAMP_HEADER_BYTES, packet_gap_us


def receive_merging(
    delay_us: Any,
    mtu_bytes: Any,
    byte_cost_ns: Any,
    packet_cost_us: Any,
    segment_cost_us: Any,
    interrupt_cost_us: Any,
    connections: Any,
    merge_bytes: Any,
    merge_packets: Any,
    link_rate_mbps: Any,
    link_load: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return CPU time per 10⁹ bytes where the packets of an interrupt are merged by connection.

    Linux merges full packets of one connection while the segment stays below `gro_max_size` bytes,
    headers of the first packet included (net/core/gro.c, `skb_gro_receive`), and hands up what it
    holds when the poll is over: m = min(m_max, ⌈(b_m - 52)/(MTU - 52)⌉ - 1) packets at most.
    The rest is this project's derivation.

    Packets come at random (Poisson), each of one of n connections with the same probability. An
    absolute timer T_d gathers 1 + N of them, N of mean T_d/gap, of

        d = 1 + (n - 1)(1 - e^(-N/n))

    connections on average: that of the first packet, and each other one that is among the N. That
    is exact. A connection's packets beyond its first, (1 + N)/d - 1 on average, fill further
    segments, of which the mean number is taken as that for a count spread evenly over ±√(3N/n),
    a Poisson count's standard deviation. Segments are then within 6 %
    of events, and CPU time within 4 %, for m of 4 and more.

    Source:
        Linux, net/core/gro.c, “skb_gro_receive” [linux_gro]; the rest is this project's own
        derivation.

    Args:
        delay_us: time T_d of the absolute timer [µs].
        mtu_bytes: MTU [bytes]; packets are full.
        byte_cost_ns: CPU time per byte [ns].
        packet_cost_us: CPU time per packet on the wire: driver and merging [µs].
        segment_cost_us: CPU time per merged segment: protocols and socket [µs].
        interrupt_cost_us: CPU time per interrupt [µs].
        connections: connections n whose packets are mixed.
        merge_bytes: b_m, which a segment stays below [bytes].
        merge_packets: packets m_max that a segment takes at most; 1 is no merging.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        link_load: offered packet rate as a share of the saturated link's.
        xp: array namespace.

    Returns:
        system_cpu_s_per_gb; cpu_limited_throughput_mbps, the bytes of which that would fill one
        CPU; packets_per_segment; packets_per_interrupt; largest_segment_packets, m.
    """
    gap_us = packet_gap_us(mtu_bytes, link_rate_mbps * link_load)
    packets = mean_rate_packets_per_interrupt(delay_us, gap_us)
    payload = mtu_bytes - TCP_TIMESTAMP_HEADER_BYTES
    fitting = xp.ceil((merge_bytes - TCP_TIMESTAMP_HEADER_BYTES) / payload) - 1.0
    largest = xp.maximum(1.0, xp.minimum(merge_packets, fitting))
    others = delay_us / gap_us / connections
    present = 1.0 - (connections - 1.0) * xp.expm1(-others)
    # beyond the first, and half a packet, as counts are whole
    further = (packets / present - 0.5) / largest
    spread = xp.sqrt(3.0 * others) / largest + 1e-9
    filled = (_floor_integral(further + spread, xp) - _floor_integral(further - spread, xp)) / (
        2.0 * spread
    )
    # no merging is exact; with few packets the spread would blur it
    per_segment = xp.where(largest > 1.0, packets / (present * (1.0 + filled)), 1.0)
    cost_us = packet_cost_us + segment_cost_us / per_segment + interrupt_cost_us / packets
    seconds = byte_cost_ns + 1e3 * cost_us / mtu_bytes
    return {
        "system_cpu_s_per_gb": seconds,
        "cpu_limited_throughput_mbps": 8e3 / seconds,
        "packets_per_segment": per_segment,
        "packets_per_interrupt": packets,
        "largest_segment_packets": largest,
    }


def _floor_integral(upper: Any, xp: Any) -> Any:
    """Integral of ⌊x⌋ from 0 to a number, 0 below 0."""
    whole = xp.maximum(0.0, xp.floor(upper))
    return whole * (upper - 0.5 * (whole + 1.0))
