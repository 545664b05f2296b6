# SPDX-License-Identifier: Apache-2.0
"""neper (tcp_stream, tcp_rr, udp_stream, udp_rr …): KEY=VALUE, in SI units (its README).

`throughput` is in transactions a second, or with throughput_units in bits; latencies are in
seconds, of round trips, and 0 at the end that does not measure them.
"""

import re
from collections.abc import Iterator, Mapping

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

_LINE = re.compile(r"([\w.]+)=(.*)")
_MBPS = {"Mbit/s": 1.0, "Gbit/s": 1e3, "Kbit/s": 1e-3, "bit/s": 1e-6}
_LATENCIES = (
    ("latency_mean", "latency_us"),
    ("latency_p50", "latency_p50_us"),
    ("latency_p90", "latency_p90_us"),
    ("latency_p95", "latency_p95_us"),
    ("latency_p99", "latency_p99_us"),
    ("latency_p99.9", "latency_p999_us"),
    ("latency_max", "latency_max_us"),
)


def _begins(start: str) -> bool:
    return start.startswith("VERSION=") and "\ntotal_run_time=" in start


def _read(content: bytes) -> Reading:
    lines = (_LINE.fullmatch(line.strip()) for line in decoded(content).splitlines())
    said = {found[1]: found[2] for found in lines if found is not None}
    if not {"throughput", "remote_throughput"} & said.keys():
        raise Unreadable(
            "neper printed no throughput.",
            "Let it finish, or leave the file out.",
            field="throughput",
        )
    return Reading(runs=[ToolRun([*_settings(said), *_amounts(said)])])


def _settings(said: Mapping[str, str]) -> Iterator[Record]:
    version = said["VERSION"][:100]
    yield fact(f"{ENVIRONMENT}workload_tool", f"neper {version}", "VERSION")
    flows = written(said.get("num_flows", ""), 1.0)
    if flows is not None and said.get("client") == "1":
        yield fact("streams", flows, "num_flows")


def _amounts(said: Mapping[str, str]) -> Iterator[Record]:
    start, end = (written(said.get(f"time_{edge}", "")) for edge in ("start", "end"))
    if start is not None and end is not None and end > start:
        yield measure("elapsed_s", end - start, "time_end less time_start")
    rate = written(said.get("throughput", ""), 0.0)
    scale = _MBPS.get(said.get("throughput_units", ""))
    at_server = written(said.get("remote_throughput", ""), 1.0)
    if rate is not None and "num_transactions" in said and "throughput_units" not in said:
        yield measure("request_rate_hz", rate, "throughput")
    elif rate is not None and scale is not None and said.get("client") == "0":
        yield measure("goodput_mbps", scale * rate, "throughput, in throughput_units")
    elif rate is None and at_server is not None and "num_transactions" not in said:
        yield measure("goodput_mbps", 1e-6 * at_server, "remote_throughput, in bits")
    longest = written(said.get("latency_max", ""), 0.0)
    for name, quantity in _LATENCIES if longest else ():
        seconds = written(said.get(name, ""), 0.0)
        if seconds is not None:
            yield measure(quantity, 1e6 * seconds, f"{name}, in seconds")


FORMAT = Format(
    "neper",
    "tcp_rr -c -H HOST; tcp_stream",
    _begins,
    _read,
    (
        ("num_flows", "streams", "of the client, which sets it"),
        ("time_end less time_start", "elapsed_s", ""),
        ("throughput, in throughput_units", "goodput_mbps", "of the server, which receives"),
        ("remote_throughput, in bits", "goodput_mbps", "of the client, as the server tells it"),
        ("throughput of tcp_rr, udp_rr", "request_rate_hz", ""),
        *((name, quantity, "in seconds there") for name, quantity in _LATENCIES),
    ),
)
