# SPDX-License-Identifier: Apache-2.0
"""The factors a sweep knows: what their levels look like, and what a run log calls them. Pure."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .toml_table import suggestion

Level = str | int | float | bool
"""One level of a factor, as the plan says it."""
Levels = Mapping[str, Level]
"""A cell: a level for each factor, in the order of the plan."""

LONGEST_LEVEL = 200


@dataclass(frozen=True)
class FactorRule:
    """What levels a factor takes.

    Attributes:
        description: a level in words, as an error says it.
        types: what Python types TOML may give.
        low, high: bounds of a number.
        recorded_only: it says what is, and sets nothing: it can have one level only.
    """

    description: str
    types: tuple[type, ...]
    low: float = 0
    high: float = math.inf
    recorded_only: bool = False

    def allows(self, level: object) -> bool:
        """Say whether that is a possible level."""
        if type(level) not in self.types:
            return False
        if isinstance(level, str):
            return 0 < len(level) <= LONGEST_LEVEL and level.isprintable()
        if isinstance(level, bool):
            return True
        assert isinstance(level, int | float)
        return math.isfinite(level) and self.low <= level <= self.high


def _whole(low: int, high: int, what: str) -> FactorRule:
    return FactorRule(f"a whole number from {low} to {high}, {what}", (int,), low, high)


_SWITCH = FactorRule("true or false", (bool,))
_NOTE = FactorRule("a text", (str,), recorded_only=True)
_FREE = FactorRule("a number, a text, true or false", (int, float, str, bool), -1e30, 1e30)

FACTORS: Mapping[str, FactorRule] = MappingProxyType(
    {
        "mtu_bytes": _whole(68, 65536, "in bytes"),
        "delay_us": FactorRule("a number of microseconds, 0 or more", (int, float), 0, 1e9),
        "delay_ticks": _whole(0, 65535, "in ticks of 1.024 µs"),
        "moderation_rate_hz": FactorRule("interrupts per second", (int, float), 0, 1e9),
        "workload": FactorRule("the name of a [workloads.NAME]", (str,)),
        "frame_bytes": _whole(64, 65554, "in bytes"),
        "napi_weight": _whole(1, 65536, "in packets"),
        "streams": _whole(1, 10000, "the number of flows"),
        "packet_rate_hz": FactorRule("packets per second, 0 or more", (int, float), 0, 1e12),
        "ring_rx": _whole(1, 1 << 20, "in descriptors"),
        "ring_tx": _whole(1, 1 << 20, "in descriptors"),
        "pause_rx": _SWITCH,
        "pause_tx": _SWITCH,
        "gro_flush_timeout_ns": _whole(0, 10**12, "in nanoseconds"),
        "napi_defer_hard_irqs": _whole(0, (1 << 31) - 1, "the number of deferrals"),
        "delay_control": _NOTE,
        "driver_version": _NOTE,
        "kernel_version": _NOTE,
        "host": _NOTE,
    }
)

#: What a device is told about when to interrupt: without interrupts it says nothing.
INTERRUPT_DELAYS = frozenset(
    {"delay_us", "delay_ticks", "moderation_rate_hz", "napi_defer_hard_irqs"}
)

#: Families `PREFIX.NAME`: what NAME looks like, and what its levels look like.
FAMILIES: Mapping[str, tuple[re.Pattern[str], FactorRule]] = MappingProxyType(
    {
        "offload": (re.compile(r"[a-z][a-z0-9-]{0,40}"), _SWITCH),
        "driver": (
            re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}"),
            FactorRule(
                "a whole number or a text, as the driver's parameter takes it",
                (int, str),
                -(1 << 63),
                (1 << 64) - 1,
            ),
        ),
        "factor": (re.compile(r"[a-z][a-z0-9_]{0,56}"), _FREE),
    }
)

#: Those of the glossary: they stand in a run log under their own name.
IN_GLOSSARY = frozenset(
    {
        "mtu_bytes",
        "delay_us",
        "delay_ticks",
        "moderation_rate_hz",
        "workload",
        "delay_control",
        "frame_bytes",
        "napi_weight",
        "streams",
        "packet_rate_hz",
        "driver_version",
        "kernel_version",
        "host",
    }
)


def rule_of(name: str) -> FactorRule | str:
    """The rule of a factor, or why there is no such factor and what to write instead."""
    if name in FACTORS:
        return FACTORS[name]
    prefix, dot, rest = name.partition(".")
    if dot and prefix in FAMILIES:
        pattern, rule = FAMILIES[prefix]
        if pattern.fullmatch(rest):
            return rule
        return f"“{rest}” is no name that can follow “{prefix}.”."
    near = suggestion(name, [*FACTORS, *(f"{family}." for family in FAMILIES)])
    return (
        f"there is no such factor.{near} Known are {', '.join(FACTORS)}, "
        'and "offload.NAME", "driver.PARAMETER"; one of your own is called "factor.NAME".'
    )


def log_name(name: str) -> str:
    """What a run log calls that factor: the glossary's name, or `factor.NAME`."""
    if name in IN_GLOSSARY or name.startswith("factor."):
        return name
    return "factor." + re.sub(r"[^a-z0-9_]", "_", name.lower())


def log_level(level: Level) -> str | int | float:
    """A level as a run log holds it: switches are “on” and “off”."""
    return ("on" if level else "off") if isinstance(level, bool) else level


def level_text(level: Level) -> str:
    """A level as people read it, and as programs take it."""
    value = log_level(level)
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def cell_text(levels: Levels) -> str:
    """A cell in one line."""
    return " ".join(f"{name}={level_text(level)}" for name, level in levels.items())
