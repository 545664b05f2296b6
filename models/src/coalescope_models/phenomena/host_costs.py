# SPDX-License-Identifier: Apache-2.0
"""Receiver and sender CPU and CPU-limited bandwidth against MTU: Chase, Gallatin, Yocum 1999."""

from __future__ import annotations

from typing import Any

from .link import FRAME_OVERHEAD_BYTES, WIRE_OVERHEAD_BYTES


def end_system_costs(
    mtu_bytes: Any,
    copy_cost_ns: Any,
    copies: Any,
    checksum_cost_ns: Any,
    checksums: Any,
    packet_cost_us: Any,
    interrupt_cost_us: Any,
    gathered_packets: Any,
    sender_cost_ratio: Any,
    link_rate_mbps: Any,
    adapter_packet_rate_hz: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the bandwidth of a bulk transfer and the CPU shares of both ends.

    Per byte: copying and checksums, each of which may be switched off (page remapping, offload).
    Per packet: protocol, and a share of the interrupt. The bandwidth is the least of what
    the link carries, what the receiving host can afford and what the adapter's own processor
    handles (313 Mb/s of the LANai-4 at MTU 1500); the sender pays the same per byte and
    less per packet, as fewer interrupts tell it of what was sent.

    Source:
        Chase et al. 1999, figures 3 and 4 [chase_1999] doi:10.1109/35.917506; the sum of costs is
        this project's own.

    Args:
        mtu_bytes: MTU [bytes].
        copy_cost_ns: CPU time to copy a byte [ns].
        copies: how often a byte is copied: 1, or 0 with page remapping (zero-copy).
        checksum_cost_ns: CPU time to checksum a byte [ns].
        checksums: 1 in software, 0 where the adapter does it.
        packet_cost_us: protocol processing of a packet [µs].
        interrupt_cost_us: CPU time of an interrupt [µs].
        gathered_packets: packets that one interrupt brings.
        sender_cost_ratio: the sender's cost per packet over the receiver's.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        adapter_packet_rate_hz: the most packets that the adapter handles [packets/s].
        xp: array namespace.

    Returns:
        throughput_mbps; cpu_limited_throughput_mbps (the receiver's CPU alone);
        system_cpu_percent of the receiver; sender_cpu_percent.
    """
    touched = 1e-3 * (copies * copy_cost_ns + checksums * checksum_cost_ns) * mtu_bytes
    handled = packet_cost_us + interrupt_cost_us / gathered_packets
    receiver, sender = touched + handled, touched + sender_cost_ratio * handled
    frame_bits = 8.0 * (mtu_bytes + FRAME_OVERHEAD_BYTES)
    cpu_limit = frame_bits / receiver
    link_limit = (
        link_rate_mbps * (mtu_bytes + FRAME_OVERHEAD_BYTES) / (mtu_bytes + WIRE_OVERHEAD_BYTES)
    )
    adapter_limit = 1e-6 * adapter_packet_rate_hz * frame_bits
    sender_limit = frame_bits / sender
    throughput = xp.minimum(
        xp.minimum(cpu_limit, link_limit), xp.minimum(adapter_limit, sender_limit)
    )
    packets_us = throughput / frame_bits
    return {
        "throughput_mbps": throughput,
        "cpu_limited_throughput_mbps": cpu_limit,
        "system_cpu_percent": 100.0 * packets_us * receiver,
        "sender_cpu_percent": 100.0 * packets_us * sender,
    }
