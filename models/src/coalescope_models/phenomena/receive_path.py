# SPDX-License-Identifier: Apache-2.0
"""The composed predictor: host costs, link, bus, ring, moderation and workload in one.

Costs are those of `cpu_overhead` in SI units: 1 jiffy of 10 ms per 10⁶ bytes is 10 ns a byte, per
thousand packets or interrupts 10 µs each.
"""

from __future__ import annotations

from typing import Any

from .interrupts import BOTH_TIMERS, EVERY_PACKET, PACKET_TIMER, THROTTLE, moderated
from .link import FRAME_OVERHEAD_BYTES, TCP_HEADER_BYTES, packet_gap_us

#: What binds, as the quantity `binding_constraint` numbers and names it.
LINK, BUS, CPU, OFFER, WINDOW = range(5)


def open_loop(
    delay_us: Any,
    mtu_bytes: Any,
    moderation_kind: Any,
    packet_delay_us: Any,
    byte_cost_ns: Any,
    packet_cost_us: Any,
    interrupt_cost_us: Any,
    system_call_cost_us: Any,
    read_bytes: Any,
    offered_mbps: Any,
    link_rate_mbps: Any,
    bus_rate_mbps: Any,
    ring_descriptors: Any,
    xp: Any,
) -> dict[str, Any]:
    """Predict a stream that comes whatever the receiver does (UDP fan-in).

    A frame under way when an absolute timer expires is completed before the interrupt (Geist et al.
    2005, section 3), so the timer ends with a whole number of frame times: of a share ρ of them
    each brings a packet, 1 + ρ⌈T_d/t_frame⌉ in all.

    What the CPU cannot take is lost in the ring. Interrupts take their time first, for packets that
    are lost too: beyond its limit a receiver carries less the more is offered, down to nothing in a
    livelock (Mogul and Ramakrishnan 1997, doi:10.1145/263326.263335).

    Source:
        Geist et al. 2005, sections 2 to 4: frames, timer and costs [geist_2005]; the Intel 8254x
        manual, registers RDTR, RADV and ITR [intel_8254x]. How they go together is this project's
        own.

    Args:
        delay_us: absolute timer, interval or window, by kind [µs].
        mtu_bytes: MTU [bytes].
        moderation_kind: 0 every packet, 1 absolute timer, 2 packet timer, 3 both, 4 throttle,
            5 leading edge; see `interrupts.moderated`.
        packet_delay_us: packet timer [µs].
        byte_cost_ns: CPU time per byte [ns].
        packet_cost_us: per packet [µs].
        interrupt_cost_us: per interrupt [µs].
        system_call_cost_us: per system call of the reader [µs].
        read_bytes: bytes a read returns at most; 0 where each read takes one packet.
        offered_mbps: link-level rate that is sent [10⁶ bit/s].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        bus_rate_mbps: frames that the bus carries [10⁶ bit/s].
        ring_descriptors: receive descriptors.
        xp: array namespace.

    Returns:
        See `_outputs`; drop_percent of what reached the interface. Packets per interrupt are
        those that an interrupt finds, and the cost of a packet is that of one that is not lost.
    """
    frame_bits = 8.0 * (mtu_bytes + FRAME_OVERHEAD_BYTES)
    gap_us = packet_gap_us(mtu_bytes, link_rate_mbps)
    link = 1e6 / gap_us
    offered = xp.minimum(1e6 * offered_mbps / frame_bits, link)
    arriving = xp.minimum(offered, 1e6 * bus_rate_mbps / frame_bits)
    frame_us = xp.maximum(gap_us, frame_bits / bus_rate_mbps)
    completed_us = frame_us * xp.ceil(delay_us / frame_us)
    held_us = xp.where(moderation_kind >= THROTTLE, delay_us, completed_us)
    gathered, wait = moderated(
        moderation_kind, held_us, packet_delay_us, 1e6 / arriving, ring_descriptors, xp
    )
    calls = _calls(mtu_bytes, read_bytes, xp)
    own_cost = _own_cost(mtu_bytes, byte_cost_ns, packet_cost_us, calls, system_call_cost_us)
    wanted_us = interrupt_cost_us * arriving / gathered
    interrupts_us = xp.minimum(1e6, wanted_us)
    carried = xp.minimum(arriving, (1e6 - interrupts_us) / xp.maximum(own_cost, 1e-9))
    binding = xp.where(
        carried < arriving,
        float(CPU),
        xp.where(
            arriving < offered, float(BUS), xp.where(offered < link, float(OFFER), float(LINK))
        ),
    )
    return {
        **_outputs(
            arriving, carried, gathered, wait, own_cost + interrupt_cost_us / gathered, frame_bits
        ),
        "rx_interrupt_rate_hz": arriving / gathered * (1e6 / xp.maximum(1e6, wanted_us)),
        "system_cpu_percent": 1e-4 * (interrupts_us + carried * own_cost),
        "drop_percent": 100.0 * (1.0 - carried / offered),
        "binding_constraint": binding,
    }


def windowed(
    delay_us: Any,
    mtu_bytes: Any,
    moderation_kind: Any,
    packet_delay_us: Any,
    byte_cost_ns: Any,
    packet_cost_us: Any,
    interrupt_cost_us: Any,
    system_call_cost_us: Any,
    read_bytes: Any,
    connections: Any,
    window_bytes: Any,
    rtt_min_us: Any,
    link_rate_mbps: Any,
    bus_rate_mbps: Any,
    ring_descriptors: Any,
    xp: Any,
) -> dict[str, Any]:
    """Predict connections that keep at most a window each under way (TCP fan-in).

    All windows together hold n ⌊W/MSS⌋ packets, and a round trip is RTT_min, the mean wait for the
    timer and for the burst that it releases (Zec et al. 2002, eq. 14, one coalescing interface):
    the same quadratic as `tcp_throughput`. An interrupt never brings more than all windows.
    Nothing is lost: the windows close first.

    A packet timer by itself waits until all windows are in and then for its own time, or until the
    ring is full: a round trip is RTT_min, the burst at the rate of the path, and the timer.

    Source:
        As `open_loop` [geist_2005] [intel_8254x], with the windows of Zec et al. 2002, equation
        (14) [zec_2002].

    Args:
        delay_us: absolute timer, interval or window, by kind [µs].
        mtu_bytes: MTU [bytes].
        moderation_kind: as in `open_loop`.
        packet_delay_us: packet timer [µs].
        byte_cost_ns: CPU time per byte [ns].
        packet_cost_us: per packet [µs].
        interrupt_cost_us: per interrupt [µs].
        system_call_cost_us: per system call of the reader [µs].
        read_bytes: bytes a read returns at most; 0 where each read takes one packet.
        connections: connections n.
        window_bytes: window W of each [bytes].
        rtt_min_us: round trip without moderation [µs].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        bus_rate_mbps: frames that the bus carries [10⁶ bit/s].
        ring_descriptors: receive descriptors.
        xp: array namespace.

    Returns:
        See `_outputs`.
    """
    # a window below a segment is one shorter segment
    mtu_bytes = xp.minimum(mtu_bytes, xp.maximum(window_bytes, 1.0) + TCP_HEADER_BYTES)
    frame_bits = 8.0 * (mtu_bytes + FRAME_OVERHEAD_BYTES)
    link = 1e6 / packet_gap_us(mtu_bytes, link_rate_mbps)
    path = xp.minimum(link, 1e6 * bus_rate_mbps / frame_bits)
    # even an empty window is probed with a byte
    segments = xp.maximum(1.0, xp.floor(window_bytes / (mtu_bytes - TCP_HEADER_BYTES)))
    windows = connections * segments
    # beside the absolute timer the packet timer counts only where it is shorter than the gap
    pause = xp.where(packet_delay_us < 1e6 / path, packet_delay_us, delay_us)
    timer = xp.where(moderation_kind == BOTH_TIMERS, pause, delay_us)
    timer = xp.where(moderation_kind == EVERY_PACKET, 0.0, timer)
    lone = rtt_min_us + 0.5 * timer
    root = xp.sqrt(lone * lone + 2e6 * windows * timer / path)
    most = xp.maximum(1.0, xp.minimum(ring_descriptors, windows))
    is_packet = moderation_kind == PACKET_TIMER
    is_burst = packet_delay_us >= 1e6 / path
    burst_us = xp.where(is_burst, 1e6 * most / path, 0.0)
    pause_us = xp.where(is_burst, xp.where(windows > most, 0.0, packet_delay_us), packet_delay_us)
    by_pause = 1e6 * windows / (rtt_min_us + pause_us + burst_us)
    allowed = xp.where(is_packet, by_pause, 2e6 * windows / (lone + root))
    arriving = xp.minimum(path, allowed)
    # what a packet timer gathers comes as a burst, at the rate of the path
    gap_us = 1e6 / xp.where(is_packet, path, arriving)
    gathered, wait = moderated(moderation_kind, delay_us, packet_delay_us, gap_us, most, xp)
    wait = wait + xp.where(is_packet, xp.where(is_burst, pause_us, 0.0), 0.0)
    calls = _calls(mtu_bytes, read_bytes, xp)
    own_cost = _own_cost(mtu_bytes, byte_cost_ns, packet_cost_us, calls, system_call_cost_us)
    cost = own_cost + interrupt_cost_us / gathered
    carried = xp.minimum(arriving, 1e6 / cost)
    binding = xp.where(
        carried < arriving,
        float(CPU),
        xp.where(allowed < path, float(WINDOW), xp.where(path < link, float(BUS), float(LINK))),
    )
    return {
        **_outputs(arriving, carried, gathered, wait, cost, frame_bits),
        "window_packet_rate_hz": allowed,
        "binding_constraint": binding,
    }


def _calls(mtu_bytes: Any, read_bytes: Any, xp: Any) -> Any:
    """System calls per packet: one, or the packet's share of a large read."""
    shared = mtu_bytes / xp.maximum(read_bytes, 1.0)
    return xp.where(read_bytes > 0.0, shared, 1.0)


def _own_cost(
    mtu_bytes: Any, byte_cost_ns: Any, packet_cost_us: Any, calls: Any, system_call_cost_us: Any
) -> Any:
    """CPU time of one packet without interrupts [µs]; bytes at link level."""
    byte_cost_us = 1e-3 * byte_cost_ns * (mtu_bytes + FRAME_OVERHEAD_BYTES)
    return byte_cost_us + packet_cost_us + calls * system_call_cost_us


def _outputs(
    arriving: Any, carried: Any, gathered: Any, wait: Any, cost: Any, frame_bits: Any
) -> dict[str, Any]:
    """What every workload predicts, from packets per second.

    throughput_mbps at link level; packets_per_interrupt; rx_interrupt_rate_hz; system_cpu_percent
    of one CPU; added_latency_us, the mean wait for the interrupt; carried_packet_rate_hz
    and arriving_packet_rate_hz; receive_cost_us of a packet with its share of an interrupt.
    """
    return {
        "throughput_mbps": 1e-6 * frame_bits * carried,
        "packets_per_interrupt": gathered,
        "rx_interrupt_rate_hz": carried / gathered,
        "system_cpu_percent": 1e-4 * carried * cost,
        "added_latency_us": wait,
        "carried_packet_rate_hz": carried,
        "arriving_packet_rate_hz": arriving,
        "receive_cost_us": cost,
    }
