# SPDX-License-Identifier: Apache-2.0
"""Writes the golden logs beside this file, and expected.json: what a reader finds in each.

    python driver/testdata/build.py [--out DIRECTORY]

The logs are frozen: a reader of any later version must read them. Do not change one; add another.
"""

import argparse
import hashlib
import io
import json
import zlib
from collections.abc import Mapping
from pathlib import Path

from coalescope_host.run_log import RunLogError, Writer, make_header, read, standard_field

SOURCES = [{"name": "clock", "atomic": False}, {"name": "netlink", "atomic": False}]
START, INTERVAL, WALL = 5_000_000_000, 50_000_000, 1_700_000_000_000_000_000
BODY = b'{"end":{"sum_received":{"bytes":1234567}}}\n'


def header(**more: object) -> dict[str, object]:
    """The header of the small log."""
    usual = [
        standard_field("t_monotonic_ns", source="clock"),
        standard_field("t_realtime_ns", source="clock"),
        standard_field("rx_bytes", source="netlink"),
        standard_field("rx_packets", source="netlink"),
        standard_field("rx_interrupts", source="netlink"),
    ]
    members: dict[str, object] = {
        "run_id": "00000000-0000-4000-8000-000000000001",
        "experiment": "golden",
        "experiment_title": 'Golden "log" µs → 📈 \t\x01\\',
        "kind": "emulated",
        "replicate": 2,
        "order": 7,
        "seed": 1,
        "factors": {
            "mtu_bytes": {"requested": 1500, "read_back": 1500},
            "delay_us": {"requested": 10.24, "read_back": None},
            "workload": {"requested": "udp", "read_back": None},
        },
        "environment": {"host": None, "cpus": 2},
        "interval_ns": INTERVAL,
        "sources": SOURCES,
        "fields": usual,
    }
    return make_header(**(members | more))  # type: ignore[arg-type]


def small() -> bytes:
    """A whole log: samples, marks, result, footer."""
    file = io.BytesIO()
    log = Writer(file, header())
    for k in range(30):
        values = (START + k * INTERVAL, WALL + k * INTERVAL, 1_514_000 * k, 1000 * k, 100 * k)
        log.sample(*values)
        if k == 2:
            log.mark("window_start", values[0], values[1])
        if k == 28:
            log.mark("window_end", values[0], values[1])
    log.result(BODY, exit_status=0)
    log.finish("command", missed_ticks=0)
    return file.getvalue()


def wrapped() -> bytes:
    """Counters of 32 bits that wrap, and one that was reset."""
    fields = [
        standard_field("t_monotonic_ns", source="clock"),
        standard_field("rx_bytes", source="netlink", type="u32", wrap_bits=32),
        standard_field("rx_packets", source="netlink", type="u32", wrap_bits=32),
    ]
    file = io.BytesIO()
    with Writer(file, header(fields=fields)) as log:
        for k in range(20):
            octets = (4_294_000_000 + 200_000 * k) % 2**32
            packets = 1000 * k if k < 10 else 1000 * (k - 10)
            log.sample(START + k * INTERVAL, octets, packets)
            if k == 0:
                log.mark("window_start", START)
        log.mark("window_end", START + 19 * INTERVAL)
    return file.getvalue()


def several_sources() -> bytes:
    """What a kernel module may add: an atomic source, cycles, retries, queues, a second stream."""

    def counter(name: str, unit: str, **more: object) -> dict[str, object]:
        base = {"name": name, "type": "u64", "unit": unit, "kind": "counter", "wrap_bits": 64}
        return {**base, "source": "module", **more}

    fields = [
        standard_field("t_monotonic_ns", source="module"),
        counter("t_tsc", "cycles"),
        counter("rx_bytes", "bytes", bytes_include=["link_header", "fcs"]),
        counter("rx_packets", "packets"),
        counter("rx_interrupts", "interrupts"),
        counter("rx_polls", "polls"),
        counter("irq_cycles", "cycles"),
        counter("softirq_cycles", "cycles"),
        {
            "name": "retries",
            "type": "u32",
            "unit": "1",
            "kind": "gauge",
            "source": "module",
        },
        {
            "name": "abi_version",
            "type": "u16",
            "unit": "1",
            "kind": "gauge",
            "source": "module",
        },
        standard_field("t_monotonic_ns", source="module", stream=1),
        counter("rx_packets.q0", "packets", stream=1, queue=0),
        counter("rx_packets.q1", "packets", stream=1, queue=1),
        {
            "name": "temperature",
            "type": "f64",
            "unit": "K",
            "kind": "gauge",
            "source": "clock",
            "stream": 1,
        },
    ]
    described = header(fields=fields[:10], sources=[*SOURCES, {"name": "module", "atomic": True}])
    described["fields"] = fields
    described["streams"] = [
        {"name": "samples", "record_bytes": 72},
        {"name": "queues", "record_bytes": 32},
    ]
    file = io.BytesIO()
    with Writer(file, described) as log:
        for k in range(12):
            moment = START + k * INTERVAL
            log.sample(moment, 3 * moment, 1518 * k, k, k, k, 500 * k, 900 * k, k % 2, 1)
            if k % 4 == 0:
                log.sample(moment + 1, k, 0, 300.5, stream=1)
    return file.getvalue()


def newer(log: bytes) -> bytes:
    """The same log as a version 2."""
    start = log[:8] + (2).to_bytes(2, "little") + log[10:20]
    return start + zlib.crc32(start).to_bytes(4, "little") + log[24:]


def flipped(log: bytes) -> bytes:
    """The same log with one bit of a record turned."""
    at = log.index(b"CBLK") + 32 + 100
    return log[:at] + bytes([log[at] ^ 0x10]) + log[at + 1 :]


def expectation(log: bytes) -> dict[str, object]:
    """What a reader says of a log."""
    outcome: dict[str, object] = {"sha256": hashlib.sha256(log).hexdigest(), "bytes": len(log)}
    try:
        found = read(log)
    except RunLogError as error:
        return outcome | {"refused": error.code, "offset": error.offset, "block": error.block}
    return outcome | {
        "refused": None,
        "complete": found.complete,
        "problems": [problem.code for problem in found.problems],
        "records": [stream.records for stream in found.streams],
        "marks": [mark.name for mark in found.marks],
        "results": [result.name for result in found.results],
        "last": {
            field.name: stream.column(field.name)[-1]
            for stream in found.streams
            for field in stream.fields
        },
    }


def golden() -> Mapping[str, bytes]:
    """All golden logs by name."""
    log = small()
    return {
        "small.runlog": log,
        "wrapped.runlog": wrapped(),
        "several-sources.runlog": several_sources(),
        "cut-off.runlog": log[: len(log) * 2 // 3],
        "newer-major.runlog": newer(log),
        "flipped-bit.runlog": flipped(log),
    }


def main() -> None:
    """Write the logs and what to expect of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    logs = golden()
    for name, log in logs.items():
        (out / name).write_bytes(log)
    expected = {name: expectation(log) for name, log in logs.items()}
    text = json.dumps(expected, indent=1) + "\n"
    (out / "expected.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
