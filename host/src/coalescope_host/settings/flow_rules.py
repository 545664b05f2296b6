# SPDX-License-Identifier: Apache-2.0
"""Flow steering rules of a card (`ethtool -N`), which are no setting and are not put back.

By ioctl: netlink does not have them.
"""

import struct

from .device import Device
from .errors import SettingError
from .level import Level
from .lost import refusal
from .rss_contexts import lost_contexts

COUNT = 0x2E
"""ETHTOOL_GRXCLSRLCNT."""
RINGS = 0x2D
"""ETHTOOL_GRXRINGS."""
REQUEST = struct.Struct("=IIQ168xI4x")
"""struct ethtool_rxnfc: `cmd`, `flow_type`, `data`, a rule that is left empty, `rule_cnt`."""

DELETING_WITH_QUEUES = frozenset({"bnxt_en"})
"""Drivers that delete rules and contexts where queues or the table change (bnxt_ethtool.c)."""


def rule_count(device: Device) -> int:
    """How many rules the card has; none where its driver has none, or does not say."""
    try:
        answer = device.ethtool_ioctl(REQUEST.pack(COUNT, 0, 0, 0))
    except (OSError, SettingError):
        return 0
    return int(REQUEST.unpack(answer)[3])


def receive_rings(device: Device) -> int | None:
    """How many queues the card receives with now; None where its driver does not say."""
    try:
        answer = device.ethtool_ioctl(REQUEST.pack(RINGS, 0, 0, 0))
    except (OSError, SettingError):
        return None
    return int(REQUEST.unpack(answer)[2])


def lost_rules(device: Device, by: str) -> str | None:
    """Why the card's rules forbid what may take them away, and what to do; None without rules.

    Args:
        device: the interface.
        by: what may take them away, as a subject: "reloading igb".
    """
    count = rule_count(device)
    if not count:
        return None
    rules = "1 flow steering rule" if count == 1 else f"{count} flow steering rules"
    listed = device.command("ethtool", "-n", device.name)
    deleted = device.command("ethtool", "-N", device.name, "delete", "N")
    return refusal(device, by, rules, listed, deleted)


def lost_with_queues(device: Device, setting: str, level: Level, now: Level | None) -> str | None:
    """The same of a level of queues or RSS, where the driver deletes rules and contexts with it."""
    if level == now or device.sysfs_link("device/driver") not in DELETING_WITH_QUEUES:
        return None
    changing = f"changing {setting}"
    return lost_rules(device, changing) or lost_contexts(device, changing)
