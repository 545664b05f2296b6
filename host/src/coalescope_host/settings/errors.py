# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with settings, said for people."""

from ..protocols import SweepError


class SettingError(SweepError):
    """A setting cannot be read, written or put back; the text says where and why."""


class BusyError(SettingError):
    """Another process has the interface now.

    Attributes:
        restores: it puts the interface back, so it ends soon; else it is a sweep.
    """

    def __init__(self, text: str, *, restores: bool) -> None:
        super().__init__(text)
        self.restores = restores


class UnsupportedError(SettingError):
    """The device or its driver does not have this setting at all."""
