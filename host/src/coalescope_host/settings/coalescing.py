# SPDX-License-Identifier: Apache-2.0
"""Interrupt coalescing (`ethtool -C`).

`delay_us` is rx-usecs: a number that adaptive moderation would move, so it is switched off.
"""

from __future__ import annotations

import platform

from .device import Device
from .driver_versions import driver_versions
from .ethtool_group import EthtoolGroup
from .ethtool_messages import COALESCE_GET, COALESCE_SET, CoalesceMessage
from .known_driver import DELAY, rejected
from .level import NO_OTHERS, Level, Levels


class CoalescingGroup(EthtoolGroup):
    """Delays and frames, of which the drivers' sources say more than the device."""

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Why the device cannot take this level, or its driver will refuse it."""
        said = super().problem(device, setting, level, beside)
        if said or setting != DELAY or level == self.read(device).get(DELAY):
            return said
        facts = {
            "driver": device.sysfs_link("device/driver") or "",
            "kernel_version": platform.release(),
            **driver_versions(device),
        }
        return rejected(facts, int(level))


COALESCING = CoalescingGroup("coalescing", "-c", CoalesceMessage, COALESCE_GET, COALESCE_SET)
