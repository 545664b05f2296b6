# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: what the kernel says of each card's coalescing, over netlink, to /out."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from coalescope_host.plan.registry import SETTINGS
from coalescope_host.settings.device import Device
from coalescope_host.settings.errors import SettingError, UnsupportedError
from coalescope_host.settings.ethtool_messages import COALESCE_GET, COALESCE_SET, CoalesceMessage

PREFIX = CoalesceMessage.prefix
WORDS = {s.attribute: s.word for s in SETTINGS if s.group == "coalescing"}
NUMBERS = {s.attribute for s in SETTINGS if s.group == "coalescing" and not s.rule.pattern}


def answer(device: Device) -> dict[str, Any] | None:
    """Attribute → value, of all that the kernel says of the card; None where it says nothing."""
    try:
        found = device.ethtool(CoalesceMessage, COALESCE_GET, "coalescing cannot be read")
    except UnsupportedError:
        return None
    values = {a: found.get_attr(f"{PREFIX}{a}") for a in WORDS}
    return {attribute: value for attribute, value in values.items() if value is not None}


def refused(device: Device, attribute: str, value: int) -> bool:
    """Whether the kernel refuses a value."""
    try:
        device.ethtool(CoalesceMessage, COALESCE_SET, "refused", [(f"{PREFIX}{attribute}", value)])
    except SettingError:
        return True
    return False


def seen(slot: int) -> dict[str, Any]:
    """What is known of the card at a PCI slot, and what it makes of parameters that it lacks."""
    place = Path(f"/sys/bus/pci/devices/0000:00:{slot:02x}.0")
    # a card of virtio has a folder of its own between the two
    (net,) = [*place.glob("net/*"), *place.glob("virtio*/net/*")]
    told = subprocess.run(["ethtool", "-i", net.name], capture_output=True, text=True, check=True)
    driver = next(line for line in told.stdout.splitlines() if line.startswith("driver:"))
    device = Device(net.name)
    before = answer(device)
    shown = set() if before is None else set(before)
    taken = [a for a in sorted(NUMBERS - shown) if not refused(device, a, 1)]
    return {
        "driver": driver.split()[1],
        "shown": None if before is None else sorted(WORDS[a] for a in before),
        "taken": [WORDS[a] for a in taken],
        "unchanged": answer(device) == before,
    }


if __name__ == "__main__":
    found = [seen(int(slot)) for slot in sys.argv[1:]]
    Path("/out/seen.json").write_text(json.dumps(found))
