# SPDX-License-Identifier: Apache-2.0
"""mpstat -o JSON (sysstat, mpstat.c). It writes local times without their offset from UTC."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import pairwise

from coalescope.foreign.json_text import text_at
from coalescope.foreign.records import Format, Reading, Record, Window
from coalescope.foreign.sysstat import CPU_SHARES, LATE_S, START, Host, cpu_shares, read_hosts

_START = re.compile(START + r'"date"\s*:\s*"')
_SADF = '"file-date"'
_DAY_S = 86_400.0
_SHORTEST_S = 1.0  # the interval is in whole seconds
_WRITTEN = ("%Y-%m-%d", "%m/%d/%y", "%d/%m/%y", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d.%m.%y")


def _begins(start: str) -> bool:
    return _START.match(start) is not None and _SADF not in start


def _read(content: bytes) -> Reading:
    return read_hosts(
        content,
        _samples,
        "It holds no sample of all CPUs together.",
        "Measure with `mpstat -o JSON 1`, and let it end by itself or with Ctrl-C.",
    )


def _samples(host: Host) -> Iterator[Record]:
    for one, window in zip(host.statistics, _windows(host), strict=True):
        yield from cpu_shares(one, window, host)


def _windows(host: Host) -> list[Window | None]:
    """Each sample ends at its timestamp, and is as long as the time from one to the next."""
    ends = _ends([text_at(one, "timestamp") for one in host.statistics])
    days = _days(text_at(host.said, "date") or "")
    if ends is None or len(ends) < 2 or not days:
        return [None] * len(host.statistics)
    lengths = [max(after - before, _SHORTEST_S) for before, after in pairwise(ends)]
    lengths = [sorted(lengths)[len(lengths) // 2], *lengths]
    return [
        Window(end - length, end, LATE_S, days) for end, length in zip(ends, lengths, strict=True)
    ]


def _ends(texts: list[str | None]) -> list[float] | None:
    """Seconds since the first midnight; a time that is earlier than the last is of the next day.

    Two may have the same second: mpstat sleeps until then, and may wake late.
    """
    found: list[float] = []
    midnight = 0.0
    for text in texts:
        try:
            moment = datetime.strptime(text or "", "%H:%M:%S")
        except ValueError:
            return None
        seconds = 3600.0 * moment.hour + 60.0 * moment.minute + moment.second
        if found and midnight + seconds < found[-1]:
            midnight += _DAY_S
        found.append(midnight + seconds)
    return found


def _days(text: str) -> tuple[int, ...]:
    """Days since 1970 that the date may mean: its order is the locale's."""
    found = set()
    for form in _WRITTEN:
        try:
            day = datetime.strptime(text, form).date()
        except ValueError:
            continue
        found.add((day - date(1970, 1, 1)).days)
    return tuple(sorted(found))


FORMAT = Format("mpstat", "mpstat -o JSON 1", _begins, _read, CPU_SHARES)
