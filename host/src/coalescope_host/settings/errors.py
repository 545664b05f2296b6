# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with settings, said for people."""

from ..protocols import SweepError


class SettingError(SweepError):
    """A setting cannot be read, written or put back; the text says where and why."""


class UnsupportedError(SettingError):
    """The device or its driver does not have this setting at all."""
