# SPDX-License-Identifier: Apache-2.0
"""Flow steering rules of a card (`ethtool -N`), which are no setting and are not put back.

By ioctl: netlink does not have them.
"""

from __future__ import annotations

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
RULE = 0x2F
"""ETHTOOL_GRXCLSRULE."""
NUMBERS = 0x30
"""ETHTOOL_GRXCLSRLALL."""
REQUEST = struct.Struct("=IIQ168xI4x")
"""struct ethtool_rxnfc: `cmd`, `flow_type`, `data`, a rule that is left empty, `rule_cnt`."""
ONE_RULE = struct.Struct("=I164xQI12x")
"""The same with a rule: `cmd`, and of the rule `ring_cookie` and `location`, its number."""
NUMBERS_AT = 188
"""Where in it the rules' numbers, `rule_locs`, begin."""
QUEUES = 1 << 32
"""A rule that drops, that wakes, or that leads to a virtual function has more for a queue."""

DELETING_WITH_QUEUES = frozenset({"bnxt_en"})
"""Drivers that delete rules and contexts where queues or the table change (bnxt_ethtool.c)."""


def rule_count(device: Device) -> int:
    """How many rules the card has; none where its driver has none, or does not say."""
    try:
        answer = device.ethtool_ioctl(REQUEST.pack(COUNT, 0, 0, 0))
    except (OSError, SettingError):
        return 0
    return int(REQUEST.unpack(answer)[3])


def rule_queues(device: Device) -> dict[int, int]:
    """The queue of the card's own that each rule leads to, by the rule's number.

    As the kernel asks before it takes queues away (net/ethtool/common.c).
    """
    if not (count := rule_count(device)):
        return {}
    try:
        answer = device.ethtool_ioctl(REQUEST.pack(NUMBERS, 0, 0, count) + bytes(4 * count))
        found = struct.unpack_from(f"={REQUEST.unpack_from(answer)[3]}I", answer, NUMBERS_AT)
        rules = [device.ethtool_ioctl(ONE_RULE.pack(RULE, 0, number)) for number in found]
    except (OSError, SettingError):
        return {}  # what the kernel does not tell, it does not compare either
    led = {number: queue for _, queue, number in map(ONE_RULE.unpack, rules)}
    return {number: queue for number, queue in led.items() if queue < QUEUES}


def held_by_rules(device: Device, left: int) -> str | None:
    """Why the kernel takes no queue away of which a rule makes use; None where none does.

    Args:
        device: the interface.
        left: how many queues would receive.
    """
    queue, rule = max(
        ((queue, rule) for rule, queue in rule_queues(device).items()), default=(-1, 0)
    )
    if queue < left:
        return None
    shown = device.command("ethtool", "-n", device.name)
    deleted = device.command("ethtool", "-N", device.name, "delete", rule)
    return (
        f"its flow steering rule {rule} leads to queue {queue} (`{shown}`): note it, delete it "
        f"first, `{deleted}`, and add it again afterwards"
    )


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
