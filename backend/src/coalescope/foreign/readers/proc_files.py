# SPDX-License-Identifier: Apache-2.0
"""Copies of files below /proc, before and after: the running totals of each (proc(5)).

Of net/dev, net/softnet_stat, net/snmp, interrupts, stat and uptime.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from coalescope.foreign.json_text import decoded, written
from coalescope.foreign.records import Counter, Format, Reading, Record, Unreadable, measure
from coalescope.foreign.totals import changed

# user and nice hold guest and guest_nice
_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_DEVICE = ("rx_bytes", "rx_packets", "errs", "drops")
_HEX = re.compile(r"([0-9a-f]{8} ){8,}[0-9a-f]{8}\s*$", re.MULTILINE)
#: Characters. Each word of the name is kept with the whole of it.
_LONGEST_LINE_NAME = 200
_SENDS_ONLY = re.compile(r"(^|\W|_)(tx|output)(\W|_|\d|$)", re.IGNORECASE)


def _net_dev(text: str) -> Iterator[Counter]:
    for line in text.splitlines()[2:]:
        name, separator, rest = line.partition(":")
        numbers = [written(word, 0.0) for word in rest.split()]
        if not separator or len(numbers) < 16:
            continue
        places = (*((field, place) for place, field in enumerate(_DEVICE)), ("tx_bytes", 8))
        for field, place in (*places, ("tx_packets", 9)):
            value = numbers[place]
            if value is not None and field != "errs":
                yield Counter(field, value, f"{name.strip()}: {field}", name.strip())


def _softnet(text: str) -> Iterator[Counter]:
    rows = [line.split() for line in text.splitlines() if line.strip()]
    dropped = float(sum(int(row[1], 16) for row in rows))
    yield Counter("backlog_drops", dropped, "second column, of all CPUs")


def _snmp(text: str) -> Iterator[Counter]:
    lines = [line.split() for line in text.splitlines()]
    for names, values in pairwise(lines):
        if names[:1] == ["Tcp:"] == values[:1] and "RetransSegs" in names:
            value = written(values[names.index("RetransSegs")], 0.0)
            if value is not None:
                yield Counter("host_retransmitted_segments", value, "Tcp: RetransSegs")


def _interrupts(text: str) -> Iterator[Counter]:
    """Lines that serve receiving, by each word of their name: one of them may be an interface."""
    header, *lines = text.splitlines()
    cpus = len(header.split())
    for line in lines:
        label, _, rest = line.partition(":")
        *counts, said = rest.split(maxsplit=cpus) or [""]
        numbers = [label.strip(), *counts]
        if len(counts) < cpus or not all(map(str.isdecimal, numbers)):
            continue
        total = float(sum(int(word[:18]) for word in counts))
        name = said.split()[-1]
        if "," in said or len(name) > _LONGEST_LINE_NAME:
            continue  # shared with another device, or no name of one
        if _SENDS_ONLY.search(name) and "rx" not in name.lower():
            continue
        for word in dict.fromkeys(name.split("-")):
            yield Counter(f"line {label.strip()}", total, f"{label.strip()}: {name}", word)


def _stat(text: str) -> Iterator[Counter]:
    lines = [line.split() for line in text.splitlines()]
    cpus = sum(1 for line in lines if line and re.fullmatch(r"cpu\d+", line[0]))
    total = next((line[1:] for line in lines if line and line[0] == "cpu"), [])
    for mode, word in zip(_MODES, total, strict=False):
        value = written(word, 0.0)
        if value is not None:
            yield Counter(mode, value, f"cpu: {mode}")
    yield Counter("cpus", float(cpus), "cpuN, number of lines")


def _uptime(text: str) -> Iterator[Counter]:
    value = written(text.split(maxsplit=1)[0], 0.0)
    if value is not None:
        yield Counter("elapsed_s", value, "first number")


def _as_they_are(before: Sequence[Counter], after: Sequence[Counter]) -> list[Record]:
    return [
        measure(one.name, one.value, one.field, interface=one.interface)
        for one in changed(before, after)
    ]


def _of_lines(before: Sequence[Counter], after: Sequence[Counter]) -> list[Record]:
    lines: dict[str, list[Counter]] = {}
    for one in changed(before, after):
        lines.setdefault(one.interface or "", []).append(one)
    return [
        measure(
            "rx_line_interrupts",
            sum(one.value for one in of),
            " + ".join(one.field for one in of),
            interface=name,
        )
        for name, of in lines.items()
    ]


def _shares(before: Sequence[Counter], after: Sequence[Counter]) -> list[Record]:
    """In percent of one CPU, but for idle time; so the length of a tick does not matter."""
    cpus = next(one.value for one in after if one.name == "cpus")
    ticks = {one.name: one.value for one in changed(before, after) if one.name in _MODES}
    total = sum(ticks.values())
    if total <= 0.0 or not cpus:
        return []
    system = sum(ticks.get(mode, 0.0) for mode in ("system", "irq", "softirq"))
    aside = sum(ticks.get(mode, 0.0) for mode in ("idle", "iowait", "steal"))
    found = (
        ("system_cpu_percent", cpus * system, "cpu: system + irq + softirq, of all, by CPUs"),
        ("host_cpu_percent", cpus * (total - aside), "cpu: all but idle, iowait, steal, by CPUs"),
        ("idle_cpu_percent", ticks.get("idle", 0.0), "cpu: idle, of all"),
    )
    return [measure(quantity, 100.0 * part / total, field) for quantity, part, field in found]


def _reader(name: str, parts: Callable[[str], Iterator[Counter]]) -> Callable[[bytes], Reading]:
    def read(content: bytes) -> Reading:
        try:
            counters = list(parts(decoded(content)))
        except (ValueError, IndexError, OverflowError) as error:
            raise Unreadable(
                f"It is no copy of {name}: {str(error)[:100]}.", "Copy the whole file.", offset=0
            ) from None
        if not counters:
            raise Unreadable(f"It is no whole copy of {name}.", "Copy the whole file.", offset=0)
        return Reading(counters=counters)

    return read


def _format(
    name: str,
    begins: Callable[[str], bool],
    parts: Callable[[str], Iterator[Counter]],
    gives: Sequence[tuple[str, str, str]],
    difference: Callable[[Sequence[Counter], Sequence[Counter]], list[Record]] = _as_they_are,
) -> Format:
    return Format(
        name, f"cat {name}, before and after", begins, _reader(name, parts), gives, difference
    )


FORMATS = (
    _format(
        "/proc/net/dev",
        lambda start: start.startswith("Inter-|   Receive"),
        _net_dev,
        (
            ("bytes, packets (Receive)", "rx_bytes", "rx_packets likewise"),
            ("packets (Receive)", "rx_packets", ""),
            ("drop (Receive)", "drops", "the kernel adds rx_missed_errors there"),
            ("bytes (Transmit)", "tx_bytes", ""),
            ("packets (Transmit)", "tx_packets", ""),
        ),
    ),
    _format(
        "/proc/interrupts",
        lambda start: re.match(r"(CPU\d+[ \t\r]+)+\n\s*\w+:", start) is not None,
        _interrupts,
        (
            (
                "lines with the interface in their name",
                "rx_line_interrupts",
                "but those that only send; a driver that names its lines otherwise has none",
            ),
        ),
        _of_lines,
    ),
    _format(
        "/proc/stat",
        lambda start: re.match(r"cpu  ?\d+ \d+ \d+ \d+", start) is not None,
        _stat,
        (
            ("cpu: system + irq + softirq, of all, by CPUs", "system_cpu_percent", "of one CPU"),
            ("cpu: all but idle, iowait, steal, by CPUs", "host_cpu_percent", "of one CPU"),
            ("cpu: idle, of all", "idle_cpu_percent", ""),
        ),
        _shares,
    ),
    _format(
        "/proc/net/softnet_stat",
        lambda start: _HEX.match(start) is not None,
        _softnet,
        (("second column", "backlog_drops", "of all CPUs"),),
    ),
    _format(
        "/proc/net/snmp",
        lambda start: start.startswith("Ip: Forwarding"),
        _snmp,
        (("Tcp: RetransSegs", "host_retransmitted_segments", "of the network namespace"),),
    ),
    _format(
        "/proc/uptime",
        lambda start: re.fullmatch(r"\d+\.\d\d \d+\.\d\d\s*", start) is not None,
        _uptime,
        (("first number", "elapsed_s", "of all snapshots that were taken with it"),),
    ),
)
