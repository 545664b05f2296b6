# SPDX-License-Identifier: Apache-2.0
"""What an Ethernet link can carry: frames, wire overhead and the bounds that follow.

A model here takes an array namespace `xp` as its last argument and runs on floats, on numpy arrays
and on traced operands alike.
"""

from __future__ import annotations

from typing import Any, Final

#: Destination, source, type (14 bytes) and frame check sequence (4): Geist et al. 2005, section 2.
FRAME_OVERHEAD_BYTES: Final = 18.0
#: Preamble (8) and inter-frame gap (12): Geist et al. 2005, section 2.
GAP_OVERHEAD_BYTES: Final = 20.0
#: What a full frame takes on the wire beyond the MTU.
WIRE_OVERHEAD_BYTES: Final = FRAME_OVERHEAD_BYTES + GAP_OVERHEAD_BYTES
#: IPv4 (20) and TCP (20) headers without options: RFC 791, RFC 9293.
TCP_HEADER_BYTES: Final = 40.0
#: The same with the timestamp option (12 with padding): RFC 7323.
TCP_TIMESTAMP_HEADER_BYTES: Final = 52.0
#: Shortest frame of Ethernet, with frame check sequence: IEEE 802.3.
SHORTEST_FRAME_BYTES: Final = 64.0


def packet_gap_us(mtu_bytes: Any, link_rate_mbps: Any) -> Any:
    """Return the time from one full packet to the next on the saturated link [µs].

    Source:
        Geist et al. 2005, section 2 [geist_2005].

    Args:
        mtu_bytes: MTU [bytes].
        link_rate_mbps: bit rate of the link [10⁶ bit/s], which is bits per µs.
    """
    return 8.0 * (mtu_bytes + WIRE_OVERHEAD_BYTES) / link_rate_mbps


def frame_rate_hz(frame_bytes: Any, link_rate_mbps: Any) -> Any:
    """Return the rate of back-to-back frames of one size [frames/s].

    Source:
        Geist et al. 2005, section 2 [geist_2005].

    Args:
        frame_bytes: frame with frame check sequence, without preamble and gap [bytes].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
    """
    return link_rate_mbps * 1e6 / (8.0 * (frame_bytes + GAP_OVERHEAD_BYTES))


def link_bound(mtu_bytes: Any, link_rate_mbps: Any, xp: Any) -> dict[str, Any]:
    """Return the most that a link carries in full packets of one MTU.

    Geist et al. 2005, section 2: 10⁹ · 1518/1538 at MTU 1500 and 1 Gb/s, seen at the interface.

    Source:
        Geist et al. 2005, section 2 [geist_2005].

    Args:
        mtu_bytes: MTU [bytes].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        xp: array namespace.

    Returns:
        throughput_mbps: frames with frame check sequence [10⁶ bit/s];
        goodput_mbps: payload of TCP with timestamps [10⁶ bit/s];
        carried_packet_rate_hz: full packets [packets/s].
    """
    wire_bytes = mtu_bytes + WIRE_OVERHEAD_BYTES
    return {
        "throughput_mbps": link_rate_mbps * (mtu_bytes + FRAME_OVERHEAD_BYTES) / wire_bytes,
        "goodput_mbps": link_rate_mbps * (mtu_bytes - TCP_TIMESTAMP_HEADER_BYTES) / wire_bytes,
        "carried_packet_rate_hz": 1e6 * link_rate_mbps / (8.0 * wire_bytes),
    }
