# SPDX-License-Identifier: Apache-2.0
"""Receive side scaling (`ethtool -X`): which queue a flow goes to.

While a table that somebody asked for leads to a queue, the kernel does not take that queue away.
So the driver's own table is asked for where it means the same, comes first where queues change, and
is put back as the driver's own.
"""

from __future__ import annotations

from contextlib import suppress

from ..plan.registry import BY_NAME
from .channels import CHANNELS
from .device import Device, said
from .errors import UnsupportedError
from .flow_rules import lost_with_queues
from .level import NO_OTHERS, Level, Levels, as_choice, as_whole_number, shown
from .rss_table import Rss, kernel_table, read_rss, write_rss

HASHES = {"toeplitz": 1, "xor": 2, "crc32": 4}
DEFAULT: tuple[int, ...] = ()
"""The table that the driver has by itself: only with it can queues be taken away as one likes."""


class RssGroup:
    """`rss_queues` and `rss_hash`; saved are the whole table, whose it is, and the key."""

    name = "rss"

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting in ("rss_queues", "rss_hash", "rss_default", "rss_table", "rss_key")

    def read(self, device: Device) -> dict[str, Level]:
        """What the device has of it, where that is a level."""
        rss = read_rss(device)
        found: dict[str, Level] = {}
        if rss is not None and rss.queues is not None:
            found["rss_queues"] = rss.queues
        if rss is not None and (name := _hash_name(rss.hash)):
            found["rss_hash"] = name
        return found

    def saved(self, device: Device) -> dict[str, Level]:
        """All of it."""
        rss = read_rss(device)
        found: dict[str, Level] = {}
        if rss is not None and rss.table:
            found["rss_default"] = rss.is_default(CHANNELS.receiving(device))
            found["rss_table"] = ",".join(map(str, rss.table))
        if rss is not None and rss.key:
            found["rss_key"] = rss.key.hex()
        if rss is not None and (name := _hash_name(rss.hash)):
            found["rss_hash"] = name
        return found

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""
        if setting == "rss_hash":
            return as_choice(level, BY_NAME[setting].rule.choices)
        return as_whole_number(level)

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Whether the device spreads nothing, or would lose what cannot be put back."""
        rss = read_rss(device)
        if rss is None or (setting == "rss_queues" and not rss.table):
            return "its driver has no indirection table (`ethtool -x`)"
        if setting == "rss_hash" and not rss.hash:
            return "its driver does not say its hash function (`ethtool -x`)"
        queues = CHANNELS.receive_queues(device, beside)
        if setting == "rss_queues" and queues is not None and int(level) > queues:
            return f"it receives with {queues} queue{'' if queues == 1 else 's'}"
        return lost_with_queues(device, setting, level, self.read(device).get(setting))

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Nothing: these stand for themselves."""
        return {}

    def write(self, device: Device, levels: Levels) -> None:
        """Set table, key and hash function, those that are asked for, at once."""
        what = ", ".join(f"{setting} = {shown(level)}" for setting, level in levels.items())
        what += " refused"
        rss = read_rss(device)
        if rss is None:
            raise UnsupportedError(f"{device}: {what}: its driver has no indirection table")
        table = _table(rss, levels, CHANNELS.receiving(device))
        key = bytes.fromhex(str(levels.get("rss_key", "")))
        chosen = HASHES[str(levels["rss_hash"])] if "rss_hash" in levels else 0
        try:
            write_rss(device, rss, table, key, chosen)
        except OSError as error:
            raise said(error, f"{device}: {what}") from None

    def release(self, device: Device) -> None:
        """Have the table hold no queue, before queues change: the driver's own again."""
        rss = read_rss(device)
        if rss is not None and rss.table:
            with suppress(OSError):  # then the kernel says of the queues what is in the way
                write_rss(device, rss, DEFAULT)

    def make_way(self, device: Device, saved: Levels, queues: Levels) -> None:
        """What comes before the queues are put back.

        Some drivers fill their table otherwise than the kernel does for them (igb, igc), and only
        where their queues change.

        Args:
            device: the interface.
            saved: what is to be put back of RSS.
            queues: and of its queues.
        """
        now, queues_now = self.saved(device), CHANNELS.read(device)
        if not {"rss_table", "rss_default"} <= saved.keys() & now.keys():
            return
        queues_differ = any(queues_now.get(name) != count for name, count in queues.items())
        differs = bool(saved["rss_default"]) and now["rss_table"] != saved["rss_table"]
        if queues_differ or differs:
            self.release(device)
        if differs and not queues_differ and self.saved(device)["rss_table"] != saved["rss_table"]:
            CHANNELS.renew(device)

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        words: list[object] = []
        if "rss_queues" in levels:
            words += ["equal", levels["rss_queues"]]
        if levels.get("rss_default"):
            words += ["default"]
        elif "rss_table" in levels:
            words += ["weight", *_weights(str(levels["rss_table"]))]
        if "rss_key" in levels:
            words += ["hkey", bytes.fromhex(str(levels["rss_key"])).hex(":")]
        if "rss_hash" in levels:
            words += ["hfunc", levels["rss_hash"]]
        return [device.command("ethtool", "-X", device.name, *words)]


def _table(rss: Rss, levels: Levels, receive_queues: int) -> tuple[int, ...] | None:
    """The table that is asked for; None where none is."""
    if levels.get("rss_default"):
        return DEFAULT
    if evenly := int(levels.get("rss_queues", 0)):
        table = tuple(index % evenly for index in range(len(rss.table)))
    elif "rss_table" in levels:
        table = tuple(map(int, str(levels["rss_table"]).split(",")))
    else:
        return None
    return DEFAULT if table == kernel_table(receive_queues, len(table)) else table


def _weights(table: str) -> list[int]:
    """How often each queue stands in the table: as near as ethtool's words come."""
    queues = [int(queue) for queue in table.split(",")]
    return [queues.count(queue) for queue in range(max(queues) + 1)]


def _hash_name(number: int) -> str | None:
    return next((name for name, bit in HASHES.items() if bit == number), None)


RSS = RssGroup()
