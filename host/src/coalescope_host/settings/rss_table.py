# SPDX-License-Identifier: Apache-2.0
"""Table, key and hash function of receive side scaling, as the driver has them.

By ioctl: netlink has them for writing only since Linux 6.17.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from .device import Device
from .errors import SettingError

GET, SET = 0x46, 0x47
HEAD = struct.Struct("=IIIIBBHI")
KEEP_TABLE, DEFAULT_TABLE = (1 << 32) - 1, 0


@dataclass(frozen=True)
class Rss:
    """The table of queues, the key and the hash function."""

    table: tuple[int, ...]
    key: bytes
    hash: int
    transform: int

    @property
    def queues(self) -> int | None:
        """How many queues share the load evenly, from the first; None if the table is another."""
        count = max(self.table, default=-1) + 1
        return count if count and self.table in default_tables(count, len(self.table)) else None

    def is_default(self, receive_queues: int) -> bool:
        """Whether it is as a driver fills it by itself.

        The kernel does not say whether somebody asked for that same table.
        """
        return self.queues is not None and self.queues == receive_queues


def default_tables(queues: int, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two ways in which drivers fill it: in turn, as the kernel; in blocks, as igb and igc."""
    return kernel_table(queues, size), tuple(index * queues // size for index in range(size))


def kernel_table(queues: int, size: int) -> tuple[int, ...]:
    """The one that the kernel fills in where the driver's default is asked for."""
    return tuple(index % queues for index in range(size)) if queues else ()


def read_rss(device: Device) -> Rss | None:
    """What the device has; None where its driver has nothing of it."""
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


def write_rss(
    device: Device, now: Rss, table: Sequence[int] | None, key: bytes = b"", chosen: int = 0
) -> None:
    """Set what is given of it.

    Args:
        device: the interface.
        now: what it has.
        table: the queues; none of them: the driver's default again; None: as it is.
        key: the key; empty: as it is.
        chosen: the bit of the hash function; 0: as it is.

    Raises:
        OSError: what the kernel refused.
    """
    size = KEEP_TABLE if table is None else len(table) or DEFAULT_TABLE
    head = HEAD.pack(SET, 0, size, len(key), chosen, now.transform, 0, 0)
    device.ethtool_ioctl(head + struct.pack(f"={len(table or ())}I", *(table or ())) + key)
