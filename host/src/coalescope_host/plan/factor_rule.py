# SPDX-License-Identifier: Apache-2.0
"""What levels a factor takes. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Union

Level = Union[str, int, float, bool]
"""One level of a factor, as the plan says it."""
Levels = Mapping[str, Level]
"""A cell: a level for each factor, in the order of the plan."""

LONGEST_LEVEL = 200
MOST_CPUS = 8192
"""The kernel's own bound."""
MUCH = (1 << 31) - 1
"""A bound that is the kernel's type, and none of the thing."""
_SWITCH_WORDS = {"on": True, "true": True, "off": False, "false": False}


@dataclass(frozen=True)
class FactorRule:
    """What levels a factor takes.

    Attributes:
        description: a level in words, as an error says it.
        types: what Python types TOML may give.
        low, high: bounds of a number.
        choices: the texts that are possible; empty: any, if `pattern` says nothing else.
        pattern: what a text must look like.
        reads: reads such a text; ValueError where it means nothing all the same.
        recorded_only: it says what is, and sets nothing: it can have one level only.
    """

    description: str
    types: tuple[type, ...]
    low: float = 0
    high: float = math.inf
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    reads: Callable[[str], object] | None = None
    recorded_only: bool = False

    def allows(self, level: object) -> bool:
        """Say whether that is a possible level."""
        if type(level) not in self.types:
            return False
        if isinstance(level, str):
            return self._allows_text(level)
        if isinstance(level, bool):
            return True
        assert isinstance(level, (int, float))
        return math.isfinite(level) and self.low <= level <= self.high

    def normal(self, level: object) -> object:
        """The level in its one form: "on" and "off" of a switch are true and false."""
        if bool in self.types and isinstance(level, str) and level not in self.choices:
            return _SWITCH_WORDS.get(level.lower(), level)
        if bool in self.types and type(level) is int and level in (0, 1) and int not in self.types:
            return bool(level)
        if self.types == (str,) and type(level) is int:
            return str(level)  # one CPU of a list of CPUs
        return level

    def _allows_text(self, level: str) -> bool:
        if self.choices:
            return level in self.choices
        if self.pattern is not None and not re.fullmatch(self.pattern, level):
            return False
        if not (0 < len(level) <= LONGEST_LEVEL and level.isprintable()):
            return False
        try:
            if self.reads is not None:
                self.reads(level)
        except ValueError:
            return False
        return True


def whole(low: int, high: int, what: str) -> FactorRule:
    """Whole numbers of something."""
    bounds = f"{low} to {high}" if high < MUCH else f"{low}"
    return FactorRule(f"a whole number from {bounds}, {what}", (int,), low, high)


def choice(*words: str) -> FactorRule:
    """One of some words."""
    return FactorRule(f"one of {', '.join(words)}", (str,), choices=words)


SWITCH = FactorRule("true or false (on or off)", (bool,))
NOTE = FactorRule("a text", (str,), recorded_only=True)


def cpus_of(text: str) -> frozenset[int]:
    """The CPUs of a list such as 0-3,8.

    Raises:
        ValueError: if it is no such list, or a range of it runs backwards, or too far.
    """
    found = set[int]()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low, high = int(first), int(last if dash else first)
        if not 0 <= low <= high < MOST_CPUS:
            raise ValueError(f"{part} is no range of CPUs")
        found |= set(range(low, high + 1))
    return frozenset(found)


CPUS = FactorRule(
    'CPUs as the kernel lists them, such as "0" or "0-3,8"',
    (str,),
    pattern=r"\d+(-\d+)?(,\d+(-\d+)?)*",
    reads=cpus_of,
)
