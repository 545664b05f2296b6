# SPDX-License-Identifier: Apache-2.0
"""Receive side scaling (`ethtool -X`): which queue a flow goes to.

By ioctl: netlink has it for writing only since Linux 6.17.
"""

import struct
from dataclasses import dataclass

from ..plan.registry import BY_NAME
from .channels import CHANNELS
from .device import Device, said
from .errors import SettingError, UnsupportedError
from .flow_rules import lost_with_queues
from .level import NO_OTHERS, Level, Levels, as_choice, as_whole_number, shown

GET, SET = 0x46, 0x47
HEAD = struct.Struct("=IIIIBBHI")
KEEP_TABLE, DEFAULT_TABLE = (1 << 32) - 1, 0
HASHES = {"toeplitz": 1, "xor": 2, "crc32": 4}


@dataclass(frozen=True, slots=True)
class Rss:
    """The table of queues, the key and the hash function, as the driver has them."""

    table: tuple[int, ...]
    key: bytes
    hash: int
    transform: int

    @property
    def queues(self) -> int | None:
        """How many queues share the load evenly, from the first; None if the table is another."""
        count = max(self.table, default=-1) + 1
        even = tuple(index % count for index in range(len(self.table))) if count else ()
        return count if count and self.table == even else None


class RssGroup:
    """`rss_queues` and `rss_hash`; saved are the whole table and the key."""

    name = "rss"

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting in ("rss_queues", "rss_hash", "rss_table", "rss_key")

    def read(self, device: Device) -> dict[str, Level]:
        """What the device has of it, where that is a level."""
        rss = _read(device)
        found: dict[str, Level] = {}
        if rss is not None and rss.queues is not None:
            found["rss_queues"] = rss.queues
        if rss is not None and (name := _hash_name(rss.hash)):
            found["rss_hash"] = name
        return found

    def saved(self, device: Device) -> dict[str, Level]:
        """All of it."""
        rss = _read(device)
        found: dict[str, Level] = {}
        if rss is not None and rss.table:
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
        rss = _read(device)
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
        rss = _read(device)
        if rss is None:
            raise UnsupportedError(f"{device}: {what}: its driver has no indirection table")
        table: list[int] | None = None
        if "rss_queues" in levels:
            table = [index % int(levels["rss_queues"]) for index in range(len(rss.table))]
        elif "rss_table" in levels:
            table = [int(queue) for queue in str(levels["rss_table"]).split(",")]
        key = bytes.fromhex(str(levels.get("rss_key", "")))
        chosen = HASHES[str(levels["rss_hash"])] if "rss_hash" in levels else 0
        size = KEEP_TABLE if table is None else len(table)
        head = HEAD.pack(SET, 0, size, len(key), chosen, rss.transform, 0, 0)
        content = struct.pack(f"={len(table or ())}I", *(table or ())) + key
        try:
            device.ethtool_ioctl(head + content)
        except OSError as error:
            raise said(error, f"{device}: {what}") from None

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        words: list[object] = []
        if "rss_queues" in levels:
            words += ["equal", levels["rss_queues"]]
        if "rss_table" in levels:
            words += ["weight", *_weights(str(levels["rss_table"]))]
        if "rss_key" in levels:
            words += ["hkey", bytes.fromhex(str(levels["rss_key"])).hex(":")]
        if "rss_hash" in levels:
            words += ["hfunc", levels["rss_hash"]]
        return [device.command("ethtool", "-X", device.name, *words)]


def _weights(table: str) -> list[int]:
    """How often each queue stands in the table: as near as ethtool's words come."""
    queues = [int(queue) for queue in table.split(",")]
    return [queues.count(queue) for queue in range(max(queues) + 1)]


def _hash_name(number: int) -> str | None:
    return next((name for name, bit in HASHES.items() if bit == number), None)


def _read(device: Device) -> Rss | None:
    try:
        sizes = HEAD.unpack(device.ethtool_ioctl(HEAD.pack(GET, 0, 0, 0, 0, 0, 0, 0))[: HEAD.size])
        table_size, key_size = sizes[2], sizes[3]
        ask = HEAD.pack(GET, 0, table_size, key_size, 0, 0, 0, 0) + bytes(table_size * 4 + key_size)
        answer = device.ethtool_ioctl(ask)
    except (OSError, SettingError):
        return None
    _, _, table_size, key_size, chosen, transform, _, _ = HEAD.unpack(answer[: HEAD.size])
    end = HEAD.size + 4 * table_size
    table = struct.unpack(f"={table_size}I", answer[HEAD.size : end])
    return Rss(table, answer[end : end + key_size], chosen, transform)
