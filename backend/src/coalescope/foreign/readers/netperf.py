# SPDX-License-Identifier: Apache-2.0
"""netperf: `-- -k` (NAME=VALUE) and `-- -o` (CSV), of the omni tests and those migrated to them.

Names, long and short, as in netperf 2.7 (src/nettest_omni.c). Of its CPU figures it is not known
which end is under test, so they are measures of their own, in percent of all CPUs.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import islice

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

_TITLE = re.compile(r"(?:MIGRATED )?(TCP|UDP|SCTP|OMNI) ?(.*?) TEST (?:from|to) ")
_KEY = re.compile(r"([A-Z][A-Z0-9_]+)=(.*)")
_KEYED = re.compile(r"(?:THROUGHPUT|LSS_SIZE|SOCKET_TYPE|PROTOCOL|ELAPSED_TIME)\w*=")
_HEADER = re.compile(r"(?:[\w() /%&]+,)*Throughput(?:,[\w() /%&.]++)*+,?[ \t\r]*+$", re.MULTILINE)
#: The names of columns, as the keys that they stand for.
_COLUMNS = {
    "Protocol": "PROTOCOL",
    "Direction": "DIRECTION",
    "Elapsed Time (sec)": "ELAPSED_TIME",
    "Throughput": "THROUGHPUT",
    "Throughput Units": "THROUGHPUT_UNITS",
    "Remote Recv Throughput": "REMOTE_RECV_THROUGHPUT",
    "Local Send Throughput": "LOCAL_SEND_THROUGHPUT",
    "Mean Latency Microseconds": "MEAN_LATENCY",
    "50th Percentile Latency Microseconds": "P50_LATENCY",
    "90th Percentile Latency Microseconds": "P90_LATENCY",
    "99th Percentile Latency Microseconds": "P99_LATENCY",
    "Maximum Latency Microseconds": "MAX_LATENCY",
    "Local Transport Retransmissions": "LOCAL_TRANSPORT_RETRANS",
    "Local CPU Util %": "LOCAL_CPU_UTIL",
    "Remote CPU Util %": "REMOTE_CPU_UTIL",
}
_MBPS = {
    "10^0bits/s": 1e-6,
    "10^3bits/s": 1e-3,
    "10^6bits/s": 1.0,
    "10^9bits/s": 1e3,
    "Bytes/s": 8e-6,
    "KBytes/s": 8e-6 * 2**10,
    "MBytes/s": 8e-6 * 2**20,
    "GBytes/s": 8e-6 * 2**30,
}
_TRANSACTIONS = "Trans/s"
_ALONE = " : no control"  # in the first line of -N: nobody says what arrived
_LATENCIES = (
    ("MEAN_LATENCY", "latency_us"),
    ("P50_LATENCY", "latency_p50_us"),
    ("P90_LATENCY", "latency_p90_us"),
    ("P99_LATENCY", "latency_p99_us"),
    ("MAX_LATENCY", "latency_max_us"),
)
_SHARES = (
    ("LOCAL_CPU_UTIL", "measure.netperf_local_cpu_percent_of_all"),
    ("REMOTE_CPU_UTIL", "measure.netperf_remote_cpu_percent_of_all"),
)


def _begins(start: str) -> bool:
    title = _TITLE.match(start)
    body = start.partition("\n")[2] if title else start
    return _KEYED.match(body) is not None or (
        _HEADER.match(body) is not None and "Throughput Units" in body
    )


def _read(content: bytes) -> Reading:
    text = decoded(content)
    title = _TITLE.match(text)
    body = text.partition("\n")[2] if title else text
    fields = _keys(body) if _KEYED.match(body) else _row(body)
    if "THROUGHPUT" not in fields:
        raise Unreadable(
            "netperf printed no THROUGHPUT.",
            "Let it finish; ask for it with -k.",
            field="THROUGHPUT",
        )
    kind, first = _kind(title, fields), text.partition("\n")[0] if title else ""
    records = [*_settings(kind, title), *_amounts(kind, first, fields), *_shares(fields)]
    if not any(r.kind != "fact" and r.quantity != "elapsed_s" for r in records):
        raise Unreadable(
            "It does not say what its throughput is of: neither its first line nor PROTOCOL is "
            "there, or the unit is not known.",
            "Keep netperf's first line, or ask for PROTOCOL, DIRECTION and THROUGHPUT_UNITS.",
            field="PROTOCOL",
        )
    return Reading(runs=[ToolRun(records)])


def _keys(body: str) -> dict[str, str]:
    found = (_KEY.fullmatch(line.strip()) for line in body.splitlines())
    return {one[1]: one[2] for one in found if one is not None}


def _row(body: str) -> dict[str, str]:
    try:
        rows = list(islice((row for row in csv.reader(body.splitlines()) if row), 2))
    except csv.Error as error:
        raise Unreadable(
            f"It cannot be read as CSV: {error}.", "Send the file as netperf wrote it.", offset=0
        ) from None
    if len(rows) < 2:
        return {}
    pairs = zip((name.strip() for name in rows[0]), rows[1], strict=False)
    return {_COLUMNS[name]: value.strip() for name, value in pairs if name in _COLUMNS}


def _kind(title: re.Match[str] | None, fields: Mapping[str, str]) -> str:
    """tcp, tcp-reverse, tcp-rr, tcp-crr, udp …; empty where that is not said."""
    protocol = (title[1] if title and title[1] != "OMNI" else fields.get("PROTOCOL", "")).lower()
    if not protocol:
        return ""
    name = title[2].upper() if title else ""
    direction = fields.get("DIRECTION", "")
    if "CONNECT" in name:
        return f"{protocol}-crr"
    if "REQUEST/RESPONSE" in name or direction == "Send|Recv":
        return f"{protocol}-rr"
    if "MAERTS" in name or direction == "Recv":
        return f"{protocol}-reverse"
    known = name in ("STREAM", "SEND") or direction == "Send" or protocol == "tcp"
    return protocol if known else ""


def _settings(kind: str, title: re.Match[str] | None) -> Iterator[Record]:
    where = "first line" if title else "PROTOCOL, DIRECTION"
    yield fact(f"{ENVIRONMENT}workload_tool", "netperf", where)
    if kind:
        yield fact("workload", kind, where)
        yield fact("streams", 1.0, "(one for each netperf)")


def _amounts(kind: str, first: str, fields: Mapping[str, str]) -> Iterator[Record]:
    elapsed = written(fields.get("ELAPSED_TIME", ""), 0.0)
    if elapsed:
        yield measure("elapsed_s", elapsed, "ELAPSED_TIME")
    if kind.endswith("rr"):
        yield from _requests(fields)
    elif kind:
        yield from _stream(kind, first, fields)


def _requests(fields: Mapping[str, str]) -> Iterator[Record]:
    rate = written(fields["THROUGHPUT"], 0.0)
    if rate is not None and fields.get("THROUGHPUT_UNITS") == _TRANSACTIONS:
        yield measure("request_rate_hz", rate, "THROUGHPUT")
    for name, quantity in _LATENCIES:
        value = written(fields.get(name, ""), 0.0)
        if value is not None:
            yield measure(quantity, value, name)


def _stream(kind: str, first: str, fields: Mapping[str, str]) -> Iterator[Record]:
    """What arrived: so is THROUGHPUT of UDP, too, where the other end could tell netperf."""
    scale = _MBPS.get(fields.get("THROUGHPUT_UNITS", ""))
    told = kind != "udp" or (first != "" and _ALONE not in first)
    name = "THROUGHPUT" if told else "REMOTE_RECV_THROUGHPUT"
    rate = written(fields.get(name, ""), 0.0)
    if scale is not None and rate is not None:
        yield measure("goodput_mbps", scale * rate, f"{name}, in THROUGHPUT_UNITS")
    sent = written(fields.get("LOCAL_SEND_THROUGHPUT", ""), 0.0)
    if scale is not None and kind == "udp" and sent is not None:
        field = "LOCAL_SEND_THROUGHPUT, in THROUGHPUT_UNITS"
        yield Record("measure.netperf_sent_mbps", scale * sent, "Mb/s", field)
    again = written(fields.get("LOCAL_TRANSPORT_RETRANS", ""), 0.0)
    if kind == "tcp" and again is not None:
        yield measure("retransmitted_segments", again, "LOCAL_TRANSPORT_RETRANS")


def _shares(fields: Mapping[str, str]) -> Iterator[Record]:
    for name, quantity in _SHARES:
        share = written(fields.get(name, ""), 0.0)
        if share is not None:
            yield Record(quantity, share, "%", name)


FORMAT = Format(
    "netperf",
    "netperf -H HOST -t TCP_STREAM -- -k; netperf -H HOST -t TCP_RR -j -- -o",
    _begins,
    _read,
    (
        ("first line, PROTOCOL, DIRECTION", "workload", "tcp, tcp-reverse, tcp-rr, udp …"),
        ("(one for each netperf)", "streams", ""),
        ("ELAPSED_TIME", "elapsed_s", ""),
        ("THROUGHPUT, in THROUGHPUT_UNITS", "goodput_mbps", "TCP; KBytes and up are of 1024"),
        ("THROUGHPUT of UDP", "goodput_mbps", "what arrived; not with -N or without first line"),
        ("REMOTE_RECV_THROUGHPUT", "goodput_mbps", "UDP, without first line"),
        ("LOCAL_SEND_THROUGHPUT", "measure.netperf_sent_mbps", "UDP"),
        ("THROUGHPUT of request and response", "request_rate_hz", ""),
        *((name, quantity, "of request and response") for name, quantity in _LATENCIES),
        ("LOCAL_TRANSPORT_RETRANS", "retransmitted_segments", ""),
        *(
            (name, quantity, "of all CPUs; which end is under test is not known")
            for name, quantity in _SHARES
        ),
    ),
)
