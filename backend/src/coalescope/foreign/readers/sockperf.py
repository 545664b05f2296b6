# SPDX-License-Identifier: Apache-2.0
"""sockperf: what ping-pong, under-load and throughput print, and the log of --full-log.

`latency` is half of a round trip unless --full-rtt was asked for (src/client.cpp), and its "Mbps"
are of 2²⁰ bits.
"""

import re
from collections.abc import Iterator

from coalescope.foreign.json_text import decoded, written
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

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,15})?)"
_MEAN = re.compile(rf"avg-(latency|lat|rtt)=\s*{_NUMBER}")
_VALID = re.compile(
    rf"\[Valid Duration\] RunTime=\s*{_NUMBER} sec;.{{1,100}} ReceivedMessages=([0-9]+)"
)
_COUNT = re.compile(r"Total ([0-9]+) observations")
_PERCENTILE = re.compile(rf"---> percentile\s+{_NUMBER}\s*=\s*{_NUMBER}")
_LONGEST = re.compile(rf"---> <MAX> observation\s*=\s*{_NUMBER}")
_BANDWIDTH = re.compile(rf"BandWidth is {_NUMBER} MBps")
_SENT = re.compile(rf"Total of ([0-9]+) messages sent in {_NUMBER} sec")
_PROTOCOL = re.compile(r"PORT = *\d+ # (TCP|UDP)")
_QUANTITIES = {
    50.0: "latency_p50_us",
    90.0: "latency_p90_us",
    95.0: "latency_p95_us",
    99.0: "latency_p99_us",
    99.9: "latency_p999_us",
}
_MBPS = 8e-6 * 2**20


def _begins(start: str) -> bool:
    plain = _COLOUR.sub("", start[:400])
    return plain.startswith("sockperf: == version") or (
        plain.startswith("----") and "sockperf: [Total Run]" in plain
    )


def _read(content: bytes) -> Reading:
    text = _COLOUR.sub("", decoded(content))
    records = [*_settings(text), *_latencies(text), *_sending(text)]
    if not any(record.kind != "fact" for record in records):
        raise Unreadable(
            "sockperf printed no statistics.",
            "Let it finish, or leave the file out.",
            field="Summary",
        )
    return Reading(runs=[ToolRun(records)])


def _settings(text: str) -> Iterator[Record]:
    yield fact(f"{ENVIRONMENT}workload_tool", "sockperf", "version")
    protocol = _PROTOCOL.search(text)
    if protocol is not None:
        way = "" if _BANDWIDTH.search(text) else "-rr"
        field = "# TCP or # UDP"
        yield fact("workload", f"{protocol[1].lower()}{way}", field)


def _latencies(text: str) -> Iterator[Record]:
    mean = _MEAN.search(text)
    if mean is None:
        return
    trips, said = (1.0, "") if mean[1] == "rtt" else (2.0, ", twice: it is half of a round trip")
    valid, counted = _VALID.search(text), _COUNT.search(text)
    observations = int(counted[1][:12]) if counted else 0
    yield measure("latency_us", trips * float(mean[2]), f"avg-{mean[1]}{said}")
    for percent, value in _PERCENTILE.findall(text):
        quantity = _QUANTITIES.get(float(percent))
        # a percentile needs an observation beyond it
        if quantity is not None and observations * (1.0 - 0.01 * float(percent)) >= 1.0:
            field = f"percentile {percent}{said}"
            yield measure(quantity, trips * float(value), field)
    longest = _LONGEST.search(text)
    if longest is not None:
        yield measure("latency_max_us", trips * float(longest[1]), f"<MAX> observation{said}")
    seconds = written(valid[1], 0.0) if valid else None
    if valid is not None and seconds:
        yield measure("elapsed_s", seconds, "[Valid Duration] RunTime")
        rate = float(valid[2][:15]) / seconds
        field = "[Valid Duration] ReceivedMessages by RunTime"
        yield measure("request_rate_hz", rate, field)


def _sending(text: str) -> Iterator[Record]:
    """Of `throughput` the sender's side alone is known: not what arrived."""
    rate, sent = _BANDWIDTH.search(text), _SENT.search(text)
    if rate is not None:
        field = "BandWidth in MBps, of 2²⁰ bytes"
        yield Record("measure.sockperf_sent_mbps", _MBPS * float(rate[1]), "Mb/s", field)
    if sent is not None and float(sent[2]) > 0.0:
        yield measure("elapsed_s", float(sent[2]), "messages sent in … sec")


_TWICE = "twice avg-latency's, as that is half of a round trip; with --full-rtt as it is"
FORMAT = Format(
    "sockperf",
    "sockperf ping-pong -i HOST; sockperf throughput -i HOST",
    _begins,
    _read,
    (
        ("# TCP or # UDP", "workload", "tcp-rr, udp-rr; tcp, udp of throughput"),
        ("avg-latency, avg-rtt", "latency_us", _TWICE),
        *(
            (f"percentile {percent:g}", quantity, "likewise, if an observation lies beyond it")
            for percent, quantity in _QUANTITIES.items()
        ),
        ("<MAX> observation", "latency_max_us", "likewise"),
        ("[Valid Duration] RunTime", "elapsed_s", ""),
        ("[Valid Duration] ReceivedMessages by RunTime", "request_rate_hz", ""),
        ("BandWidth in MBps", "measure.sockperf_sent_mbps", "of 2²⁰ bytes; sent, not received"),
    ),
)
