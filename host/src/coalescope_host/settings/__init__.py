# SPDX-License-Identifier: Apache-2.0
"""The settings of an interface: read, set, read back, and put back as they were."""

from .errors import SettingError, UnsupportedError
from .guard import Guard, restore_all
from .host import Host, open_host, open_saved
from .safety import refusals

__all__ = [
    "Guard",
    "Host",
    "SettingError",
    "UnsupportedError",
    "open_host",
    "open_saved",
    "refusals",
    "restore_all",
]
