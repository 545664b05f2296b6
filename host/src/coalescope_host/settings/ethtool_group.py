# SPDX-License-Identifier: Apache-2.0
"""Groups of settings that are attributes of one pair of messages of the ethtool family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from coalescope_host.newer_python import zip_strict

from ..plan.registry import SETTINGS, Setting
from .device import Device
from .errors import SettingError, UnsupportedError
from .level import NO_OTHERS, Level, Levels, as_choice, as_switch, as_text, as_whole_number, shown

PROFILE_PARTS = ("USEC", "PKTS", "COMPS")
NOT_THERE = "n"


@dataclass(frozen=True)
class EthtoolGroup:
    """The rows of the registry that one pair of messages reads and sets.

    Attributes:
        name: the group's, in the registry and in a saved state.
        option: that makes the program ethtool show it, e.g. "-c"; upper case sets it.
        message: the class of its messages.
        get: number of the message that reads.
        set: number of the message that writes.
    """

    name: str
    option: str
    message: Any
    get: int
    set: int

    @cached_property
    def rows(self) -> Mapping[str, Setting]:
        """Its settings by name."""
        return {row.name: row for row in SETTINGS if row.group == self.name}

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting in self.rows

    def read(self, device: Device) -> dict[str, Level]:
        """All settings of the group that the device has, as they are now."""
        answer = self._answer(device)
        return {} if answer is None else self._levels(answer)

    saved = read

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""
        row = self.rows[setting]
        if row.is_switch:
            return as_switch(level)
        if row.rule.choices:
            return as_choice(level, row.rule.choices)
        return as_text(level, row.rule) if row.rule.pattern else as_whole_number(level)

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Why the device cannot take this level, as far as that can be known before trying."""
        row, answer = self.rows[setting], self._answer(device)
        now = {} if answer is None else self._levels(answer)
        if answer is None or setting not in now:
            return f"its driver has no {row.word} (`ethtool {self.option}`)"
        highest = None if row.maximum is None else answer.get_attr(self._attribute(row.maximum))
        if highest is not None and int(level) > highest:
            return f"the device allows at most {highest}"
        if row.rule.pattern and _form(level) != _form(now[setting]):
            return f"the device has n in other places: {now[setting]}"
        return self._fixed(device, setting, now[setting])

    def _fixed(self, device: Device, setting: str, now: Level) -> str | None:
        """Why a value that can be read cannot be set: the kernel says so of its own value, too.

        What is there already is no change, and the driver is not asked.
        """
        try:
            self.write(device, {setting: now})
        except UnsupportedError:
            return f"its driver cannot set {self.rows[setting].word}, it only shows it"
        except SettingError:
            return None  # no permission, which is said elsewhere
        return None

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Switch off what would override the levels asked for."""
        return {
            other: False
            for setting in asked
            if (other := self.rows[setting].overridden_by) is not None
            and other not in asked
            and now.get(other) is True
        }

    def write(self, device: Device, levels: Levels) -> None:
        """Write some settings at once; SettingError if the device refuses."""
        device.ethtool(
            self.message,
            self.set,
            f"{_list(levels)} refused",
            [
                (self._attribute(self.rows[s].attribute), self._encoded(s, v))
                for s, v in levels.items()
            ],
        )

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        words: list[str] = []
        for setting, level in levels.items():
            row = self.rows[setting]
            value = ("off", "on")[bool(level)] if row.is_switch else str(level)
            words += [row.word, value]
        return (
            [device.command("ethtool", self.option.upper(), device.name, *words)] if words else []
        )

    def _attribute(self, name: str) -> str:
        return f"{self.message.prefix}{name}"

    def _answer(self, device: Device) -> Any:
        try:
            return device.ethtool(self.message, self.get, f"{self.name} cannot be read")
        except UnsupportedError:
            return None

    def _levels(self, answer: Any) -> dict[str, Level]:
        found: dict[str, Level] = {}
        for setting, row in self.rows.items():
            value = answer.get_attr(self._attribute(row.attribute))
            if row.maximum is not None and not answer.get_attr(self._attribute(row.maximum)):
                continue  # a ring or channel that the device does not have
            if value is not None:
                found[setting] = self._decoded(row, value)
        return found

    def _encoded(self, setting: str, level: Level) -> Any:
        row = self.rows[setting]
        if row.rule.choices:
            return row.rule.choices.index(str(level))
        return _profile(str(level)) if row.rule.pattern else int(level)

    def _decoded(self, row: Setting, value: Any) -> Level:
        if row.is_switch:
            return bool(value)
        if row.rule.choices:
            return row.rule.choices[int(value)]
        return _profile_text(value) if row.rule.pattern else int(value)


def _form(profile: Level) -> str:
    """A profile without its numbers: what the driver moderates by."""
    return re.sub(r"\d+", "", str(profile))


def _profile(text: str) -> dict[str, Any]:
    """A profile of dynamic interrupt moderation as nested attributes."""
    lines = [
        (
            "ETHTOOL_A_PROFILE_IRQ_MODERATION",
            {
                "attrs": [
                    (f"ETHTOOL_A_IRQ_MODERATION_{part}", int(number))
                    for part, number in zip_strict(PROFILE_PARTS, line.split(","))
                    if number != NOT_THERE
                ]
            },
        )
        for line in text.split("_")
    ]
    return {"attrs": lines}


def _profile_text(profile: Any) -> str:
    """The same as text; what a driver does not moderate by is n."""
    lines = []
    for line in profile.get_attrs("ETHTOOL_A_PROFILE_IRQ_MODERATION"):
        numbers = [line.get_attr(f"ETHTOOL_A_IRQ_MODERATION_{part}") for part in PROFILE_PARTS]
        lines.append(",".join(NOT_THERE if n is None else str(n) for n in numbers))
    return "_".join(lines)


def _list(levels: Levels) -> str:
    return ", ".join(f"{setting} = {shown(level)}" for setting, level in levels.items())
