# SPDX-License-Identifier: Apache-2.0
"""sadf -j (sysstat, json_stats.c): CPUs and interfaces of `sar -u`, `-u ALL`, `-n DEV`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from coalescope.foreign.json_text import at, list_at, number, text_at
from coalescope.foreign.link_level import link_records
from coalescope.foreign.records import Format, Reading, Record, Window
from coalescope.foreign.sysstat import CPU_SHARES, LATE_S, START, Host, cpu_shares, read_hosts

_START = re.compile(START + r'"file-date"\s*:')
_UTC = ("UTC", "GMT")
_KB = 1024.0  # sysstat's kilobyte


def _begins(start: str) -> bool:
    return _START.match(start) is not None


def _read(content: bytes) -> Reading:
    return read_hosts(
        content,
        _samples,
        "It holds neither CPU shares nor rates of interfaces.",
        "Write it with `sadf -j FILE -- -u ALL -n DEV`.",
    )


def _samples(host: Host) -> Iterator[Record]:
    for one in host.statistics:
        window = _window(one, text_at(host.said, "timezone"))
        yield from cpu_shares(one, window, host)
        for device in list_at(one, "network.net-dev"):
            yield from _interface(device, window, host.name)


def _window(statistics: Any, timezone: str | None) -> Window | None:
    stamp = at(statistics, "timestamp")
    length = number(stamp, "interval", 0.0)
    text = f"{text_at(stamp, 'date')} {text_at(stamp, 'time')}"
    try:
        moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    if not length:
        return None
    # "utc": 1 until 12.7.4, then "tz"; local times come with the machine's time zone
    zone = "UTC" if at(stamp, "utc") == 1 else text_at(stamp, "tz") or timezone
    end = moment.timestamp()
    if zone in _UTC:
        return Window(end - length, end, LATE_S)
    day, since = divmod(end, 86_400.0)
    return Window(since - length, since, LATE_S, (int(day),))


def _interface(device: Any, window: Window | None, host: str | None) -> Iterator[Record]:
    name = text_at(device, "iface")
    if name is None:
        return
    for way, quantity in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        packets, kilobytes = (number(device, f"{way}{unit}", 0.0) for unit in ("pck", "kB"))
        if packets is not None and kilobytes is not None:
            field = f"network.net-dev[{name}].{way}kB, {way}pck"
            yield from link_records(
                quantity, _KB * kilobytes, packets, field, window, host, name, "sample"
            )


FORMAT = Format(
    "sar",
    "sadf -j FILE -- -u ALL -n DEV",
    _begins,
    _read,
    (
        *CPU_SHARES,
        (
            "network.net-dev[].rxkB, rxpck",
            "throughput_mbps",
            "kB of 1024 bytes; the frame check sequence is added",
        ),
        ("network.net-dev[].txkB, txpck", "tx_throughput_mbps", "likewise"),
    ),
)
