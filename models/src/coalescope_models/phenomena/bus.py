# SPDX-License-Identifier: Apache-2.0
"""What a shared bus carries: PCI as in the hosts of the 2005 study."""

from __future__ import annotations

from typing import Any

from .link import FRAME_OVERHEAD_BYTES


def bus_bound(
    mtu_bytes: Any,
    bus_width_bits: Any,
    bus_clock_mhz: Any,
    burst_bytes: Any,
    burst_overhead_clocks: Any,
    descriptor_bytes: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the receive rate at which the bus is busy all the time.

    A frame crosses the bus in bursts, each of which pays for arbitration, address and turnaround;
    its descriptor is fetched and written back. 32 bits at 33 MHz are 1067 Mb/s before
    that: “marginally fast enough to consume a simplex one Gbps transfer” (Geist et al., section 2).

    Source:
        Geist et al. 2005, section 2: 32 bits at 33 MHz [geist_2005]. How bursts and descriptors
        share the bus is this project's own.

    Args:
        mtu_bytes: MTU [bytes].
        bus_width_bits: width of the data path.
        bus_clock_mhz: clock [MHz].
        burst_bytes: bytes of one burst.
        burst_overhead_clocks: clocks of a burst in which no data move.
        descriptor_bytes: bytes of descriptors moved for each frame.
        xp: array namespace.

    Returns:
        bus_throughput_mbps: frames with frame check sequence; bus_peak_mbps: the bare data path.
    """
    # the adapter strips the frame check sequence before it writes the frame
    moved = mtu_bytes + FRAME_OVERHEAD_BYTES - 4.0 + descriptor_bytes
    bytes_per_clock = bus_width_bits / 8.0
    clocks = moved / bytes_per_clock + xp.ceil(moved / burst_bytes) * burst_overhead_clocks
    frames_per_us = bus_clock_mhz / clocks
    return {
        "bus_throughput_mbps": 8.0 * (mtu_bytes + FRAME_OVERHEAD_BYTES) * frames_per_us,
        "bus_peak_mbps": bus_width_bits * bus_clock_mhz,
    }
