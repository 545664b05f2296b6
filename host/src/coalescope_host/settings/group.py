# SPDX-License-Identifier: Apache-2.0
"""A group of settings that the kernel reads and writes together."""

from __future__ import annotations

from typing import Protocol

from .device import Device
from .errors import SettingError
from .level import NO_OTHERS, Level, Levels


class Group(Protocol):
    """What each module of settings gives: read, check, write, and the commands by hand."""

    @property
    def name(self) -> str:
        """The group's name in a saved state."""

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""

    def read(self, device: Device) -> dict[str, Level]:
        """All settings of the group that the device has, as they are now."""

    def saved(self, device: Device) -> dict[str, Level]:
        """What is to be put back at the end: by names that `write` understands."""

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Why the device cannot take this level, as far as that can be known before trying.

        `beside`: the levels of the whole cell, of which some may bring about what this one needs.
        """

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """What else has to be written so that the levels asked for take effect."""

    def write(self, device: Device, levels: Levels) -> None:
        """Write some settings at once; SettingError if the device refuses."""

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""


def write_each(group: Group, device: Device, levels: Levels) -> list[SettingError]:
    """Write all at once or, where that fails, one by one; what could not be written."""
    try:
        group.write(device, levels)
    except SettingError:
        return [e for s, v in levels.items() if (e := _attempt(group, device, s, v)) is not None]
    return []


def _attempt(group: Group, device: Device, setting: str, level: Level) -> SettingError | None:
    try:
        group.write(device, {setting: level})
    except SettingError as error:
        return error
    return None
