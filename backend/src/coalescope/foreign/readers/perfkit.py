# SPDX-License-Identifier: Apache-2.0
"""PerfKit Benchmarker's newline-delimited JSON, of its benchmarks netperf, iperf and ping.

A sample is one value with its unit and labels; those of one run follow each other
(linux_benchmarks/*_benchmark.py). `timestamp` and start_time are of the tool, which also logs in
and waits: when the traffic ran is not known from them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from coalescope.foreign.json_text import as_number, documents, text_at, written
from coalescope.foreign.records import (
    ENVIRONMENT,
    Format,
    Reading,
    Record,
    ToolRun,
    Unreadable,
    fact,
    measure,
)

_NETPERF = re.compile(r"(TCP|UDP|SCTP)_(STREAM|RR|CRR)_(.+)")
_TOTAL = "Throughput_total"
_SUFFIXES = {"STREAM": "", "RR": "-rr", "CRR": "-crr"}
_PERCENTILES = {
    "Latency_p50": ("latency_p50_us", 50.0),
    "Latency_p90": ("latency_p90_us", 90.0),
    "Latency_p99": ("latency_p99_us", 99.0),
    "Latency_p99.9": ("latency_p999_us", 99.9),
}
#: The transport of what iperf sent, by its metric.
_IPERF = {"Throughput": "tcp", "UDP Throughput": "udp"}
_PING = {"Average Latency": "latency_us", "Max Latency": "latency_max_us"}
_MBPS, _REQUESTS, _US, _MS = "Mbits/sec", "transactions_per_second", "us", "ms"
_MTU = re.compile(r"(?:\w+_)?mtu")
#: Labels that tell runs apart.
_SAME = ("ip_type", "sending_thread_count", "sending_zone", "receiving_zone")
_DESCRIBED = ("ip_type", "sending_zone", "receiving_zone", "sending_machine_type",
              "receiving_machine_type", "perfkitbenchmarker_version")  # fmt: skip
_MOST_NAMED = 5


@dataclass
class _Run:
    """The samples of one run: values with their units, by metric."""

    test: str
    key: tuple[Any, ...]
    labels: dict[str, str]
    found: dict[str, tuple[float, str]] = field(default_factory=dict)

    def value(self, metric: str, unit: str) -> float | None:
        """Of that metric, if it is in that unit."""
        value, its = self.found.get(metric, (0.0, ""))
        return value if its == unit else None

    def label(self, name: str) -> float | None:
        """The number that a label spells, if it is none below zero."""
        return written(self.labels.get(name, ""), 0.0)


def _begins(start: str) -> bool:
    line = start.partition("\n")[0]
    names = ('"metric":', '"unit":', '"test":', '"run_uri":', '"sample_uri":')
    return line.startswith("{") and all(name in line for name in names)


def _read(content: bytes) -> Reading:
    others: dict[str, None] = {}
    read = [
        ToolRun([*_settings(run), *records])
        for run in _runs(content, others)
        if (records := list(_READERS[run.test](run)))
    ]
    named = ", ".join(list(others)[:_MOST_NAMED])
    if not read:
        raise Unreadable(
            "It holds no figure of netperf, iperf or ping"
            + (f": its tests are {named}." if named else "."),
            "Only those benchmarks are read: leave the file out.",
            field="test",
        )
    notes = [f"The samples of {named} are not read."] if named else []
    return Reading(runs=read, notes=notes)


def _runs(content: bytes, others: dict[str, None]) -> Iterator[_Run]:
    """The runs, one after the other; the tests that are not read are added to `others`."""
    run: _Run | None = None
    for sample in documents(content):
        test, metric, unit = (text_at(sample, name) for name in ("test", "metric", "unit"))
        value = as_number(sample.get("value")) if isinstance(sample, dict) else None
        if test is None or metric is None or unit is None or value is None:
            continue
        if test not in _READERS:
            others[test] = None
            continue
        labels = _labels(sample)
        named = _NETPERF.fullmatch(metric)
        if test in _PREFIXED and named is None:
            continue
        kind = f"{named[1]}_{named[2]}" if named else _IPERF.get(metric, "")
        key = (test, text_at(sample, "run_uri"), kind, *(labels.get(name) for name in _SAME))
        if run is None or run.key != key or metric in run.found:
            if run is not None:
                yield run
            run = _Run(test, key, labels)
        run.found[metric] = (value, unit)
    if run is not None:
        yield run


def _labels(sample: Any) -> dict[str, str]:
    """`|name:value|,|name:value|`, or an object where labels were not collapsed."""
    said = sample.get("labels", sample.get("metadata"))
    if isinstance(said, Mapping):
        return {name: str(value)[:200] for name, value in said.items() if _plain(value)}
    if not isinstance(said, str):
        return {}
    pairs = (one.partition(":") for one in said[1:-1].split("|,|"))
    return {name: value[:200] for name, colon, value in pairs if colon}


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(str(value)) <= 200


def _settings(run: _Run) -> Iterator[Record]:
    yield fact(f"{ENVIRONMENT}workload_tool", f"PerfKit Benchmarker, {run.test}", "test")
    streams = run.label("sending_thread_count")
    if streams:
        yield fact("streams", streams, "labels: sending_thread_count")
    sizes = {value for name, value in run.labels.items() if _MTU.fullmatch(name)}
    size = written(next(iter(sizes)), 1.0) if len(sizes) == 1 else None
    if size is not None and size.is_integer():
        yield fact("mtu_bytes", int(size), "labels: mtu, of all machines")
    for name in _DESCRIBED:
        if name in run.labels:
            yield fact(f"{ENVIRONMENT}perfkit.{name}", run.labels[name], f"labels: {name}")


def _netperf(run: _Run) -> Iterator[Record]:
    named = _NETPERF.fullmatch(next(iter(run.found)))
    if named is None:
        return
    protocol, kind, test = named[1].lower(), named[2], f"{named[1]}_{named[2]}"
    found = _stream(run, protocol, test) if kind == "STREAM" else _requests(run, test)
    amounts = list(found)
    if amounts:
        yield fact("workload", f"{protocol}{_SUFFIXES[kind]}", "metric")
        yield from amounts


def _first(run: _Run, unit: str, *metrics: str) -> tuple[float, str] | None:
    found = ((run.value(metric, unit), metric) for metric in metrics)
    return next(((value, m) for value, m in found if value is not None and value >= 0.0), None)


def _stream(run: _Run, protocol: str, test: str) -> Iterator[Record]:
    """What arrived: of UDP, too."""
    found = _first(run, _MBPS, f"{test}_{_TOTAL}", f"{test}_Throughput")
    if found is None:
        return
    yield measure("goodput_mbps", *found)
    again = run.label("netperf_retransmissions")
    if protocol == "tcp" and again is not None:
        yield measure("retransmitted_segments", again, "labels: netperf_retransmissions")


def _requests(run: _Run, test: str) -> Iterator[Record]:
    found = _first(run, _REQUESTS, f"{test}_{_TOTAL}", f"{test}_Transaction_Rate")
    if found is None:
        return
    yield measure("request_rate_hz", *found)
    count = found[0] * (run.label("netperf_test_length") or 0.0)
    for name, (quantity, percent) in _PERCENTILES.items():
        latency = _first(run, _US, f"{test}_{name}")
        # a percentile needs a request beyond it
        if latency is not None and count * (1.0 - 0.01 * percent) >= 1.0:
            yield measure(quantity, *latency)
    longest = _first(run, _US, f"{test}_Latency_max")
    if longest is not None:
        yield measure("latency_max_us", *longest)


def _iperf(run: _Run) -> Iterator[Record]:
    """iperf 2's client: what it sent. Of several streams the label has one stream's retries."""
    sent = _first(run, _MBPS, *_IPERF)
    if sent is None:
        return
    yield fact("workload", _IPERF[sent[1]], "metric")
    yield Record("measure.iperf_sent_mbps", sent[0], "Mb/s", sent[1])
    if _IPERF[sent[1]] == "udp":
        yield from _datagrams(run)
        return
    again = run.label("retry_packet_count")
    if again is not None and run.label("sending_thread_count") == 1.0:
        yield measure("retransmitted_segments", again, "labels: retry_packet_count")


def _datagrams(run: _Run) -> Iterator[Record]:
    """What iperf's server reported of UDP; of several streams jitter is the mean of theirs.

    A stream whose report did not come is missing in the label's sums, which then are of fewer
    datagrams than the client wrote; each report may count one more or less.
    """
    lost, counted = run.label("lost_datagrams"), run.label("total_datagrams")
    sent, streams = run.label("write_packet_count"), run.label("sending_thread_count")
    if lost is None or not counted or lost > counted:
        return
    if sent is None or streams is None or abs(sent - counted) > streams:
        return
    yield measure("datagrams_lost", lost, "labels: lost_datagrams")
    field = "labels: lost_datagrams of total_datagrams"
    yield measure("datagram_loss_percent", 100.0 * lost / counted, field)
    jitter = run.label("jitter")
    if jitter is not None and run.labels.get("jitter_unit") == "ms":
        yield Record("measure.jitter_ms", jitter, "ms", "labels: jitter")


def _ping(run: _Run) -> Iterator[Record]:
    known = [(q, found) for name, q in _PING.items() if (found := _first(run, _MS, name))]
    if known:
        yield fact("workload", "ping", "test")
    for quantity, (milliseconds, metric) in known:
        yield measure(quantity, 1e3 * milliseconds, metric)


_READERS: Mapping[str, Callable[[_Run], Iterator[Record]]] = {
    "netperf": _netperf,
    "container_netperf": _netperf,
    "iperf": _iperf,
    "ping": _ping,
}
#: Those whose metrics begin with the name of what netperf did.
_PREFIXED = ("netperf", "container_netperf")

FORMAT = Format(
    "PerfKit Benchmarker",
    "pkb.py --benchmarks=netperf --json_path=FILE",
    _begins,
    _read,
    (
        ("metric, test", "workload", "tcp, tcp-rr, udp … of netperf; tcp, udp of iperf; ping"),
        ("labels: sending_thread_count", "streams", ""),
        ("labels: mtu, vm_1_mtu …", "mtu_bytes", "if all machines have the same"),
        ("…_STREAM_Throughput, …_total", "goodput_mbps", "netperf; …_total of several streams"),
        ("Throughput, UDP Throughput of iperf", "measure.iperf_sent_mbps", "the client's figure"),
        ("…RR_Transaction_Rate, …RR_Throughput_total", "request_rate_hz", "netperf"),
        *(
            (f"…RR_{name}", quantity, "netperf; if a request lies beyond it")
            for name, (quantity, _) in _PERCENTILES.items()
        ),
        ("…RR_Latency_max", "latency_max_us", "netperf"),
        ("Average Latency of ping", "latency_us", "in ms there"),
        ("Max Latency of ping", "latency_max_us", "in ms there"),
        ("labels: netperf_retransmissions", "retransmitted_segments", "netperf over TCP"),
        ("labels: retry_packet_count", "retransmitted_segments", "iperf with one stream"),
        ("labels: lost_datagrams", "datagrams_lost", "iperf over UDP, if all streams reported"),
        ("labels: lost_datagrams of total_datagrams", "datagram_loss_percent", "likewise"),
        ("labels: jitter", "measure.jitter_ms", "likewise; of several streams their mean"),
    ),
)
