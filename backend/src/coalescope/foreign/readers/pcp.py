# SPDX-License-Identifier: Apache-2.0
"""Performance Co-Pilot: what its pcp2json writes of an archive. The archive itself is refused.

Rates carry their unit; KB and MB are of 1024 (pmUnitsStr). Each is the mean since the sample
before, but pcp2json interpolates: what it is made of may lie up to one sample outside, as long as
its samples are no shorter than pmlogger's. What `@timezone` says is not used: it is UTC+0 for every
zone with summer time. Times are UTC where they end in Z, else local.
"""

import bz2
import lzma
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from coalescope.foreign.json_text import as_number, at, documents, list_at, text_at, written
from coalescope.foreign.link_level import link_records
from coalescope.foreign.records import (
    ENVIRONMENT,
    Format,
    Reading,
    Record,
    Unreadable,
    Window,
    fact,
    measure,
)

METRICS = "kernel.all.cpu hinv.ncpu network.interface"
COMMAND = f"pcp2json -a ARCHIVE -t 1 -Z UTC -f '%F %T.%fZ' {METRICS}"
_START = re.compile(r'(?:\{\s*"//"\s*:[^}]*\}\s*)*\{\s*"@pcp"\s*:')
_MAGIC = re.compile(rb"\0\0..P\x05&[\x01-\x03]", re.DOTALL)
_MAGIC_BYTES = 8
_XZ, _BZIP2, _ZSTANDARD = b"\xfd7zXZ\0", b"BZh", b"\x28\xb5\x2f\xfd"
_XZ_MEMORY_BYTES = 100 * 2**20  # its strongest preset takes 65 MB
_ZSTANDARD_NAME = re.compile(r"\.(?:\d+|meta|index)\.zst$")
_TIMES = ("%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S")
_DAY_S = 86_400.0
_LATE_S = 1.0  # of times in whole seconds
#: Of time by time: percent of one CPU.
_PERCENT = {"us/s": 1e-4, "ms/s": 0.1, "s/s": 100.0}
_BYTES = {"byte/s": 1.0, "KB/s": 2.0**10, "MB/s": 2.0**20, "GB/s": 2.0**30}
_PACKETS = {"count/s": 1.0}
_CPU = "kernel.all.cpu."
_SYSTEM = ("sys", "irq.hard", "irq.soft")
_WITHOUT = "It holds neither CPU shares nor rates of interfaces, each with its unit."


def is_archive(start: bytes, name: str) -> bool:
    """Whether a file that begins so is one of the three of an archive of pmlogger.

    Also one that pmlogger_daily packed; Zstandard, which Python cannot unpack, by its name.
    """
    if start.startswith(_ZSTANDARD):
        return _ZSTANDARD_NAME.search(name) is not None
    return _MAGIC.match(_unpacked_start(start)) is not None


def _unpacked_start(start: bytes) -> bytes:
    """The first bytes of what xz or bzip2 holds; of others their own."""
    try:
        if start.startswith(_XZ):
            xz = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
            return xz.decompress(start, _MAGIC_BYTES)
        if start.startswith(_BZIP2):
            return bz2.BZ2Decompressor().decompress(start, _MAGIC_BYTES)
    except (OSError, lzma.LZMAError):
        return b""
    return start


def _refuse(_content: bytes) -> Reading:
    raise Unreadable(
        "This is an archive of pmlogger, which is read through PCP's own tool.",
        f"Send what pcp2json (in the package pcp-export-pcp2json) writes of it: {COMMAND}, "
        "or -t with the interval that pmlogger took.",
        offset=0,
    )


def _begins(start: str) -> bool:
    return _START.match(start) is not None


def _read(content: bytes) -> Reading:
    records = [
        record
        for document in documents(content)
        for host in list_at(document, "@pcp.@hosts")
        for record in _of_host(host)
    ]
    if not any(record.kind == "sample" for record in records):
        raise Unreadable(
            _WITHOUT, f"Write it without --raw, with: {COMMAND}", field="@pcp.@hosts[].@metrics"
        )
    return Reading(beside=records)


def _of_host(host: Any) -> Iterator[Record]:
    name, samples = text_at(host, "@host"), list_at(host, "@metrics")
    yield from _facts(samples, name)
    cpus = _same([_cpus(one) for one in samples])
    before = None
    for one in samples:
        now = text_at(one, "@timestamp")
        window = _window(before, now)
        before = now
        yield from _cpu_shares(one, cpus, window, name)
        yield from _interfaces(one, window, name)


def _window(before: str | None, now: str | None) -> Window | None:
    """From one sample to the next, and a sample more on both sides: that is interpolated."""
    start, end = _moment(before), _moment(now)
    if start is None or end is None or start >= end or now is None:
        return None
    length = (end - start).total_seconds()
    first, last = start.timestamp() - length, end.timestamp() + length
    late = 0.0 if "." in now else _LATE_S
    if now.endswith("Z"):
        return Window(first, last, late)
    midnight = end.timestamp() // _DAY_S
    days = (int(midnight),)
    return Window(first - midnight * _DAY_S, last - midnight * _DAY_S, late, days)


def _moment(text: str | None) -> datetime | None:
    for form in _TIMES:
        try:
            return datetime.strptime((text or "").removesuffix("Z"), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _facts(samples: list[Any], host: str | None) -> Iterator[Record]:
    """What was the same in all samples."""
    release = _same([text_at(one, "kernel.uname.release.value") for one in samples])
    if release is not None:
        yield fact(f"{ENVIRONMENT}kernel_version", release, "kernel.uname.release", host)
    cpus = _same([_cpus(one) for one in samples])
    if cpus is not None:
        yield fact(f"{ENVIRONMENT}cpus", cpus, "hinv.ncpu", host)
    sizes: dict[str, list[float | None]] = {}
    for one in samples:
        for name, said in _instances(one, "network.interface.mtu"):
            size = _value(said) if said.get("@unit") == "byte" else None
            sizes.setdefault(name, []).append(size)
    for name, found in sizes.items():
        size = _same(found)
        if size:
            yield fact("mtu_bytes", int(size), f"network.interface.mtu[{name}]", host, name)


def _same(values: list[Any]) -> Any:
    known = {value for value in values if value is not None}
    return known.pop() if len(known) == 1 else None


def _cpus(sample: Any) -> float | None:
    found = _value(at(sample, "hinv.ncpu"))
    return found if found is not None and found >= 1.0 else None


def _cpu_shares(
    sample: Any, cpus: float | None, window: Window | None, host: str | None
) -> Iterator[Record]:
    idle = _rate(sample, f"{_CPU}idle", _PERCENT)

    def share(quantity: str, value: float, field: str) -> Record:
        return measure(quantity, value, f"{_CPU}{field}", window, host, "sample")

    system = [_rate(sample, f"{_CPU}{name}", _PERCENT) for name in _SYSTEM]
    known = [part for part in system if part is not None]
    if len(known) == len(system):
        yield share("system_cpu_percent", sum(known), "{sys,irq.hard,irq.soft}")
    if cpus is None or idle is None:
        return
    yield share("idle_cpu_percent", min(idle / cpus, 100.0), "idle, by hinv.ncpu")
    waiting = _rate(sample, f"{_CPU}wait.total", _PERCENT)
    stolen = _rate(sample, f"{_CPU}steal", _PERCENT)
    if waiting is not None and stolen is not None:
        busy = max(100.0 * cpus - idle - waiting - stolen, 0.0)
        yield share("host_cpu_percent", busy, "{idle,wait.total,steal}: what hinv.ncpu leaves")


def _interfaces(sample: Any, window: Window | None, host: str | None) -> Iterator[Record]:
    for way, quantity in (("in", "throughput_mbps"), ("out", "tx_throughput_mbps")):
        root = f"network.interface.{way}"
        packets = dict(_instances(sample, f"{root}.packets"))
        for name, said in _instances(sample, f"{root}.bytes"):
            octets = _scaled(said, _BYTES)
            count = _scaled(packets.get(name, {}), _PACKETS)
            if octets is not None and count is not None:
                yield from link_records(
                    quantity, octets, count, f"{root}.bytes, packets [{name}]", window, host, name,
                    "sample",
                )  # fmt: skip


def _instances(sample: Any, metric: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for said in list_at(sample, f"{metric}.@instances"):
        name = text_at(said, "name")
        if name is not None:
            yield name, said


def _rate(sample: Any, metric: str, units: dict[str, float]) -> float | None:
    said = at(sample, metric)
    return _scaled(said, units) if isinstance(said, dict) else None


def _scaled(said: dict[str, Any], units: dict[str, float]) -> float | None:
    """The value in the unit that `units` is for; None where its own is not among them."""
    unit, value = said.get("@unit"), _value(said)
    scale = units.get(unit) if isinstance(unit, str) else None
    return None if scale is None or value is None else scale * value


def _value(said: Any) -> float | None:
    """A value: a text, or with --exact-types a number."""
    value = said.get("value") if isinstance(said, dict) else None
    return written(value, 0.0) if isinstance(value, str) else as_number(value, 0.0)


FORMAT = Format(
    "PCP",
    COMMAND,
    _begins,
    _read,
    (
        ("kernel.all.cpu.idle, by hinv.ncpu", "idle_cpu_percent", "of all CPUs"),
        (
            "kernel.all.cpu.{sys,irq.hard,irq.soft}",
            "system_cpu_percent",
            "of one CPU, as the glossary has it",
        ),
        ("what kernel.all.cpu.{idle,wait.total,steal} leave", "host_cpu_percent", "likewise"),
        (
            "network.interface.in.bytes, packets",
            "throughput_mbps",
            "the frame check sequence is added; KB and MB are of 1024",
        ),
        ("network.interface.out.bytes, packets", "tx_throughput_mbps", "likewise"),
        ("network.interface.mtu", "mtu_bytes", "if it stays the same"),
    ),
)
#: It is recognised by is_archive, and refused.
ARCHIVE = replace(FORMAT, read=_refuse)
