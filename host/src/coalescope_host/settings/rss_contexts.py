# SPDX-License-Identifier: Apache-2.0
"""Additional RSS contexts of a card (`ethtool -X … context new`): no setting, and not put back."""

from .device import Device
from .errors import SettingError
from .ethtool_messages import RSS_GET, RssMessage
from .lost import refusal

CONTEXT = "ETHTOOL_A_RSS_CONTEXT"


def context_count(device: Device) -> int:
    """How many the card has beside its own; none where the kernel does not list them, before 6.12.

    A card's own table has no number.
    """
    try:
        answers = device.ethtool_list(RssMessage, RSS_GET, "its RSS contexts")
    except SettingError:
        return 0
    return sum(bool(answer.get_attr(CONTEXT)) for answer in answers)


def lost_contexts(device: Device, by: str) -> str | None:
    """Why the card's contexts forbid what takes them away, and what to do; None without any.

    Args:
        device: the interface.
        by: what takes them away, as a subject: "reloading igb".
    """
    count = context_count(device)
    if not count:
        return None
    contexts = "1 additional RSS context" if count == 1 else f"{count} additional RSS contexts"
    shown = device.command("ethtool", "-x", device.name, "context", "N")
    deleted = device.command("ethtool", "-X", device.name, "context", "N", "delete")
    return refusal(device, by, contexts, shown, deleted)
