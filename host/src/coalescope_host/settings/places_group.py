# SPDX-License-Identifier: Apache-2.0
"""Groups of settings that each stand in several places: one for each queue, interrupt or CPU.

A level goes to all of them. It is read back where all agree; what is saved and put back is what
each holds, under `NAME[0]`, `NAME[1]` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ..plan.registry import BY_NAME
from .cpus import list_text, mask_text, offline, parse_list, parse_mask
from .device import Device
from .errors import UnsupportedError
from .level import NO_OTHERS, Level, Levels, as_switch, as_whole_number, shown
from .places import IdleStates, Place

INDEXED = re.compile(r"(\w+)\[(\d+)\]")

Places = Callable[[Device], Sequence[Place]]
Refusal = Callable[[Level, Sequence[Place]], Optional[str]]


def _none(_level: Level, _places: Sequence[Place]) -> str | None:
    """Nothing speaks against it."""
    return None


@dataclass(frozen=True)
class Spread:
    """One setting of such a group.

    Attributes:
        places: where it stands now.
        convert: a plan's level in its one form; ValueError with what it must be.
        encode: a level as the text of a place.
        decode: a place's text as a level; None where no level means that.
        where: what there is none of if there is no place.
        refusal: why this machine cannot take a level, as far as that is known before trying.
    """

    places: Places
    convert: Callable[[Level], Level]
    encode: Callable[[Level, Place], str]
    decode: Callable[[str], Level | None]
    where: str
    refusal: Refusal = _none


class PlacesGroup:
    """Settings that stand in several places."""

    def __init__(self, name: str, settings: Mapping[str, Spread]) -> None:
        self.name = name
        self._settings = settings

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return _name(setting) in self._settings

    def read(self, device: Device) -> dict[str, Level]:
        """What all places of a setting agree on."""
        found: dict[str, Level] = {}
        for name, spread in self._settings.items():
            texts = [place.read() for place in spread.places(device)]
            levels = {spread.decode(text) for text in texts if text is not None}
            if len(levels) == 1 and (level := levels.pop()) is not None:
                found[name] = level
        return found

    def saved(self, device: Device) -> dict[str, Level]:
        """What each place holds."""
        found: dict[str, Level] = {}
        for name, spread in self._settings.items():
            for index, place in enumerate(spread.places(device)):
                if (text := place.read()) is not None:
                    found[f"{name}[{index}]"] = text
        return found

    def convert(self, setting: str, level: Level) -> Level:
        """The level in its one form; ValueError with what it must be."""
        return self._settings[setting].convert(level)

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Whether there is no place for it here, or no such level."""
        spread = self._settings[setting]
        places = [place for place in spread.places(device) if place.read() is not None]
        if not places and not beside.get(BY_NAME[setting].needs or ""):
            return f"there is no {spread.where}"
        closed = next(filter(None, (place.read_only() for place in places)), None)
        return closed or spread.refusal(level, places)

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Nothing: these stand for themselves."""
        return {}

    def write(self, device: Device, levels: Levels) -> None:
        """Write to all places of a setting, or to the one that is named."""
        for setting, level in levels.items():
            what = f"{setting} = {shown(level)} refused"
            texts = self._texts(device, setting, level)
            if not texts:
                spread = self._settings[_name(setting)]
                raise UnsupportedError(f"{device}: {what}: there is no {spread.where}")
            for place, text in texts:
                place.write(text, what)

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        return [
            place.command(text)
            for setting, level in levels.items()
            for place, text in self._texts(device, setting, level)
        ]

    def _texts(self, device: Device, setting: str, level: Level) -> list[tuple[Place, str]]:
        spread = self._settings[_name(setting)]
        places = spread.places(device)
        if indexed := INDEXED.fullmatch(setting):
            return [(place, str(level)) for place in places[int(indexed[2]) :][:1]]
        readable = (place for place in places if place.read() is not None)
        return [(place, spread.encode(level, place)) for place in readable]


def _name(setting: str) -> str:
    indexed = INDEXED.fullmatch(setting)
    return indexed[1] if indexed else setting


def number(places: Places, where: str) -> Spread:
    """A whole number."""
    return Spread(places, as_whole_number, lambda level, _: str(level), _number, where)


def switch(places: Places, where: str, refusal: Refusal = _none) -> Spread:
    """1 or 0."""
    return Spread(
        places,
        as_switch,
        lambda level, _: str(int(level)),
        lambda text: text != "0",
        where,
        refusal,
    )


def word(name: str, places: Places, where: str, refusal: Refusal = _none) -> Spread:
    """A word."""

    def convert(level: Level) -> Level:
        if not BY_NAME[name].rule.allows(level):
            raise ValueError(f"must be {BY_NAME[name].rule.description}")
        return level

    return Spread(places, convert, lambda level, _: str(level), lambda text: text, where, refusal)


def cpu_list(places: Places, where: str) -> Spread:
    """CPUs as a list."""
    return Spread(
        places,
        _cpus,
        lambda level, _: str(level),
        lambda text: list_text(parse_list(text)),
        where,
        _offline,
    )


def cpu_mask(places: Places, where: str) -> Spread:
    """CPUs as a mask."""
    return Spread(
        places,
        _cpus,
        lambda level, _: mask_text(parse_list(str(level))),
        lambda text: list_text(parse_mask(text)),
        where,
        _offline,
    )


def idle_state(places: Places, where: str) -> Spread:
    """The deepest idle state that is allowed."""
    return Spread(places, as_whole_number, _upto, _deepest, where, _too_deep)


def _upto(level: Level, place: Place) -> str:
    assert isinstance(place, IdleStates)
    return place.upto(int(level))


def _deepest(text: str) -> Level | None:
    """The deepest state that is allowed; None where others than the deepest are disabled."""
    disabled = text.split(",")
    allowed = disabled.count("0")
    return allowed - 1 if allowed and disabled == sorted(disabled) else None


def _too_deep(level: Level, places: Sequence[Place]) -> str | None:
    deepest = min((place.read() or "").count(",") for place in places)
    return f"the deepest idle state is {deepest}" if int(level) > deepest else None


def _offline(level: Level, _: Sequence[Place]) -> str | None:
    return offline(parse_list(str(level)))


def _cpus(level: Level) -> Level:
    try:
        return list_text(parse_list(str(level)))
    except ValueError:
        raise ValueError('must be CPUs such as "0" or "0-3,8"') from None


def _number(text: str) -> Level | None:
    return int(text) if text.isdecimal() else None
