# SPDX-License-Identifier: Apache-2.0
"""How many packets one receive interrupt brings, for an open-loop stream."""

from __future__ import annotations

from typing import Any, Final

from .link import packet_gap_us

#: One count of the interrupt delay registers of the Intel 8254x family [µs].
TICK_US: Final = 1.024


def timer_packets_per_interrupt(
    delay_us: Any, mtu_bytes: Any, link_rate_mbps: Any, link_load: Any, xp: Any
) -> dict[str, Any]:
    """Return packets per interrupt of evenly spaced full packets under an absolute timer.

    The timer starts when the first packet has been received; a packet whose reception is under way
    when it expires is completed before the interrupt (Geist et al. 2005, section 3, deduce both
    from 2.000 packets per interrupt at the smallest delay). So one packet starts the timer
    and ⌈delay/gap⌉ follow. With no delay each packet interrupts.

    Args:
        delay_us: time of the absolute timer [µs].
        mtu_bytes: MTU [bytes].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        link_load: offered packet rate as a share of the saturated link's.
        xp: array namespace.

    Returns:
        packets_per_interrupt: 1 + ⌈delay/gap⌉;
        rx_interrupt_rate_hz: offered packet rate over packets per interrupt [1/s].
    """
    gap_us = packet_gap_us(mtu_bytes, link_rate_mbps * link_load)
    packets = 1.0 + xp.ceil(delay_us / gap_us)
    return {"packets_per_interrupt": packets, "rx_interrupt_rate_hz": 1e6 / gap_us / packets}


def mean_rate_packets_per_interrupt(delay_us: Any, gap_us: Any) -> Any:
    """Return 1 + delay/gap, the mean for packets that do not keep step with the timer.

    Packets that arrive at random (Poisson) at this mean rate bring exactly this many on average:
    the one that starts the timer, and delay/gap that arrive while it runs.

    Args:
        delay_us: time of the absolute timer [µs].
        gap_us: mean time between packets [µs].
    """
    return 1.0 + delay_us / gap_us


def moderated_packets_per_interrupt(packet_rate_hz: Any, moderation_rate_hz: Any) -> Any:
    """Return packets per interrupt when moderation bounds the interrupt rate (Dillon 2004).

    Args:
        packet_rate_hz: packets per second.
        moderation_rate_hz: interrupts per second, at most.
    """
    return packet_rate_hz / moderation_rate_hz
