# SPDX-License-Identifier: Apache-2.0
"""Whether anything can pass an interface at all."""

from __future__ import annotations

from .device import Device

IFF_UP = 0x1
IFF_LOWER_UP = 0x10000


def is_up(device: Device) -> bool:
    """Whether the interface is switched on."""
    return bool(device.link()["flags"] & IFF_UP)


def nothing_passes(device: Device) -> str | None:
    """Why no packet can pass an interface that is there, and what to do; None if one can."""
    if not device.exists():
        return None
    flags = device.link()["flags"]
    if not flags & IFF_UP:
        up = device.command("ip", "link", "set", device.name, "up")
        return f"{device} is down: `{up}` brings it up, and its addresses must be there then"
    if not flags & IFF_LOWER_UP:
        return f"{device} has no carrier: is the cable in, and the other end up?"
    return None
