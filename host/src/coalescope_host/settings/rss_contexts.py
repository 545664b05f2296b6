# SPDX-License-Identifier: Apache-2.0
"""Additional RSS contexts of a card (`ethtool -X … context new`): no setting, and not put back."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from .device import Device
from .errors import SettingError
from .ethtool_messages import RSS_GET, RssMessage
from .lost import refusal

CONTEXT, TABLE = "ETHTOOL_A_RSS_CONTEXT", "ETHTOOL_A_RSS_INDIR"


def contexts(device: Device) -> Sequence[Any]:
    """What the kernel lists of each that the card has beside its own; nothing before 6.12.

    A card's own table has no number.
    """
    try:
        answers = device.ethtool_list(RssMessage, RSS_GET, "its RSS contexts")
    except SettingError:
        return []
    return [answer for answer in answers if answer.get_attr(CONTEXT)]


def context_count(device: Device) -> int:
    """How many the card has beside its own; none where the kernel does not list them."""
    return len(contexts(device))


def held_by_contexts(device: Device, left: int) -> str | None:
    """Why the kernel takes no queue away that a context's table leads to; None where none does.

    Args:
        device: the interface.
        left: how many queues would receive.
    """
    led = [
        (queue, answer.get_attr(CONTEXT))
        for answer in contexts(device)
        for (queue,) in struct.iter_unpack("=I", answer.get_attr(TABLE) or b"")
    ]
    queue, context = max(led, default=(-1, 0))
    if queue < left:
        return None
    words = (device.name, "context", context)
    shown, deleted = (device.command("ethtool", option, *words) for option in ("-x", "-X"))
    return (
        f"its RSS context {context} leads to queue {queue} (`{shown}`): note it, delete it first, "
        f"`{deleted} delete`, and add it again afterwards"
    )


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
