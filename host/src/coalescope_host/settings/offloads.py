# SPDX-License-Identifier: Apache-2.0
"""Offloads (`ethtool -K`): `offload.gro` and its like, or a feature's own name after `offload.`.

A feature is *wanted* or not and *active* or not; one that depends on another can be wanted and
inactive. What is read back is what is active; what is saved and put back is what is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..plan.registry import OFFLOAD_FAMILIES, OFFLOADS
from ..spelling import suggestion
from .device import Device
from .errors import UnsupportedError
from .ethtool_messages import (
    FEATURES_GET,
    FEATURES_SET,
    FeatureListsMessage,
    FeaturesMessage,
    feature_values,
)
from .flow_rules import lost_rules
from .level import NO_OTHERS, Level, Levels, as_switch, shown

PREFIX = "offload."
SHORT = {*OFFLOADS, *OFFLOAD_FAMILIES} - {"gro_hw"}
"""What ethtool understands beside the kernel's names."""
STEERING = "rx-ntuple-filter"
"""Switching it off deletes the flow steering rules with many drivers."""


class OffloadGroup:
    """All features of the interface."""

    name = "offloads"

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting.startswith(PREFIX) and len(setting) > len(PREFIX)

    def read(self, device: Device) -> dict[str, Level]:
        """What is active now: all that can be changed, by full and by short name."""
        return self._levels(device, "ACTIVE")

    def saved(self, device: Device) -> dict[str, Level]:
        """What was asked of the kernel for each feature that can be changed, by full name."""
        answer = self._answer(device)
        wanted = _set_bits(answer, "WANTED")
        return {PREFIX + feature: feature in wanted for feature in sorted(_changeable(answer))}

    def convert(self, setting: str, level: Level) -> Level:
        """The level as on or off; ValueError with what it must be."""
        return as_switch(level)

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Whether it is unknown, fixed at the other value, or holds what cannot be put back."""
        answer = self._answer(device)
        features = _features(setting, _bits(answer, "HW"))
        if not features:
            near = suggestion(setting.removeprefix(PREFIX), filter(None, _bits(answer, "HW")))
            return f"this kernel has no such offload; `ethtool -k {device.name}` lists them.{near}"
        if bool(features & _set_bits(answer, "ACTIVE")) == level:
            return None
        if not features & _changeable(answer):
            return f"its driver fixes {', '.join(sorted(features))} at {shown(not level)}"
        # whichever way it is switched: it is switched back
        return lost_rules(device, f"switching {setting}") if STEERING in features else None

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Nothing: the kernel itself sees to dependencies."""
        return {}

    def write(self, device: Device, levels: Levels) -> None:
        """Ask for features; the kernel refuses none, so what is active is to be read back."""
        answer = self._answer(device)
        known, changeable = _bits(answer, "HW"), _changeable(answer)
        wanted = {
            feature: bool(level)
            for setting, level in levels.items()
            for feature in sorted(_features(setting, known) & changeable)
        }
        what = ", ".join(f"{setting} = {shown(level)}" for setting, level in levels.items())
        if not wanted:
            raise UnsupportedError(f"{device}: {what} refused: the driver fixes it")
        bits = [
            ("ETHTOOL_A_BITSET_BITS_BIT", {"attrs": _bit(feature, on)})
            for feature, on in wanted.items()
        ]
        bitset = {"attrs": [("ETHTOOL_A_BITSET_BITS", {"attrs": bits})]}
        device.ethtool(
            FeaturesMessage,
            FEATURES_SET,
            f"{what} refused",
            [("ETHTOOL_A_FEATURES_WANTED", bitset)],
        )

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        words: list[str] = []
        known = _bits(self._answer(device), "HW")
        for setting, level in levels.items():
            word = setting.removeprefix(PREFIX)
            features = [] if word in SHORT else sorted(_features(setting, known))
            words += [*(features or [word])[:1], ("off", "on")[bool(level)]]
        return [device.command("ethtool", "-K", device.name, *words)] if words else []

    def _answer(self, device: Device) -> Any:
        return device.ethtool(FeatureListsMessage, FEATURES_GET, "offloads cannot be read")

    def _levels(self, device: Device, which: str) -> dict[str, Level]:
        answer = self._answer(device)
        known, changeable, on = (
            _bits(answer, "HW"),
            _changeable(answer),
            _set_bits(answer, which),
        )
        found: dict[str, Level] = {PREFIX + name: name in on for name in sorted(changeable)}
        for short in (*OFFLOADS, *OFFLOAD_FAMILIES):
            features = _features(PREFIX + short, known)
            if features:
                found[PREFIX + short] = bool(features & on)
        return found


def _features(setting: str, known: Iterable[str]) -> set[str]:
    """The kernel's names of what a setting means, of those that the kernel knows."""
    word = setting.removeprefix(PREFIX)
    if word in OFFLOAD_FAMILIES:
        return {name for name in known if name.startswith(OFFLOAD_FAMILIES[word])}
    feature = OFFLOADS.get(word, word).replace("-", "_")
    return {name for name in known if name.replace("-", "_") == feature}


def _bit(feature: str, on: bool) -> list[tuple[str, object]]:
    name: list[tuple[str, object]] = [("ETHTOOL_A_BITSET_BIT_NAME", feature)]
    return [*name, ("ETHTOOL_A_BITSET_BIT_VALUE", True)] if on else name


def _bits(answer: Any, which: str) -> Mapping[str, bool]:
    """The features that a part of the answer lists, with their values."""
    return feature_values(answer.get_attr(f"ETHTOOL_A_FEATURES_{which}") or b"")


def _set_bits(answer: Any, which: str) -> set[str]:
    """The features of a list without a mask: those listed are set."""
    return set(_bits(answer, which))


def _changeable(answer: Any) -> set[str]:
    hardware = {name for name, on in _bits(answer, "HW").items() if on}
    return hardware - _set_bits(answer, "NOCHANGE")
