# SPDX-License-Identifier: Apache-2.0
"""A group of settings that the kernel reads and writes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .device import Device
from .errors import SettingError, UnsupportedError
from .level import Level, Levels, as_switch, as_whole_number, shown


class Group(Protocol):
    """What each module of settings gives: read, check, write, and the commands by hand."""

    @property
    def name(self) -> str:
        """The group's name in a saved state."""

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""

    def read(self, device: Device) -> dict[str, Level]:
        """All settings of the group that the device has, as they are now."""

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""

    def problem(self, device: Device, setting: str, level: Level) -> str | None:
        """Why the device cannot take this level, as far as that can be known before trying."""

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """What else has to be written so that the levels asked for take effect."""

    def write(self, device: Device, levels: Levels) -> None:
        """Write some settings at once; SettingError if the device refuses."""

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One setting in a message of the ethtool family.

    Attributes:
        name: the attribute's, without its prefix.
        word: what `ethtool` calls it.
        switch: on or off rather than a number.
        maximum: name of the attribute that holds the highest number that the device allows.
    """

    name: str
    word: str
    switch: bool = False
    maximum: str | None = None


@dataclass(frozen=True, slots=True)
class EthtoolGroup:
    """Settings that are attributes of one pair of messages of the ethtool family.

    Attributes:
        name: the group's name in a saved state.
        option: that makes the program ethtool show it, e.g. "-c"; upper case sets it.
        message: the class of its messages.
        get: number of the message that reads.
        set: number of the message that writes.
        attributes: setting's name → its attribute.
        overrides: a setting → another that must be off for it to count, e.g. adaptive moderation.
    """

    name: str
    option: str
    message: Any
    get: int
    set: int
    attributes: Mapping[str, Attribute]
    overrides: Mapping[str, str] = field(default_factory=dict)

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting in self.attributes

    def read(self, device: Device) -> dict[str, Level]:
        """All settings of the group that the device has, as they are now."""
        answer = self._answer(device)
        return {} if answer is None else self._levels(answer)

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""
        return as_switch(level) if self.attributes[setting].switch else as_whole_number(level)

    def problem(self, device: Device, setting: str, level: Level) -> str | None:
        """Why the device cannot take this level, as far as that can be known before trying."""
        answer = self._answer(device)
        if answer is None or setting not in self._levels(answer):
            return f"its driver has no {self.attributes[setting].word} (`ethtool {self.option}`)"
        maximum = self.attributes[setting].maximum
        highest = None if maximum is None else answer.get_attr(self._attribute(maximum))
        if highest is not None and int(level) > highest:
            return f"the device allows at most {highest}"
        return None

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Switch off what would override the levels asked for."""
        return {
            other: False
            for setting, other in self.overrides.items()
            if setting in asked and other not in asked and now.get(other) is True
        }

    def write(self, device: Device, levels: Levels) -> None:
        """Write some settings at once; SettingError if the device refuses."""
        device.ethtool(
            self.message,
            self.set,
            f"{_list(levels)} refused",
            [(self._attribute(self.attributes[s].name), int(v)) for s, v in levels.items()],
        )

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        words: list[str] = []
        for setting, level in levels.items():
            attribute = self.attributes[setting]
            value = ("off", "on")[bool(level)] if attribute.switch else str(level)
            words += [attribute.word, value]
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
        for setting, attribute in self.attributes.items():
            value = answer.get_attr(self._attribute(attribute.name))
            maximum = attribute.maximum
            if maximum is not None and not answer.get_attr(self._attribute(maximum)):
                continue  # a ring or channel that the device does not have
            if value is not None:
                found[setting] = bool(value) if attribute.switch else int(value)
        return found


def _list(levels: Levels) -> str:
    return ", ".join(f"{setting} = {shown(level)}" for setting, level in levels.items())


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
