# SPDX-License-Identifier: Apache-2.0
"""Software moderation and polling of the kernel: of each NAPI, and of the interface in sysfs.

What is written to sysfs the kernel copies to each NAPI. So each is saved and put back by itself, as
`NAME[0]`, `NAME[1]` in the order of their identifiers, where the kernel has netdev's napi-set.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..plan.registry import SETTINGS, Setting
from . import mounts
from .carrier import is_up
from .device import Device
from .errors import SettingError, UnsupportedError
from .level import NO_OTHERS, Level, Levels, as_choice, as_switch, as_whole_number, shown
from .netdev_messages import NAPI_GET, NAPI_SET, NapiMessage
from .places_group import INDEXED

ROWS: Mapping[str, Setting] = {row.name: row for row in SETTINGS if row.group == "napi"}
SYSFS = {
    "gro_flush_timeout_ns": "gro_flush_timeout",
    "napi_defer_hard_irqs": "napi_defer_hard_irqs",
    "napi_threaded": "threaded",
}
THREADED: Sequence[Level] = (False, True, "busy-poll")
"""By the kernel's number."""
BYTES = frozenset({"gro_flush_timeout_ns", "irq_suspend_timeout_ns"})
"""Numbers that have 4 or 8 bytes."""
NOBODY = (1 << 32) - 1
"""The identifier of no NAPI."""


class NapiGroup:
    """The registry's rows of NAPI."""

    name = "napi"

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return _name(setting) in ROWS

    def read(self, device: Device) -> dict[str, Level]:
        """What all NAPIs agree on; where none is listed, what new ones get."""
        found = _of_interface(device)
        each = [levels for _, levels in _napis(device)]
        for setting in ROWS:
            if values := {levels[setting] for levels in each if setting in levels}:
                found.pop(setting, None)
                if len(values) == 1:
                    found[setting] = values.pop()
        return found

    def saved(self, device: Device) -> dict[str, Level]:
        """Those of the interface, which new NAPIs get, and those of each NAPI."""
        return _of_interface(device) | {
            f"{setting}[{index}]": level
            for index, (_, levels) in enumerate(_napis(device))
            for setting, level in levels.items()
        }

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""
        if setting != "napi_threaded":
            return as_whole_number(level, int(ROWS[setting].rule.high))
        return as_choice(level, ("busy-poll",)) if level == "busy-poll" else as_switch(level)

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Whether the kernel lacks the attribute, or this level of it."""
        if setting in SYSFS and not isinstance(level, str):
            if device.sysfs(SYSFS[setting]) is None:
                return f"this kernel does not have /sys/class/net/{device.name}/{SYSFS[setting]}"
            if closed := mounts.read_only(Path("/sys")):
                return closed
            return _no_thread(device, beside) if setting == "napi_threaded" else None
        if not _napis(device):
            return (
                "the kernel lists no NAPI of it: this needs netdev's napi-set (Linux 6.13 or "
                "newer), an interface that is up, and a driver with NAPI"
            )
        if not _is_known(device, setting, level):
            return f"this kernel cannot set {ROWS[setting].word} = {shown(level)} of a NAPI"
        return None

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Nothing: these stand for themselves."""
        return {}

    def write(self, device: Device, levels: Levels) -> None:
        """Write to the interface and to each NAPI, or to the one that is named."""
        for setting, level in levels.items():
            what = f"{setting} = {shown(level)} refused"
            if indexed := INDEXED.fullmatch(setting):
                _set_one(device, indexed[1], int(indexed[2]), level, what)
            else:
                _set_all(device, setting, level, what)

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same; ynl is of the kernel's tools/net."""
        found = []
        for setting, level in levels.items():
            if setting in SYSFS and not isinstance(level, str):
                path = f"/sys/class/net/{device.name}/{SYSFS[setting]}"
                found.append(device.command("sh", "-c", f"echo {int(level)} > {path}"))
            else:
                row, indexed = ROWS[_name(setting)], INDEXED.fullmatch(setting)
                chosen = _napis(device)
                chosen = chosen[int(indexed[2]) :][:1] if indexed else chosen
                found += [
                    device.command(
                        *("ynl", "--family", "netdev", "--do", "napi-set", "--json"),
                        f'{{"id": {number}, "{row.word}": {_number(level)}}}',
                    )
                    for number, _ in chosen
                ]
        return found


def _name(setting: str) -> str:
    indexed = INDEXED.fullmatch(setting)
    return indexed[1] if indexed else setting


def _of_interface(device: Device) -> dict[str, Level]:
    found: dict[str, Level] = {}
    for setting, attribute in SYSFS.items():
        text = device.sysfs(attribute)
        if text is not None and text.isdecimal():
            found[setting] = _level(setting, int(text))
    return found


def _set_all(device: Device, setting: str, level: Level, what: str) -> None:
    by_sysfs = setting in SYSFS and not isinstance(level, str)
    if by_sysfs:
        device.write_sysfs(SYSFS[setting], str(int(level)), what)
    napis = [(number, levels) for number, levels in _napis(device) if setting in levels]
    for number, levels in napis:
        if levels[setting] != level:
            _set(device, number, setting, level, what)
    if not by_sysfs and not napis:
        raise UnsupportedError(f"{device}: {what}: the kernel lists no NAPI that has it")


def _set_one(device: Device, setting: str, index: int, level: Level, what: str) -> None:
    napis = _napis(device)
    if index >= len(napis):
        raise SettingError(f"{device}: {what}: it has {len(napis)} NAPIs now")
    _set(device, napis[index][0], setting, level, what)


def _set(device: Device, number: int, setting: str, level: Level, what: str) -> None:
    value: Any = _number(level)
    if setting in BYTES:
        value = value.to_bytes(8, sys.byteorder)
    attributes = [("ID", number), (ROWS[setting].attribute, value)]
    device.netdev(_message(NAPI_SET, attributes), what)


def _is_known(device: Device, setting: str, level: Level) -> bool:
    """Whether the kernel understands it: asked of no NAPI, so that nothing is set."""
    try:
        _set(device, NOBODY, setting, level, "cannot be asked")
    except UnsupportedError:
        return False
    except SettingError as error:
        return not any(words in str(error) for words in ("out of range", "nknown attribute"))
    return True


def _no_thread(device: Device, beside: Levels) -> str | None:
    """Whether there is no NAPI for a thread to poll: the kernel says so of its own value, too.

    It is not asked where it lists NAPIs, since it copies that value to each; nor while the
    interface is down, or where the cell sets what may bring a NAPI about: GRO does with veth.
    """
    if _napis(device) or not is_up(device) or any(name.startswith("offload.") for name in beside):
        return None
    now = device.sysfs(SYSFS["napi_threaded"]) or "0"
    try:
        device.write_sysfs(SYSFS["napi_threaded"], now, "cannot be asked")
    except SettingError as error:
        if isinstance(error, UnsupportedError) or "not supported" in str(error):
            return "it has no NAPI that a thread could poll"
    return None


def _napis(device: Device) -> list[tuple[int, dict[str, Level]]]:
    """Identifier and settings of each NAPI; none where the kernel does not list them."""
    found = []
    for answer in answers(device):
        levels: dict[str, Level] = {}
        for setting, row in ROWS.items():
            value = answer.get_attr(f"{NapiMessage.prefix}{row.attribute}")
            if value is not None:
                number = value if isinstance(value, int) else int.from_bytes(value, sys.byteorder)
                levels[setting] = _level(setting, number)
        found.append((int(answer.get_attr("NETDEV_A_NAPI_ID")), levels))
    return found


def answers(device: Device) -> Sequence[Any]:
    """What the kernel says of each NAPI of the interface, in the order of their identifiers."""
    try:
        listed = device.netdev(
            _message(NAPI_GET, [("IFINDEX", device.index())]),
            "NAPIs cannot be listed",
            everything=True,
        )
    except SettingError:
        return []
    return sorted(listed, key=lambda answer: int(answer.get_attr("NETDEV_A_NAPI_ID")))


def _message(command: int, attributes: Sequence[tuple[str, Any]]) -> NapiMessage:
    message = NapiMessage()
    message["cmd"], message["version"] = command, 1
    message["attrs"] = [(f"{NapiMessage.prefix}{name}", value) for name, value in attributes]
    return message


def _level(setting: str, number: int) -> Level:
    return THREADED[number] if setting == "napi_threaded" else number


def _number(level: Level) -> int:
    return THREADED.index(level) if isinstance(level, (bool, str)) else int(level)
