# SPDX-License-Identifier: Apache-2.0
"""What was lost at this host in the window, by where: ring, interface, backlog, sockets. Pure."""

from __future__ import annotations

from collections.abc import Mapping

# (measure, counters of which those that the log has are added up)
_PLACES = (
    ("interface_drops", ("rx_dropped",)),
    ("drops", ("rx_dropped", "rx_missed_errors")),
    ("backlog_drops", ("backlog_drops",)),
    ("socket_drops", ("udp_rcvbuf_errors", "tcp_rcv_queue_drops")),
    ("host_retransmitted_segments", ("tcp_retransmitted_segments",)),
)
# drivers report one and the same loss in both, or in one of them
_RING = ("rx_missed_errors", "rx_fifo_errors")


def losses(counts: Mapping[str, float]) -> dict[str, float]:
    """Each place that the log has a counter of."""
    found = {}
    for name, counters in _PLACES:
        total = _sum(counts, counters)
        if total is not None:
            found[name] = total
    ring = [counts[name] for name in _RING if name in counts]
    if ring:
        found["ring_drops"] = float(max(ring))
    return found


def _sum(counts: Mapping[str, float], names: tuple[str, ...]) -> float | None:
    known = [counts[name] for name in names if name in counts]
    return float(sum(known)) if known else None
