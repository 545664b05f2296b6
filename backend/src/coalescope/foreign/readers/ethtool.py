# SPDX-License-Identifier: Apache-2.0
"""ethtool -c, -g, -k, -l and -S: as text, and as `--json` where the version has it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from coalescope.foreign.json_text import as_number, decoded, documents, text_at
from coalescope.foreign.records import (
    ENVIRONMENT,
    Counter,
    Format,
    Reading,
    Record,
    Unreadable,
    fact,
    measure,
)
from coalescope.foreign.totals import changed
from coalescope.untrusted.bounds import SETTINGS, most

_HEADER = re.compile(r"(Coalesce|Ring|Channel) parameters for (\S+):\s*|Features for (\S+):\s*")
_STATISTICS = "NIC statistics:"
_JSON = re.compile(
    r'\[\s*\{\s*"ifname"\s*:\s*"[^"]*"\s*,\s*"(adaptive-|rx|tx|stats-block|combined|other)'
)
_GROUPS = {"Coalesce": "coalescing", "Ring": "ring", "Channel": "channels"}
_CURRENT, _MAXIMA = "Current hardware settings:", "Pre-set maximums:"
_LINE = re.compile(r"([\w .+/-]{1,100}):\s+(.*)")
_WHOLE = re.compile(r"[0-9]{1,15}")
_PAIR = re.compile(r"Adaptive RX: (\S+)\s+TX: (\S+)|CQE mode RX: (\S+)\s+TX: (\S+)")
_SWITCH = {"on": True, "off": False}
# -S has a driver's own names; these four mean the same wherever they are
_COUNTED = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")


def _begins(start: str) -> bool:
    return (
        _HEADER.match(start) is not None
        or start.startswith(_STATISTICS)
        or _JSON.match(start) is not None
    )


def _read(content: bytes) -> Reading:
    text = decoded(content)
    if text.lstrip().startswith("["):
        return Reading(beside=[r for found in documents(content) for r in _of_json(found)])
    if text.lstrip().startswith(_STATISTICS):
        return Reading(counters=_counters(text))
    found = _of_text(text)
    records = list(islice(found, most(SETTINGS)))
    if next(found, None) is not None:
        raise Unreadable(f"It says more than {SETTINGS:,} settings.", "Split it.", field="(all)")
    if not records:
        raise Unreadable(
            "ethtool printed no setting.", "Let it finish, or leave the file out.", field="(all)"
        )
    return Reading(beside=records)


def _of_text(text: str) -> Iterator[Record]:
    interface, group, current = None, "", True
    for line in text.splitlines():
        header = _HEADER.fullmatch(line)
        if header is not None:
            interface = header[2] or header[3]
            group = _GROUPS.get(header[1] or "", "offloads")
        elif line in (_CURRENT, _MAXIMA):
            current = line == _CURRENT
        elif current and (pair := _PAIR.fullmatch(line)) is not None:
            names = ("adaptive_rx", "adaptive_tx", "cqe_mode_rx", "cqe_mode_tx")
            for name, value in zip(names, pair.groups(), strict=True):
                if value is not None:
                    yield from _setting(group, name, _SWITCH.get(value), name, interface)
        elif current and (found := _LINE.fullmatch(line.strip())) is not None:
            value = found[2].split(" [")[0]
            known = _SWITCH.get(value, int(value) if _WHOLE.fullmatch(value) else None)
            name = found[1] if group == "offloads" else _plain(found[1])
            yield from _setting(group, name, known, found[1], interface)


def _of_json(found: Any) -> Iterator[Record]:
    for one in found if isinstance(found, list) else []:
        interface = text_at(one, "ifname")
        if not isinstance(one, Mapping) or interface is None:
            continue
        group = _group(one)
        for name, value in one.items():
            if name == "ifname" or name.endswith("-max"):
                continue
            state = value.get("active") if isinstance(value, Mapping) else value
            known = state if isinstance(state, bool) else as_number(state, 0.0)
            key = name if group == "offloads" else _plain(name.removesuffix("-count"))
            yield from _setting(group, key, known, name, interface)


def _group(one: Mapping[str, Any]) -> str:
    if any(isinstance(value, Mapping) for value in one.values()):
        return "offloads"
    if any(name.endswith("-usecs") or name.startswith("adaptive-") for name in one):
        return "coalescing"
    return "channels" if any(name.endswith("-count") for name in one) else "ring"


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip().lower())


def _setting(
    group: str, name: str, value: Any, field: str, interface: str | None
) -> Iterator[Record]:
    """The setting, unless the device does not have it; and the factor that it is."""
    if value is None:
        return
    path = f"{ENVIRONMENT}{group}.{name}"
    yield fact(path, value, field, interface=interface)
    if group == "coalescing" and name == "rx_usecs":
        yield fact("delay_us", value, field, interface=interface)
    if group == "coalescing" and name == "adaptive_rx" and value is True:
        yield fact("delay_control", "adaptive", field, interface=interface)


def _counters(text: str) -> list[Counter]:
    found = []
    for line in text.splitlines()[1:]:
        name, separator, value = line.strip().rpartition(": ")
        if separator and re.fullmatch(r"[0-9]{1,20}", value.strip()):
            found.append(Counter(name.strip(), float(value), name.strip()))
    if not found:
        raise Unreadable(
            "ethtool -S printed no counter.", "Let it finish, or leave the file out.", field="(all)"
        )
    return found


def _difference(before: Sequence[Counter], after: Sequence[Counter]) -> list[Record]:
    return [
        measure(one.name, one.value, one.field)
        for one in changed(before, after)
        if one.name in _COUNTED
    ]


FORMAT = Format(
    "ethtool",
    "ethtool -c DEV; -g; -k; -l, also with --json; ethtool -S DEV before and after",
    _begins,
    _read,
    (
        ("rx-usecs (-c)", "delay_us", "unless adaptive-rx is on"),
        ("Adaptive RX (-c)", "delay_control", "adaptive, if it is on"),
        ("all that -c, -g, -k, -l say", "environment.…", "coalescing, ring, offloads, channels"),
        ("rx_packets, rx_bytes, tx_packets, tx_bytes (-S)", "rx_packets, …", "after less before"),
    ),
    _difference,
)
