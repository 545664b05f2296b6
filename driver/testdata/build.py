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


ABI = (  # the counters of struct coalescope_snapshot in their order, from its byte 72 on
    *("rx_packets", "rx_bytes", "tx_packets", "tx_bytes"),
    *("interrupts", "rx_interrupts", "polls", "rx_polls", "poll_work", "schedules"),
    *("idle_cycles", "task_cycles", "other_task_cycles"),
    *("irq_cycles", "softirq_cycles", "other_irq_cycles"),
    *("cpu_user_ns", "cpu_nice_ns", "cpu_system_ns", "cpu_idle_ns"),
    *("cpu_iowait_ns", "cpu_irq_ns", "cpu_softirq_ns", "cpu_steal_ns"),
    *("driver_rx_packets", "driver_rx_bytes", "driver_tx_packets", "driver_tx_bytes"),
    *("rx_dropped", "tx_dropped", "rx_errors", "tx_errors", "rx_missed_errors", "rx_fifo_errors"),
)
QUEUE_ABI = ("rx_packets", "rx_bytes", "rx_interrupts", "polls", "rx_polls")
MODULE_SOURCES = [
    {"name": "module", "atomic": True},
    {"name": "module_driver", "atomic": False},
    {"name": "clock", "atomic": False},
    {"name": "proc_interrupts", "atomic": False},
]
SCOPES = {
    **dict.fromkeys(("idle_cycles", "other_task_cycles", "other_irq_cycles"), "machine"),
    "task_cycles": "namespace",
}


def module_field(name: str, **more: object) -> dict[str, object]:
    """One counter of the kernel module, described as the logger describes it."""
    unit = name.rpartition("_")[2]  # in nearly all names
    special = {
        "polls": "polls",
        "poll_work": "packets",
        "schedules": "schedules",
        "t_tsc": "cycles",
    }
    described: dict[str, object] = {
        "name": name,
        "type": "u64",
        "unit": special.get(name, unit),
        "kind": "counter",
        "wrap_bits": 64,
        "source": "module",
    }
    if unit == "bytes":
        described["bytes_include"] = ["link_header", "fcs"]
        described["bytes_include_basis"] = "counted by the module"
    if name == "rx_interrupts":
        described["direction"] = "receive"
    if name in SCOPES or name.startswith("cpu_"):
        described["scope"] = SCOPES.get(name, "machine")
    return described | more


def gauge(name: str) -> dict[str, object]:
    """A value of the module that is no counter."""
    base = {"name": name, "type": "u64", "unit": "1", "kind": "gauge"}
    return {**base, "source": "module"}


def driver_field(name: str) -> dict[str, object]:
    """One of the driver's own statistics."""
    octets = name.endswith("_bytes")
    more: dict[str, object] = {"unit": "bytes" if octets else "packets", "source": "module_driver"}
    if octets:
        more["bytes_include"] = ["link_header"]
    described = module_field(name) | more
    described.pop("bytes_include_basis", None)
    return described


def queue_fields(queue: int, **more: object) -> list[dict[str, object]]:
    """The counters of one queue."""
    return [
        module_field(name) | {"name": f"{name}.q{queue}", "queue": queue, **more}
        for name in QUEUE_ABI
    ]


def module() -> bytes:
    """What the logger writes with the kernel module: atomic fields, queues, driver statistics."""
    octets_first = ("rx_bytes", "rx_packets", "tx_bytes", "tx_packets")
    counted = [*octets_first, *ABI[4:24]]
    line = standard_field("rx_interrupts", source="proc_interrupts")
    fields = [
        standard_field("t_monotonic_ns", source="module", clock="CLOCK_MONOTONIC_RAW"),
        module_field("t_tsc", frequency_khz=3_000_000),
        *map(module_field, counted),
        gauge("retries"),
        gauge("flags"),
        *queue_fields(0, napi_id=8193, irq=24),
        *queue_fields(1),
        *map(driver_field, ABI[24:]),
        standard_field("t_realtime_ns", source="clock"),
        line | {"name": "interrupts.24", "irq": 24},
    ]
    facts = {"host": None, "cpus": 2, "counter_source": "module", "module_version": "0.1.0"}
    described = header(fields=fields, sources=MODULE_SOURCES, environment=facts)
    file = io.BytesIO()
    log = Writer(file, described)
    for k in range(25):
        moment, wall = START + k * INTERVAL, WALL + k * INTERVAL
        total = {name: 1000 * (number + 1) * k for number, name in enumerate(ABI)}
        queues = [1000 * (100 * q + n + 1) * k for q in (1, 2) for n in range(len(QUEUE_ABI))]
        log.sample(
            moment,
            3 * moment,
            *(total[name] for name in counted),
            k % 3,
            int(k == 7),
            *queues,
            *(total[name] for name in ABI[24:]),
            wall,
            7 * k,
        )
        if k == 2:
            log.mark("window_start", moment, wall)
        if k == 23:
            log.mark("window_end", moment, wall)
    log.result(b'{"rx_no_buffer_count":12}', name="ethtool_statistics_end")
    log.finish("duration")
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
        "module.runlog": module(),
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
