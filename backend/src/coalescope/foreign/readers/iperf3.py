# SPDX-License-Identifier: Apache-2.0
"""iperf3: `-J` of client and server, and `--json-stream`.

Fields as in iperf 3.1 to 3.21 (src/iperf_api.c). `cpu_utilization_percent` is of the iperf3
processes alone, and never the system's.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from coalescope.foreign.json_text import as_number, at, documents, list_at, number, text_at
from coalescope.foreign.records import (
    ENVIRONMENT,
    Format,
    Reading,
    Record,
    ToolRun,
    Unreadable,
    Window,
    fact,
    measure,
)
from coalescope.untrusted.bounds import FOREIGN_RUNS, most

_START = re.compile(r'\{\s*"(start"\s*:|event"\s*:\s*"start")[\s\S]*"version"\s*:\s*"iperf 3')
_SETTINGS = ("blksize", "duration", "bytes", "blocks", "target_bitrate", "tos", "gso", "gro")
_BIDIRECTIONAL = "sum_received_bidir_reverse"


def _begins(start: str) -> bool:
    return _START.match(start) is not None


def _read(content: bytes) -> Reading:
    runs, failures, seen = [], [], set()
    for document in _tests(documents(content)):
        failed = text_at(document, "error")
        cookie = text_at(document, "start.cookie")
        if failed is not None:
            failures.append(f"iperf3 says that it failed: {failed}")
        elif cookie is None or cookie not in seen:
            runs.append(_run(document, cookie))
            seen.add(cookie)
        if len(runs) > most(FOREIGN_RUNS):
            raise Unreadable(
                f"It holds more than {FOREIGN_RUNS:,} tests.", "Split it.", field="start"
            )
    if not runs:
        raise Unreadable(
            failures[0] if failures else "It holds no finished test: iperf3 did not write its end.",
            "Measure again, or leave the file out.",
            field="error" if failures else "end",
        )
    return Reading(runs=runs, notes=failures)


def _tests(found: Iterator[Any]) -> Iterator[Mapping[str, Any]]:
    """Whole tests; of a stream of events, put together."""
    stream: dict[str, Any] = {}
    for document in found:
        if not isinstance(document, Mapping):
            continue
        event = document.get("event")
        if event is None:
            if isinstance(document.get("start"), Mapping):
                yield document
            continue
        if event == "start":
            stream = {}
        if isinstance(event, str) and event != "interval":
            stream[event] = document.get("data")
        if event in ("end", "error") and "start" in stream:
            yield stream
            stream = {}


def _run(document: Mapping[str, Any], cookie: str | None) -> ToolRun:
    host, peer = _host(document), _host(at(document, "server_output_json"))
    sums = _sums(document)
    seconds = next((s for _, s in sums if s is not None), None)
    window = _window(document, seconds)
    records = [
        *_settings(document, host),
        *_amounts(document, sums, window, host),
        *_processes(document, window, host),
    ]
    hosts = tuple(name for name in (host, peer) if name is not None)
    return ToolRun(records, hosts, None if cookie is None else f"iperf3 {cookie}")


def _protocol(document: Any) -> str:
    return (text_at(document, "start.test_start.protocol") or "").lower()


def _is_server(document: Any) -> bool:
    return at(document, "start.accepted_connection") is not None


def _is_reversed(document: Any) -> bool:
    return at(document, "start.test_start.reverse") in (1, True)


def _is_bidirectional(document: Any) -> bool:
    both = at(document, "start.test_start.bidirectional") or at(document, "start.test_start.bidir")
    return both in (1, True) or at(document, f"end.{_BIDIRECTIONAL}") is not None


def _receives_elsewhere(document: Any) -> bool:
    """A server that sends is not told what came."""
    return _is_server(document) and _is_reversed(document)


def _sums(document: Any) -> list[tuple[str, float | None]]:
    """Where the sums of what was received stand, the best first, and their seconds."""
    names = ("sum_received", "sum")
    found = [f"end.{name}" for name in names if isinstance(at(document, f"end.{name}"), Mapping)]
    return [(path, number(document, f"{path}.seconds", 0.0) or None) for path in found]


def _window(document: Any, seconds: float | None) -> Window | None:
    whole = number(document, "start.timestamp.timesecs", 1.0)
    milliseconds = number(document, "start.timestamp.timemillisecs", 1.0)  # since 3.18
    began = whole if milliseconds is None else 1e-3 * milliseconds
    if began is None or seconds is None:
        return None
    began += number(document, "start.test_start.omit", 0.0) or 0.0
    return Window(began, began + seconds, 1.0 if milliseconds is None else 0.0)


def _host(document: Any) -> str | None:
    """The second word of what uname says, where it is one: "Linux NAME 6.1.0 …"."""
    words = (text_at(document, "start.system_info") or "").split()
    return words[1] if len(words) > 2 else None


def _settings(document: Any, host: str | None) -> Iterator[Record]:
    protocol = _protocol(document)
    if protocol:
        way = "-reverse" if _is_reversed(document) else ""
        way = "-bidirectional" if _is_bidirectional(document) else way
        field = "start.test_start.protocol, reverse, bidir"
        yield fact("workload", f"{protocol}{way}", field)
    streams = number(document, "start.test_start.num_streams", 1.0)
    if streams is not None:
        yield fact("streams", streams, "start.test_start.num_streams")
    version = text_at(document, "start.version")
    if version is not None:
        yield fact(f"{ENVIRONMENT}workload_tool", version, "start.version")
    words = (text_at(document, "start.system_info") or "").split()
    if len(words) > 2:
        yield fact(f"{ENVIRONMENT}kernel_version", words[2], "start.system_info", host)
    for name in _SETTINGS:
        value = number(document, f"start.test_start.{name}", 0.0)
        if value:
            path = f"{ENVIRONMENT}workload_settings.{name}"
            yield fact(path, value, f"start.test_start.{name}")


def _amounts(
    document: Any, sums: list[tuple[str, float | None]], window: Window | None, host: str | None
) -> Iterator[Record]:
    if _is_bidirectional(document):
        yield from _both_ways(document, window)
    elif not _receives_elsewhere(document):
        yield from _received(document, sums, window)
    again = "end.sum_sent.retransmits"
    retransmitted = number(document, again, 0.0)
    if retransmitted is not None and not _is_bidirectional(document):
        yield measure("retransmitted_segments", retransmitted, again, window)
    for path, seconds in sums[:1]:
        if seconds is not None:
            yield measure("elapsed_s", seconds, f"{path}.seconds", window)
    rtts = [number(one, "sender.mean_rtt", 1.0) for one in list_at(document, "end.streams")]
    known = [rtt for rtt in rtts if rtt is not None]
    if known and len(known) == len(rtts):
        field = "end.streams[].sender.mean_rtt, mean"
        value = sum(known) / len(known)
        yield Record("measure.tcp_smoothed_rtt_us", value, "µs", field, window, host)


def _received(
    document: Any, sums: list[tuple[str, float | None]], window: Window | None
) -> Iterator[Record]:
    """What came, at the end that received it."""
    for path, seconds in sums:
        rate = number(document, f"{path}.bits_per_second", 0.0)
        octets = number(document, f"{path}.bytes", 0.0)
        if path == "end.sum_received" and rate is not None and (octets or not _is_server(document)):
            yield measure("goodput_mbps", 1e-6 * rate, f"{path}.bits_per_second", window)
            break
        lost = number(document, f"{path}.lost_percent", 0.0)
        if path == "end.sum" and octets and seconds and lost is not None:
            field = f"{path}.bytes less lost_percent, by seconds"
            goodput = 8e-6 * octets * (1.0 - 0.01 * lost) / seconds
            yield measure("goodput_mbps", goodput, field, window)
            break
    for path, _seconds in sums:
        lost = number(document, f"{path}.lost_packets", 0.0)
        sent = number(document, f"{path}.packets", 0.0)
        if lost is None or not sent or lost > sent:
            continue
        yield measure("datagrams_lost", lost, f"{path}.lost_packets", window)
        field = f"{path}.lost_packets of {path}.packets"
        yield measure("datagram_loss_percent", 100.0 * lost / sent, field, window)
        jitter = number(document, f"{path}.jitter_ms", 0.0)
        if jitter is not None:
            yield Record("measure.jitter_ms", jitter, "ms", f"{path}.jitter_ms", window)
        break


def _both_ways(document: Any, window: Window | None) -> Iterator[Record]:
    """Two rates: neither is the goodput of the run."""
    if _is_server(document):
        return  # it knows one of them, and the client both
    for name, path in (
        ("measure.goodput_to_server_mbps", "end.sum_received.bits_per_second"),
        ("measure.goodput_to_client_mbps", f"end.{_BIDIRECTIONAL}.bits_per_second"),
    ):
        rate = number(document, path, 0.0)
        if rate is not None:
            yield Record(name, 1e-6 * rate, "Mb/s", path, window)


def _processes(document: Any, window: Window | None, host: str | None) -> Iterator[Record]:
    """CPU of the iperf3 processes: of its own end, and of the other as the client is told."""
    ends = ("server",) if _is_server(document) else ("client", "server")
    for end, name in zip(ends, ("host_total", "remote_total"), strict=False):
        path = f"end.cpu_utilization_percent.{name}"
        share = as_number(at(document, path), 0.0)
        if share is not None:
            whose = host if name == "host_total" else None
            yield Record(f"measure.iperf3_{end}_cpu_percent", share, "%", path, window, whose)


FORMAT = Format(
    "iperf3",
    "iperf3 -c HOST -J; iperf3 -c HOST --json-stream; iperf3 -s -J",
    _begins,
    _read,
    (
        ("start.test_start.protocol, reverse, bidir", "workload", "tcp, udp-reverse, …"),
        ("start.test_start.num_streams", "streams", ""),
        ("end.sum_received.bits_per_second", "goodput_mbps", "what arrived, not what was sent"),
        (
            "end.sum.bytes less lost_percent, by seconds",
            "goodput_mbps",
            "UDP before 3.10, which has no sum_received",
        ),
        ("end.sum_received.seconds, end.sum.seconds", "elapsed_s", ""),
        ("end.sum_sent.retransmits", "retransmitted_segments", ""),
        ("…lost_packets", "datagrams_lost", ""),
        ("…lost_packets of …packets", "datagram_loss_percent", ""),
        ("…jitter_ms", "measure.jitter_ms", ""),
        (
            "end.streams[].sender.mean_rtt, mean",
            "measure.tcp_smoothed_rtt_us",
            "TCP's own estimate, which is not the latency of a request",
        ),
        ("end.sum_received.bits_per_second", "measure.goodput_to_server_mbps", "of --bidir"),
        (
            "end.sum_received_bidir_reverse.bits_per_second",
            "measure.goodput_to_client_mbps",
            "of --bidir",
        ),
        (
            "end.cpu_utilization_percent.host_total",
            "measure.iperf3_client_cpu_percent",
            "of the iperf3 process alone: no measure of the system",
        ),
        (
            "end.cpu_utilization_percent.remote_total",
            "measure.iperf3_server_cpu_percent",
            "likewise",
        ),
    ),
)
