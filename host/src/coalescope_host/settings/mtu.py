# SPDX-License-Identifier: Apache-2.0
"""The interface's MTU, in bytes without the link header."""

from __future__ import annotations

from .device import Device
from .level import NO_OTHERS, Level, Levels, as_whole_number
from .topology import below

SETTING = "mtu_bytes"


class MtuGroup:
    """The one setting `mtu_bytes`."""

    name = "mtu"

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting == SETTING

    def read(self, device: Device) -> dict[str, Level]:
        """The MTU now."""
        if device.netns is None and device.is_in_sysfs() and (mtu_bytes := device.sysfs("mtu")):
            return {SETTING: int(mtu_bytes)}  # sooner than by netlink
        return {SETTING: int(device.link().get_attr("IFLA_MTU"))}

    saved = read

    def convert(self, setting: str, level: Level) -> Level:
        """The level as a number of bytes; ValueError with what it must be."""
        return as_whole_number(level)

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Whether the MTU is out of the range that the driver states, or above the lower one's."""
        link = device.link()
        low, high = link.get_attr("IFLA_MIN_MTU") or 0, link.get_attr("IFLA_MAX_MTU") or 0
        if int(level) < low or (high and int(level) > high):
            return f"the device allows {low} to {high or 'any number of'} bytes"
        lower = below(device)
        if lower is not None and int(level) > (highest := int(lower.get_attr("IFLA_MTU"))):
            name = lower.get_attr("IFLA_IFNAME")
            return f"it stands on {name}, whose MTU is {highest} bytes"
        return None

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Nothing: an MTU stands for itself."""
        return {}

    def write(self, device: Device, levels: Levels) -> None:
        """Set the MTU."""
        mtu_bytes = int(levels[SETTING])
        device.change_link(f"mtu_bytes = {mtu_bytes} refused", mtu=mtu_bytes)

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell command that does the same."""
        return [
            device.command("ip", "link", "set", device.name, "mtu", level)
            for level in levels.values()
        ]
