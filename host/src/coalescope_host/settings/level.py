# SPDX-License-Identifier: Apache-2.0
"""What a level of a plan means for a setting."""

from __future__ import annotations

from types import MappingProxyType

from ..plan.factor_rule import FactorRule, Level, Levels

__all__ = [
    "NO_OTHERS",
    "Level",
    "Levels",
    "as_choice",
    "as_switch",
    "as_text",
    "as_whole_number",
    "shown",
]

NO_OTHERS: Levels = MappingProxyType({})
"""A cell in which nothing else is set."""
SWITCHES = {"on": True, "true": True, "off": False, "false": False}


def as_switch(level: Level) -> bool:
    """The level as on or off.

    Raises:
        ValueError: if it is neither true, false, 1, 0, "on" nor "off".
    """
    if isinstance(level, str):
        level = SWITCHES.get(level.lower(), level)
    if isinstance(level, bool) or level in (0, 1):
        return bool(level)
    raise ValueError("must be true or false")


def as_whole_number(level: Level, highest: int = (1 << 32) - 1) -> int:
    """The level as a whole number from 0.

    Raises:
        ValueError: if it is no number, not whole, or out of range.
    """
    if isinstance(level, (bool, str)) or level != int(level) or not 0 <= level <= highest:
        raise ValueError(f"must be a whole number from 0 to {highest}")
    return int(level)


def as_choice(level: Level, choices: tuple[str, ...]) -> str:
    """The level as one of some words.

    Raises:
        ValueError: if it is another.
    """
    if level not in choices:
        raise ValueError(f"must be one of {', '.join(choices)}")
    return str(level)


def as_text(level: Level, rule: FactorRule) -> str:
    """The level as a text of a form.

    Raises:
        ValueError: if it has another.
    """
    if not isinstance(level, str) or not rule.allows(level):
        raise ValueError(f"must be {rule.description}")
    return level


def shown(level: Level | None) -> str:
    """The level as a plan writes it."""
    if level is None:
        return "nothing"
    return str(level).lower() if isinstance(level, bool) else str(level)
