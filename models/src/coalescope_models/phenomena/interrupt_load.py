# SPDX-License-Identifier: Apache-2.0
"""What interrupts cost by themselves, livelock, and polling instead: Zec, Mikuc, Žagar 2002."""

from __future__ import annotations

from typing import Any

from .interrupts import mean_rate_packets_per_interrupt


def interrupt_livelock(
    interrupt_rate_hz: Any,
    interrupt_entry_us: Any,
    register_read_us: Any,
    register_reads: Any,
    cascade_us: Any,
    cascaded: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the CPU load of interrupts that do no work, and the rate at which nothing else runs.

    Section 3: procedures A to C of an interrupt (context, interrupt controller, counters) cost the
    same each time; the four lines of figure 1 read a device register or not, on a line of the
    first interrupt controller or of the cascaded second.

    Source:
        Zec et al. 2002, section 3 and figure 1 [zec_2002].

    Args:
        interrupt_rate_hz: interrupts per second.
        interrupt_entry_us: procedures A to C on the first controller [µs]; 1 to 20.
        register_read_us: one read of a device register across the bus [µs].
        register_reads: reads in each interrupt.
        cascade_us: what the second controller costs more [µs].
        cascaded: 1 on a line of the second controller, 0 on one of the first.
        xp: array namespace.

    Returns:
        system_cpu_percent, at most 100; livelock_rate_hz, from which on it is 100.
    """
    cost = interrupt_entry_us + register_reads * register_read_us + cascaded * cascade_us
    return {
        "system_cpu_percent": xp.minimum(100.0, 1e-4 * interrupt_rate_hz * cost),
        "livelock_rate_hz": 1e6 / cost,
    }


def coalesced_interrupt_load(
    packet_rate_hz: Any,
    delay_us: Any,
    interrupt_cost_us: Any,
    packet_cost_us: Any,
    poll_rate_hz: Any,
    poll_cost_us: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return interrupt rate and CPU load against the packet rate, with coalescing and with polling.

    Figure 2: an interrupt brings 1 + B T_d packets of a stream at rate B. Polling looks f times a
    second whether there is something or not: its cost does not grow with interrupts, its mean delay
    is half a period.

    Source:
        Zec et al. 2002, equations (1) and (3), sections 2 and 4, figure 2 [zec_2002].

    Args:
        packet_rate_hz: packets B per second.
        delay_us: coalescing delay T_d [µs].
        interrupt_cost_us: CPU time per interrupt [µs].
        packet_cost_us: CPU time per packet [µs].
        poll_rate_hz: polls f per second.
        poll_cost_us: CPU time per poll [µs].
        xp: array namespace.

    Returns:
        rx_interrupt_rate_hz, packets_per_interrupt, system_cpu_percent (at most 100),
        added_latency_us, the mean wait: all of T_d for the packet that starts the timer, half of
        it (eq. 1) for those that share it;
        polling_cpu_percent, polling_latency_us.
    """
    gap_us = 1e6 / packet_rate_hz
    per_interrupt = mean_rate_packets_per_interrupt(delay_us, gap_us)
    interrupts = packet_rate_hz / per_interrupt
    packets_percent = 1e-4 * packet_rate_hz * packet_cost_us
    interrupts_percent = 1e-4 * interrupts * interrupt_cost_us
    return {
        "rx_interrupt_rate_hz": interrupts,
        "packets_per_interrupt": per_interrupt,
        "system_cpu_percent": xp.minimum(100.0, packets_percent + interrupts_percent),
        "added_latency_us": 0.5 * delay_us * (1.0 + 1.0 / per_interrupt),
        "polling_cpu_percent": xp.minimum(
            100.0, packets_percent + 1e-4 * poll_rate_hz * poll_cost_us
        ),
        "polling_latency_us": 5e5 / poll_rate_hz,
    }
