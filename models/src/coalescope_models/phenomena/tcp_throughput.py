# SPDX-License-Identifier: Apache-2.0
"""Steady-state TCP throughput under interrupt coalescing: Zec, Mikuc, Žagar 2002."""

from __future__ import annotations

from typing import Any

from .link import FRAME_OVERHEAD_BYTES, TCP_HEADER_BYTES, packet_gap_us


def tcp_coalescing_throughput(
    delay_us: Any,
    mtu_bytes: Any,
    window_bytes: Any,
    rtt_min_us: Any,
    coalescing_nics: Any,
    link_rate_mbps: Any,
    medium_efficiency: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the throughput of one window-limited connection without loss.

    Each of N coalescing interfaces adds T_d/2 (1 + B/B_max) to the round trip (eq. 7, 12), so
    B = W / (RTT_min + N T_d/2 (1 + B/B_max)) (eq. 14). The paper's root of that quadratic (eq. 16)
    cancels as T_d → 0 and divides by zero at T_d = 0; the same root multiplied by its conjugate,

        B_W = 2 W / (RTT_1 + sqrt(RTT_1² + 2 W N T_d / B_max)),   RTT_1 = RTT_min + N T_d/2,

    adds positive terms only, and is W/RTT_min at T_d = 0. RTT_1 is the round trip of a lone
    packet (eq. 1, 12). Then min with B_max (eq. 17).

    A window below a full segment is one shorter segment. Eq. 19 alone would give no packet and no
    throughput, but a sender that may not send more sends what the window lets go.

    Source:
        Zec et al. 2002, equations (14) to (19) [zec_2002].

    Args:
        delay_us: coalescing delay T_d of each interface [µs].
        mtu_bytes: MTU [bytes]; the segment is 40 bytes shorter.
        window_bytes: TCP window WSS [bytes].
        rtt_min_us: round-trip time without coalescing delay [µs].
        coalescing_nics: number N of coalescing interfaces on the duplex path.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        medium_efficiency: B_max as a share of back-to-back full frames. The paper's
            B_max ≈ 7500 packets/s at 100 Mb/s and MTU 1500 is 0.9228 of 8127.
        xp: array namespace.

    Returns:
        goodput_mbps: R, segment payload (eq. 18) [10⁶ bit/s];
        throughput_mbps: the same packets as link-level frames [10⁶ bit/s];
        carried_packet_rate_hz: B (eq. 17) [packets/s];
        window_packet_rate_hz: B_W, what the window allows (eq. 16) [packets/s];
        window_packets: W_max (eq. 19) [packets];
        lone_rtt_us: RTT_1, round-trip time of a lone packet [µs];
        medium_packet_rate_hz: B_max [packets/s].
    """
    segment_bytes = _segment_bytes(mtu_bytes, window_bytes, xp)
    packet_bytes = segment_bytes + TCP_HEADER_BYTES
    window = xp.floor(window_bytes / segment_bytes)  # (19)
    largest_rate = 1e6 * medium_efficiency / packet_gap_us(packet_bytes, link_rate_mbps)
    # times in µs, rates per second: hence 10⁶
    path_delay = coalescing_nics * delay_us
    lone_rtt = rtt_min_us + path_delay / 2.0  # (12) with (1)
    root = xp.sqrt(lone_rtt * lone_rtt + 2e6 * window * path_delay / largest_rate)
    window_rate = 2e6 * window / (lone_rtt + root)  # (16) rationalised
    rate = xp.minimum(window_rate, largest_rate)  # (17)
    return {
        "goodput_mbps": 8e-6 * segment_bytes * rate,  # (18), in bits
        "throughput_mbps": 8e-6 * (packet_bytes + FRAME_OVERHEAD_BYTES) * rate,
        "carried_packet_rate_hz": rate,
        "window_packet_rate_hz": window_rate,
        "window_packets": window,
        "lone_rtt_us": lone_rtt,
        "medium_packet_rate_hz": largest_rate,
    }


def _segment_bytes(mtu_bytes: Any, window_bytes: Any, xp: Any) -> Any:
    """Payload of a segment: a full one, or as much as the window lets go."""
    return xp.minimum(mtu_bytes - TCP_HEADER_BYTES, xp.maximum(window_bytes, 1.0))


def padhye_packet_rate_hz(
    window_packets: Any,
    rtt_s: Any,
    packets_per_ack: Any,
    timeout_s: Any,
    loss_probability: Any,
    xp: Any,
) -> Any:
    """Return the packet rate of TCP Reno with loss: Padhye et al. 2000, eq. 8 of Zec et al.

    Source:
        Padhye et al. 2000, the full model [padhye_2000] doi:10.1109/90.842137, as equation (8) of
        Zec et al. 2002 has it [zec_2002].

    Args:
        window_packets: largest window W_max [packets].
        rtt_s: round-trip time [s].
        packets_per_ack: packets b that one acknowledgement covers.
        timeout_s: first retransmission timeout T_0 [s].
        loss_probability: loss probability p; at p = 0 the result is W_max/RTT (eq. 9).
        xp: array namespace.
    """
    loss = loss_probability
    backoff = xp.minimum(1.0, 3.0 * xp.sqrt(3.0 * packets_per_ack * loss / 8.0))
    per_packet = rtt_s * xp.sqrt(2.0 * packets_per_ack * loss / 3.0) + (
        timeout_s * backoff * loss * (1.0 + 32.0 * loss * loss)
    )
    # the smaller of two rates is the larger of the two times per packet: no division by p
    return 1.0 / xp.maximum(rtt_s / window_packets, per_packet)


def tcp_lossy_throughput(
    delay_us: Any,
    mtu_bytes: Any,
    window_bytes: Any,
    rtt_min_us: Any,
    coalescing_nics: Any,
    loss_percent: Any,
    packets_per_ack: Any,
    timeout_ms: Any,
    link_rate_mbps: Any,
    medium_efficiency: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the throughput of one connection with loss and coalescing delays (eq. 8 with 12).

    The round trip is that of the loss-free connection at the same delay (eq. 12 with 17): an upper
    bound, as fewer packets wait for each other when some are lost. Without loss it is
    `tcp_coalescing_throughput`.

    Source:
        Zec et al. 2002, equations (8) and (12) [zec_2002]; (8) is of Padhye et al. 2000
        [padhye_2000] doi:10.1109/90.842137.

    Args:
        delay_us: coalescing delay T_d of each interface [µs].
        mtu_bytes: MTU [bytes].
        window_bytes: TCP window WSS [bytes].
        rtt_min_us: round-trip time without coalescing delay [µs].
        coalescing_nics: number N of coalescing interfaces on the duplex path.
        loss_percent: packets lost, in percent.
        packets_per_ack: packets b that one acknowledgement covers.
        timeout_ms: first retransmission timeout T_0 [ms].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        medium_efficiency: B_max as a share of back-to-back full frames.
        xp: array namespace.

    Returns:
        goodput_mbps, throughput_mbps, carried_packet_rate_hz, loaded_rtt_us.
    """
    without = tcp_coalescing_throughput(
        delay_us,
        mtu_bytes,
        window_bytes,
        rtt_min_us,
        coalescing_nics,
        link_rate_mbps,
        medium_efficiency,
        xp,
    )
    busy = without["carried_packet_rate_hz"] / without["medium_packet_rate_hz"]
    rtt = rtt_min_us + 0.5 * coalescing_nics * delay_us * (1.0 + busy)  # (12) with (7)
    lossy = padhye_packet_rate_hz(
        without["window_packets"],
        1e-6 * rtt,
        packets_per_ack,
        1e-3 * timeout_ms,
        0.01 * loss_percent,
        xp,
    )
    rate = xp.minimum(lossy, without["medium_packet_rate_hz"])
    segment_bytes = _segment_bytes(mtu_bytes, window_bytes, xp)
    packet_bytes = segment_bytes + TCP_HEADER_BYTES
    return {
        "goodput_mbps": 8e-6 * segment_bytes * rate,
        "throughput_mbps": 8e-6 * (packet_bytes + FRAME_OVERHEAD_BYTES) * rate,
        "carried_packet_rate_hz": rate,
        "loaded_rtt_us": rtt,
    }
