# SPDX-License-Identifier: Apache-2.0
"""The project's own traffic tool: its command lines, and what its results say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from coalescope_host.newer_python import zip_strict

from .demand import TRAFFIC_TOOL, Demand, shares
from .local_address import address_towards
from .result_text import number, parse
from .traffic import Traffic

PORT = 5202
_TIMEOUTS_SHARE = 0.01  # of all requests: more, and the traffic was not what was asked for
_LEAST_SHARE = 0.95


def number_text(value: float) -> str:
    """A number as the tool takes it."""
    return f"{value:.12g}"


def arguments(**options: float | str | None) -> list[str]:
    """`--name value` for each option that is there."""
    found: list[str] = []
    for name, value in options.items():
        if value is not None:
            text = value if isinstance(value, str) else number_text(value)
            found += [f"--{name.replace('_', '-')}", text]
    return found


def fan_in(
    demand: Demand,
    protocol: str,
    sink: dict[str, float | None],
    source: Callable[[int], dict[str, float | None]],
    packet_rate_hz: float = 0,
) -> Traffic:
    """Every peer sends to one sink on this host.

    Args:
        demand: streams and times.
        protocol: udp or tcp.
        sink: further options of the sink.
        source: further options of a peer's source, from its number of streams.
        packet_rate_hz: datagrams that are asked for in all; 0: as many as go.
    """
    port = demand.whole("port", PORT)
    divided = shares(demand.streams, len(demand.peers))
    servers = [
        (place, [TRAFFIC_TOOL, "source", protocol, *_source(peer.address, port, streams, source)])
        for place, (peer, streams) in enumerate(zip_strict(demand.peers, divided))
        if streams
    ]
    listening = arguments(port=port, bind=demand.listen_address, duration=demand.seconds, **sink)
    return Traffic(
        command=[TRAFFIC_TOOL, "sink", protocol, *listening],
        servers=servers,
        user=demand.context.user,
        programs=[TRAFFIC_TOOL],
        judge=sink_faults,
        remark=partial(sink_remarks, packet_rate_hz=packet_rate_hz),
    )


def _source(
    peer_address: str, port: int, streams: int, more: Callable[[int], dict[str, float | None]]
) -> Sequence[str]:
    to = address_towards(peer_address)
    return arguments(to=to, port=port, streams=streams, **more(streams))


def sink_faults(body: bytes) -> list[str]:
    """Why a sink's run does not count."""
    document = parse(body, TRAFFIC_TOOL)
    if isinstance(document, str):
        return [document]
    return [] if number(document, "bytes") else ["nothing arrived: did the peers send?"]


def sink_remarks(body: bytes, packet_rate_hz: float = 0) -> list[str]:
    """What was lost on the way, as far as datagrams have numbers, and at the socket; and senders
    that were slower than they were asked to be."""
    document: Any = parse(body, TRAFFIC_TOOL)
    said = []
    if lost := number(document, "lost"):
        said.append(f"{lost:.0f} datagrams were lost")
    if dropped := number(document, "dropped"):
        said.append(f"{dropped:.0f} datagrams found the socket's buffer full")
    came, seconds = (number(document, name) for name in ("operations", "seconds"))
    if came is not None and seconds:
        rate_hz = (came + max(lost or 0, dropped or 0)) / seconds
        if rate_hz < _LEAST_SHARE * packet_rate_hz:
            said.append(
                f"the peers sent {rate_hz:.0f} a second where {packet_rate_hz:.0f} were asked for"
            )
    return said


def requests_faults(body: bytes) -> list[str]:
    """Why a run of requests does not count: no answers, or too many that had to be asked again."""
    document = parse(body, TRAFFIC_TOOL)
    if isinstance(document, str):
        return [document]
    operations, timeouts = (number(document, name) for name in ("operations", "timeouts"))
    if not operations:
        return ["not one request was answered: do the servers run?"]
    if timeouts and timeouts > _TIMEOUTS_SHARE * operations:
        return [f"{timeouts:.0f} timeouts among {operations:.0f} requests: traffic stalled"]
    return []


def requests_remarks(body: bytes) -> list[str]:
    """Timeouts that were few, and requests that were slower than they were meant to be."""
    document: Any = parse(body, TRAFFIC_TOOL)
    said = []
    if timeouts := number(document, "timeouts"):
        said.append(f"{timeouts:.0f} requests were asked again after a timeout")
    intended = number(document, "intended_rate_hz")
    operations, seconds = (number(document, name) for name in ("operations", "seconds"))
    if intended and operations is not None and seconds:
        rate = operations / seconds
        if rate < _LEAST_SHARE * intended:
            said.append(f"{rate:.0f} requests a second where {intended:.0f} were asked for")
    return said
