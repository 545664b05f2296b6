# SPDX-License-Identifier: Apache-2.0
"""Moderation frequency against latency, idle CPU and ring occupancy: Dillon 2004."""

from __future__ import annotations

from typing import Any

from .link import frame_rate_hz


def moderation_trade(
    moderation_rate_hz: Any,
    frame_bytes: Any,
    link_load: Any,
    interrupt_cost_us: Any,
    packet_cost_us: Any,
    base_latency_us: Any,
    moderated_hosts: Any,
    latency_share: Any,
    ring_descriptors: Any,
    flow_control: Any,
    link_rate_mbps: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return what a bound on the interrupt rate costs in latency and saves in CPU.

    At most f interrupts a second: each host adds up to 1/f to a round trip (125 µs at 8000 Hz),
    and the ring must hold what arrives between two of them, λ/f packets. Above the
    ring's descriptors frames are lost, unless pause frames hold the sender back.

    Source:
        Dillon 2004: his tables of ping and of iperf; the sums are this project's own [dillon_2004].

    Args:
        moderation_rate_hz: bound f on the interrupt rate [1/s].
        frame_bytes: link-level frame [bytes].
        link_load: offered packet rate as a share of the saturated link's.
        interrupt_cost_us: CPU time per interrupt [µs].
        packet_cost_us: CPU time per packet [µs].
        base_latency_us: round trip without moderation [µs].
        moderated_hosts: hosts on the round trip that moderate.
        latency_share: how much of 1/f a lone packet waits for, on average; 1 is the most.
        ring_descriptors: receive descriptors.
        flow_control: 1 with pause frames, 0 without.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        xp: array namespace.

    Returns:
        latency_us; added_latency_us, the most that one host adds; rx_interrupt_rate_hz;
        packets_per_interrupt, which is also what the ring must hold; idle_cpu_percent;
        lowest_moderation_rate_hz that the ring allows; drop_percent.
    """
    arriving = link_load * frame_rate_hz(frame_bytes, link_rate_mbps)
    interrupts = xp.minimum(arriving, moderation_rate_hz)
    gathered = xp.maximum(1.0, arriving / moderation_rate_hz)
    kept = xp.minimum(1.0, ring_descriptors / gathered)
    carried = kept * arriving
    busy = 1e-4 * (interrupts * interrupt_cost_us + carried * packet_cost_us)
    return {
        "latency_us": base_latency_us + 1e6 * moderated_hosts * latency_share / moderation_rate_hz,
        "added_latency_us": 1e6 / moderation_rate_hz,
        "rx_interrupt_rate_hz": interrupts,
        "packets_per_interrupt": xp.minimum(gathered, ring_descriptors),
        "idle_cpu_percent": xp.maximum(0.0, 100.0 - busy),
        "lowest_moderation_rate_hz": arriving / ring_descriptors,
        "drop_percent": 100.0 * (1.0 - flow_control) * (1.0 - kept),
    }
