# SPDX-License-Identifier: Apache-2.0
"""iperf3 in reverse: the host under test is the client and says when, a peer's server sends.

So the command at the host under test begins and ends the traffic, waits for nobody, and prints the
receiver's report; the server goes when it has served once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .demand import IPERF3, Demand
from .result_text import LONGEST_QUOTE, number, parse
from .traffic import Traffic

PORT = 5201
MOST_STREAMS = 128  # that iperf3 takes
PACING_US = 100  # a sender's timer; iperf3's own 1000 makes bursts that hide what is measured
CONNECT_MS = 5000
_LEAST_SHARE = 0.95  # of the rate that was asked for
_MOST_INTERVALS = 1500  # of all streams together: about 1.5 MB of JSON with the sender's own
_SHORTEST_S, _LONGEST_S = 0.1, 60.0  # that iperf3 takes
_SILENCE_S = 0.9  # less than that may lie between two datagrams
_SILENT_SHARE = 0.25  # of the run without any payload: traffic stalled


def traffic(demand: Demand, arguments: Sequence[str], rate_mbps: float | None) -> Traffic:
    """One peer sends to this host.

    Args:
        demand: streams and times.
        arguments: further ones of the client.
        rate_mbps: payload that is asked for in all, None: as much as goes.
    """
    (peer,) = demand.peers
    port = demand.whole("port", PORT)
    if demand.streams > MOST_STREAMS:
        raise demand.refusal(
            f"iperf3 takes {MOST_STREAMS} streams, not {demand.streams}: "
            'write tool = "coalescope-traffic".'
        )
    intervals = ["--json", "--interval", f"{_interval_s(demand):g}"]
    command = [IPERF3, "--client", peer.address, "--port", str(port), "--reverse", *intervals]
    command += ["--connect-timeout", str(CONNECT_MS)]
    command += ["--time", str(math.ceil(demand.seconds)), "--parallel", str(demand.streams)]
    return Traffic(
        command=[*command, *arguments],
        servers=[(0, [IPERF3, "--server", "--one-off", "--port", str(port), *intervals])],
        user=demand.context.user,
        programs=[IPERF3],
        judge=_judged(faults),
        remark=_judged(lambda document: remarks(document, rate_mbps)),
    )


def _interval_s(demand: Demand) -> float:
    """Short, so that the intervals within the log's window are nearly all of it."""
    shortest = demand.seconds * (demand.streams + 1) / _MOST_INTERVALS
    return round(min(max(shortest, _SHORTEST_S), _LONGEST_S), 1)


def _judged(say: Callable[[Mapping[str, Any]], list[str]]) -> Callable[[bytes], list[str]]:
    def judge(body: bytes) -> list[str]:
        document = parse(body, IPERF3)
        return [document] if isinstance(document, str) else say(document)

    return judge


def faults(document: Mapping[str, Any]) -> list[str]:
    """Why a run does not count: an error, nothing received, or traffic that stalled."""
    if document.get("error"):
        return [f"iperf3 says: {str(document['error'])[:LONGEST_QUOTE]}"]
    received = _received_bytes(document)
    if received is None:
        return ["iperf3 ended without a report of what was received"]
    if not received:
        return ["iperf3 received nothing"]
    silent, total = _silence(document)
    if total and silent > _SILENT_SHARE * total:
        return [f"traffic stalled: nothing came in {silent:.1f} of {total:.1f} s"]
    return []


def remarks(document: Mapping[str, Any], rate_mbps: float | None) -> list[str]:
    """What was retransmitted or lost, and a sender that was slower than it was asked to be."""
    said = []
    retransmits = number(document, "end", "sum_sent", "retransmits")
    if retransmits:
        said.append(f"its sender retransmitted {retransmits:.0f} segments")
    lost = number(document, "end", "sum_received", "lost_packets")
    if lost is None:
        lost = number(document, "end", "sum", "lost_packets")
    if lost:
        said.append(f"{lost:.0f} datagrams were lost")
    sent = number(document, "end", "sum_sent", "bits_per_second")
    if sent is None:
        sent = number(document, "end", "sum", "bits_per_second")
    if rate_mbps and sent is not None and sent < _LEAST_SHARE * rate_mbps * 1e6:
        said.append(f"the peer sent {sent / 1e6:.1f} Mb/s where {rate_mbps:.1f} were asked for")
    return said


def _received_bytes(document: Mapping[str, Any]) -> float | None:
    received = number(document, "end", "sum_received", "bytes")
    if received is not None:
        return received
    total, lost = (number(document, "end", "sum", name) for name in ("bytes", "lost_percent"))
    return None if total is None or lost is None else total * (1 - lost / 100)


def _silence(document: Mapping[str, Any]) -> tuple[float, float]:
    """Seconds without payload, as far as they are no gaps of a low rate, and seconds in all."""
    silent = total = gap = 0.0
    intervals = document.get("intervals")
    for interval in intervals if isinstance(intervals, list) else []:
        seconds, octets = (number(interval, "sum", name) for name in ("seconds", "bytes"))
        if seconds is None or octets is None:
            continue
        total += seconds
        gap = 0.0 if octets else gap + seconds
        if gap >= _SILENCE_S:
            silent += gap
            gap = 0.0
    return silent, total
