# SPDX-License-Identifier: Apache-2.0
"""How many packets one receive interrupt brings, for an open-loop stream."""

from __future__ import annotations

from typing import Any

from .link import packet_gap_us


def timer_packets_per_interrupt(
    delay_us: Any, mtu_bytes: Any, link_rate_mbps: Any, link_load: Any, xp: Any
) -> dict[str, Any]:
    """Return packets per interrupt of evenly spaced full packets under an absolute timer.

    The timer starts when the first packet has been received; a packet whose reception is under way
    when it expires is completed before the interrupt (Geist et al. 2005, section 3, deduce both
    from 2.000 packets per interrupt at the smallest delay). So one packet starts the timer
    and ⌈delay/gap⌉ follow. With no delay each packet interrupts.

    Source:
        Geist et al. 2005, section 3, from what it counted [geist_2005].

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

    Source:
        Zec et al. 2002, equation (3), and the packet that starts the timer [zec_2002].

    Args:
        delay_us: time of the absolute timer [µs].
        gap_us: mean time between packets [µs].
    """
    return 1.0 + delay_us / gap_us


def moderated_packets_per_interrupt(packet_rate_hz: Any, moderation_rate_hz: Any) -> Any:
    """Return packets per interrupt when moderation bounds the interrupt rate (Dillon 2004).

    Source:
        Dillon 2004: frames per interrupt at 8000 Hz, a quotient [dillon_2004].

    Args:
        packet_rate_hz: packets per second.
        moderation_rate_hz: interrupts per second, at most.
    """
    return packet_rate_hz / moderation_rate_hz


#: Kinds of moderation, as `moderated` takes them.
EVERY_PACKET, ABSOLUTE_TIMER, PACKET_TIMER, BOTH_TIMERS, THROTTLE, LEADING_EDGE = range(6)


def moderated(
    kind: Any, delay_us: Any, packet_delay_us: Any, gap_us: Any, most_packets: Any, xp: Any
) -> tuple[Any, Any]:
    """Return packets per interrupt and the mean wait of a packet, for one kind of moderation.

    0 every packet interrupts. 1 absolute timer (RADV): starts with a packet and gathers
    those that follow, 1 + T_d/gap. 2 packet timer (RDTR): starts anew with each packet, so it
    does not end while packets come faster; then only the ring's low-water mark interrupts. 3 both:
    the absolute timer while packets come faster than the packet timer, else that. 4 throttle (ITR,
    rx-usecs of most drivers): interrupts at least T_d apart. 5 leading edge (the emulated 82540EM):
    the first packet interrupts at once, then nothing for T_d; a steady stream sees a throttle.

    Source:
        This project's own derivation, with the timers of the Intel 8254x manual, registers RDTR,
        RADV and ITR [intel_8254x].

    Args:
        kind: one of the six numbers.
        delay_us: T_d: absolute timer, interval or window [µs].
        packet_delay_us: packet timer [µs].
        gap_us: mean time between packets [µs].
        most_packets: what the ring holds before its low-water mark interrupts.
        xp: array namespace.

    Returns:
        packets per interrupt, between 1 and `most_packets`; mean wait [µs].
    """
    is_packet, is_both = kind == PACKET_TIMER, kind == BOTH_TIMERS
    keeps_on = packet_delay_us >= gap_us
    filling = (most_packets - 1.0) * gap_us
    # the time that packets are gathered for, by timers
    packet = xp.where(keeps_on, filling, packet_delay_us)
    both = xp.where(keeps_on, delay_us, packet_delay_us)
    timer = xp.where(is_packet, packet, xp.where(is_both, both, delay_us))
    timer = xp.where(kind == EVERY_PACKET, 0.0, xp.minimum(timer, filling))
    alone = xp.where(is_packet, 1.0, xp.where(is_both, 1.0, 1.0 + timer / gap_us))
    timed = xp.where(keeps_on, 1.0 + timer / gap_us, alone)
    spaced = xp.minimum(most_packets, xp.maximum(1.0, delay_us / gap_us))
    packets = xp.where(kind >= THROTTLE, spaced, timed)
    wait = xp.where(
        kind >= THROTTLE,
        0.5 * spaced * gap_us * (1.0 - 1.0 / spaced),
        0.5 * timer * (1.0 + 1.0 / timed),
    )
    return packets, wait
