# SPDX-License-Identifier: Apache-2.0
"""k8s-netperf: its JSON (`--json`) and CSV of results, of the drivers netperf, iperf3 and uperf.

A row is the mean over its samples (pkg/archive/archive.go). Not taken, as they are of no window or
interface of the run: its CPU shares (rates over two minutes) and its MTU (of whichever interface
comes first). Zero stands for what a driver does not measure.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from coalescope.foreign.json_text import as_number, decoded, documents, text_at, written
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

_JSON = re.compile(r'\[\s*\{\s*"uuid"\s*:(?=[^}]*"driver"\s*:)(?=[^}]*"tputMetric")')
_CSV = re.compile(r'Driver,Profile,Same node,[\w #%\-.,"]*Avg Throughput,Throughput Metric')
#: The columns of the CSV, as the members of the JSON that they stand for.
_COLUMNS = {
    "Driver": "driver",
    "Profile": "profile",
    "Same node": "local",
    "Host Network": "hostNetwork",
    "Service": "service",
    "Parallelism": "parallelism",
    "# of Samples": "samples",
    "Message Size": "messageSize",
    "Burst": "burst",
    "Avg Throughput": "throughput",
    "Throughput Metric": "tputMetric",
    "99%tile Observed Latency": "latency",
    "Latency Metric": "ltcyMetric",
}
_WORKLOADS = {"STREAM": "", "RR": "-rr", "CRR": "-crr"}
_DRIVERS = ("netperf", "iperf3", "uperf")
#: Those that count what was sent again: of the others it is zero.
_COUNT_AGAIN = ("netperf", "iperf3")
_MOST_ROWS = 100_000
_DESCRIBED = (
    ("local", "same_node"),
    ("hostNetwork", "host_network"),
    ("service", "kubernetes_service"),
    ("messageSize", "message_bytes"),
    ("burst", "burst"),
)
_MOST_SAMPLES = 10_000
_MEAN_P99 = "measure.netperf_mean_p99_latency_us"


class _Row(NamedTuple):
    said: Mapping[str, Any]
    driver: str
    protocol: str
    kind: str  # STREAM, RR, CRR
    samples: int


def _begins(start: str) -> bool:
    return _JSON.match(start) is not None or _CSV.match(start) is not None


def _read(content: bytes) -> Reading:
    text = decoded(content)
    rows = _table(text) if _CSV.match(text.lstrip()) else _members(content)
    runs = [ToolRun(records) for row in rows if (records := list(_records(row)))]
    if not runs:
        raise Unreadable(
            "No row of it says a throughput in Mb/s or OP/s of a driver that is known: netperf, "
            "iperf3 or uperf.",
            "Send the file as k8s-netperf wrote it: result-*.csv, or what --json prints.",
            field="throughput",
        )
    return Reading(runs=runs)


def _table(text: str) -> Iterator[_Row]:
    try:
        for place, line in enumerate(csv.DictReader(text.lstrip().splitlines())):
            if place >= _MOST_ROWS:
                raise Unreadable(f"It holds more than {_MOST_ROWS:,} rows.", "Split it.")
            row = _row({_COLUMNS[name]: line[name] for name in line if name in _COLUMNS})
            if row is not None:
                yield row
    except csv.Error as error:
        raise Unreadable(
            f"It cannot be read as CSV: {error}.", "Send the file as the tool wrote it.", offset=0
        ) from None


def _members(content: bytes) -> Iterator[_Row]:
    for document in documents(content):
        for one in document if isinstance(document, list) else ():
            row = _row(one) if isinstance(one, dict) else None
            if row is not None:
                yield row


def _row(said: Mapping[str, Any]) -> _Row | None:
    profile, driver = text_at(said, "profile"), text_at(said, "driver")
    protocol, _, kind = (profile or "").partition("_")
    samples = _number(said, "samples")
    known = driver in _DRIVERS and kind in _WORKLOADS
    if not known or not samples or samples > _MOST_SAMPLES:
        return None
    return _Row(said, str(driver), protocol.lower(), kind, int(samples))


def _number(said: Mapping[str, Any], name: str) -> float | None:
    value = said.get(name)
    return written(value, 0.0) if isinstance(value, str) else as_number(value, 0.0)


def _records(row: _Row) -> Iterator[Record]:
    amounts = list(_amounts(row))
    if not amounts:
        return
    yield fact("workload", f"{row.protocol}{_WORKLOADS[row.kind]}", "profile")
    streams = _number(row.said, "parallelism")
    if streams:
        yield fact("streams", streams, "parallelism")
    yield fact(f"{ENVIRONMENT}workload_tool", f"k8s-netperf, {row.driver}", "driver")
    for name, quantity in _DESCRIBED:
        value = row.said.get(name)
        if isinstance(value, str):
            value = {"true": True, "false": False}.get(value, value)
        if not isinstance(value, bool):
            value = _number(row.said, name)
        if value is not None:
            yield fact(f"{ENVIRONMENT}workload_settings.{quantity}", value, name)
    yield from (replace(one, n=row.samples) for one in amounts)


def _amounts(row: _Row) -> Iterator[Record]:
    rate, unit = _number(row.said, "throughput"), row.said.get("tputMetric")
    mean = "" if row.samples == 1 else f", mean of {row.samples} samples"
    if not rate:
        return
    if row.kind == "STREAM" and unit == "Mb/s":
        yield from _stream(row, rate, mean)
    elif row.kind != "STREAM" and unit == "OP/s":
        yield measure("request_rate_hz", rate, f"throughput in OP/s{mean}")
        yield from _latency(row, mean)


def _stream(row: _Row, rate: float, mean: str) -> Iterator[Record]:
    """What arrived; uperf's is its client's figure.

    Of UDP, the driver iperf3 takes what arrived and no loss, or what was sent and the loss: without
    loss both are what arrived.
    """
    field = f"throughput in Mb/s{mean}"
    lost = _number(row.said, "udpLossPercent")
    if row.driver == "uperf":
        yield Record("measure.uperf_sent_mbps", rate, "Mb/s", field)
    elif row.protocol != "udp" or row.driver == "netperf" or lost == 0.0:
        yield measure("goodput_mbps", rate, field)
    elif lost is not None:
        yield Record("measure.iperf3_sent_mbps", rate, "Mb/s", field)
    again = _number(row.said, "tcpRetransmits")
    if row.driver in _COUNT_AGAIN and row.protocol == "tcp" and again is not None:
        yield measure("retransmitted_segments", again, f"tcpRetransmits{mean}")
    counted = row.driver == "netperf" or (row.driver == "iperf3" and lost != 0.0)
    if counted and row.protocol == "udp" and lost is not None:
        yield measure("datagram_loss_percent", lost, f"udpLossPercent{mean}")


def _latency(row: _Row, mean: str) -> Iterator[Record]:
    """A mean of percentiles of several streams or samples is no percentile."""
    latency, unit = _number(row.said, "latency"), row.said.get("ltcyMetric")
    if not latency or unit != "usec" or row.driver != "netperf":
        return
    if row.samples == 1 and _number(row.said, "parallelism") == 1.0:
        yield measure("latency_p99_us", latency, "latency in usec, of one sample and stream")
    else:
        yield Record(_MEAN_P99, latency, "µs", f"latency in usec, mean of streams{mean}")


FORMAT = Format(
    "k8s-netperf",
    "k8s-netperf --json; k8s-netperf (its result-*.csv)",
    _begins,
    _read,
    (
        ("profile", "workload", "tcp, tcp-rr, tcp-crr, udp …"),
        ("parallelism", "streams", ""),
        ("throughput in Mb/s", "goodput_mbps", "of netperf and iperf3; mean of the samples"),
        (
            "throughput in Mb/s",
            "measure.iperf3_sent_mbps",
            "UDP of iperf3 with loss; without udpLossPercent neither",
        ),
        ("throughput in Mb/s", "measure.uperf_sent_mbps", "of uperf: its client's figure"),
        ("throughput in OP/s", "request_rate_hz", ""),
        ("latency in usec", "latency_p99_us", "of netperf, of one sample and stream"),
        ("latency in usec", _MEAN_P99, "of several: a mean of percentiles is no percentile"),
        ("tcpRetransmits", "retransmitted_segments", "of the JSON; mean of the samples"),
        ("udpLossPercent", "datagram_loss_percent", "of the JSON; of iperf3 if not 0"),
    ),
)
