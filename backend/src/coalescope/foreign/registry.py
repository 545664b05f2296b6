# SPDX-License-Identifier: Apache-2.0
"""The formats that are read, and which of them a file is of."""

import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from coalescope.errors import Problem
from coalescope.foreign.readers import (
    ethtool,
    flent,
    iperf3,
    k8s_netperf,
    mpstat,
    neper,
    netperf,
    pcp,
    perf_stat,
    perfkit,
    proc_files,
    sadf,
    sockperf,
)
from coalescope.foreign.records import Format, Reading, Record, Unreadable
from coalescope.glossary.quantities import factor, is_own_measure, measure
from coalescope.untrusted.confined import is_of_memory

#: In the order in which a value counts where two files give it.
FORMATS: tuple[Format, ...] = (
    iperf3.FORMAT,
    netperf.FORMAT,
    flent.FORMAT,
    sockperf.FORMAT,
    neper.FORMAT,
    k8s_netperf.FORMAT,
    perfkit.FORMAT,
    *proc_files.FORMATS,
    sadf.FORMAT,
    mpstat.FORMAT,
    pcp.FORMAT,
    ethtool.FORMAT,
    perf_stat.FORMAT,
)
MOST_BYTES = 32 * 2**20
START_BYTES = 1 << 16
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class ReadFile:
    """A file that was understood."""

    name: str
    format: Format
    reading: Reading


def recognise(start: bytes, name: str = "") -> Format | None:
    """The format of a file that begins so, if it is one that is read; else by what it is called."""
    if start.startswith(_GZIP):
        start = _inflated_start(start)
    if pcp.is_archive(start, name):
        return pcp.ARCHIVE
    text = start[:START_BYTES].decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    return next((one for one in FORMATS if one.begins(text)), None)


def is_foreign(path: Path) -> bool:
    """Whether that file is of a format that is read. Errors: OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return recognise(file.read(START_BYTES), path.name) is not None


def read_file(name: str, content: bytes) -> ReadFile | Problem | None:
    """What a file says; what is wrong with it; or None where it is of no format that is known."""
    form = recognise(content[:START_BYTES], name)
    if form is None:
        return None
    try:
        reading = form.read(_unpacked(content))
        _check(reading)
    except Unreadable as fault:
        where: dict[str, str | int | float | None] = {"file": name, **fault.where}
        return Problem(
            "unreadable_file", f"{name} ({form.name}): {fault.message}", where, fault.advice
        )
    return ReadFile(name, form, _named(reading, name))


def _named(reading: Reading, name: str) -> Reading:
    runs = [
        run._replace(records=[replace(record, file=name) for record in run.records])
        for run in reading.runs
    ]
    beside = [replace(record, file=name) for record in reading.beside]
    return replace(reading, runs=runs, beside=beside)


def _check(reading: Reading) -> None:
    """Errors: Unreadable for a value that its quantity cannot have."""
    for record in [*reading.beside, *(one for run in reading.runs for one in run.records)]:
        check_record(record)


def check_record(record: Record) -> None:
    """Errors: Unreadable for a value that its quantity cannot have."""
    name, value = record.quantity, record.value
    quantity = factor(name) or (None if is_own_measure(name) else measure(name))
    if quantity is None or quantity.text or isinstance(value, bool | str):
        return
    if not quantity.contains(value):
        raise Unreadable(
            f"It says that {name} is {value:g}, which is not possible.",
            "The tool failed, or the file was changed: leave it out.",
            field=record.field,
        )


def _unpacked(content: bytes) -> bytes:
    """The bytes themselves, or what gzip holds. Errors: Unreadable beyond MOST_BYTES."""
    if not content.startswith(_GZIP):
        return content
    inflater = zlib.decompressobj(wbits=31)
    try:
        found = inflater.decompress(content, MOST_BYTES + 1)
    except zlib.error as error:
        if is_of_memory(error):
            raise
        advice = "Send the file as the tool wrote it."
        raise Unreadable(f"It cannot be unpacked: {error}.", advice, offset=0) from None
    if len(found) > MOST_BYTES:
        raise Unreadable(
            f"It unpacks to more than {MOST_BYTES:,} bytes.", "No result is as large: leave it out."
        )
    if not inflater.eof:
        raise Unreadable(
            "It ends in the middle of what is packed: it was cut off.",
            "Copy the file again.",
            offset=len(content),
        )
    return found


def _inflated_start(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, START_BYTES)
    except zlib.error as error:
        if is_of_memory(error):
            raise
        return b""
