# SPDX-License-Identifier: Apache-2.0
"""Polling with a weight after an interrupt (NAPI): the factors of Ronciak et al. 2005."""

from __future__ import annotations

from typing import Any

from .link import frame_rate_hz


def napi_receive(
    napi_weight: Any,
    frame_bytes: Any,
    link_load: Any,
    packet_cost_us: Any,
    interrupt_cost_us: Any,
    poll_cost_us: Any,
    queues: Any,
    ring_descriptors: Any,
    link_rate_mbps: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return what a polling driver delivers, how often it falls back to interrupts, and its drops.

    An interrupt starts polling; each poll takes up to w packets and then gives descriptors back;
    a poll that finds fewer ends polling and waits for the next interrupt. Packets come in at
    λ a queue and one costs c_p, so work is found for as long as λ c_p stays below 1, and one cycle
    of interrupt and polls gathers

        n = max(1, λ (c_i + c_poll)/(1 − λ c_p))

    packets: near 1 the driver bounces, one interrupt a packet, which the study warns of (fast
    processor, slow bus). When n exceeds w, polling is broken into n/w polls, each of which costs
    c_poll. With all time in polls, at most 1/(c_p + c_poll/w) packets a second are delivered per
    queue. Descriptors come back in steps of w: a ring of D leaves D − w packets of slack.

    Source:
        Ronciak et al. 2005, “Results of tuning NAPI parameters” (the factors) [ronciak_2005]; the
        equations are this project's own.

    Args:
        frame_bytes: link-level frame [bytes].
        napi_weight: packets w that a poll takes at most.
        link_load: offered packet rate as a share of the saturated link's.
        packet_cost_us: CPU time per packet c_p [µs].
        interrupt_cost_us: CPU time per interrupt c_i [µs].
        poll_cost_us: CPU time per poll c_poll, besides its packets [µs].
        queues: receive queues, each with a CPU of its own; packets spread evenly (RSS).
        ring_descriptors: descriptors D of each queue.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        xp: array namespace.

    Returns:
        carried_packet_rate_hz; throughput_mbps; packets_per_interrupt, not known (NaN) where no
        interrupt comes, as the CPU is saturated and only polls, or as nothing comes;
        rx_interrupt_rate_hz over all queues; system_cpu_percent of all CPUs together, in percent of
        one; drop_percent of what was offered; ring_slack_us, how long the ring lasts while a poll
        holds w: without load for ever, which is infinite.
    """
    offered = link_load * frame_rate_hz(frame_bytes, link_rate_mbps)
    arriving = 1e-6 * offered / queues  # per µs and queue
    capacity = 1.0 / (packet_cost_us + poll_cost_us / napi_weight)
    delivered = xp.minimum(arriving, capacity)
    saturated = arriving >= capacity
    told = xp.where(saturated, 0.0, arriving)  # packets that an interrupt leads to
    gathered = told * (interrupt_cost_us + poll_cost_us) / (1.0 - told * packet_cost_us)
    interrupts = told / xp.maximum(1.0, gathered)
    polls = xp.maximum(interrupts, delivered / napi_weight)
    busy = delivered * packet_cost_us + interrupts * interrupt_cost_us + polls * poll_cost_us
    slack = xp.maximum(ring_descriptors - napi_weight, 0.0)
    return {
        "carried_packet_rate_hz": 1e6 * delivered * queues,
        "throughput_mbps": 8.0 * frame_bytes * delivered * queues,
        "packets_per_interrupt": told / interrupts,  # without any 0/0: not known
        "rx_interrupt_rate_hz": 1e6 * interrupts * queues,
        "system_cpu_percent": 100.0 * queues * xp.minimum(1.0, busy),
        # not 1 - delivered/arriving, which would drop all of nothing
        "drop_percent": 100.0 * (1.0 - xp.minimum(1.0, capacity / arriving)),
        "ring_slack_us": slack / arriving,
    }
