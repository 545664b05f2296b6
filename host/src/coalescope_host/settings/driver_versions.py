# SPDX-License-Identifier: Apache-2.0
"""The versions of a driver and of its card's firmware, as `ethtool -i` shows them.

By ioctl: netlink has no message for them.
"""

import struct
from collections.abc import Mapping

from .device import Device
from .errors import SettingError

_GET = 0x03
_INFO = struct.Struct("=I32s32s32s32s32s12x20x")


def driver_versions(device: Device) -> Mapping[str, str]:
    """`driver_version` and `firmware_version`, those that the driver says."""
    try:
        answer = device.ethtool_ioctl(_INFO.pack(_GET, *[b""] * 5))
    except (OSError, SettingError):
        return {}
    _, _, version, firmware, *_ = _INFO.unpack(answer)
    found = {"driver_version": version, "firmware_version": firmware}
    texts = {name: _text(value) for name, value in found.items()}
    return {name: text for name, text in texts.items() if text}


def _text(value: bytes) -> str:
    return value.partition(b"\0")[0].decode(errors="replace").strip()
