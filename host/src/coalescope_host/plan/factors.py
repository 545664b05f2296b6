# SPDX-License-Identifier: Apache-2.0
"""The factors a sweep knows: what their levels look like, and what a run log calls them. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from coalescope_host.spelling import suggestion

from .factor_rule import MOST_CPUS, MUCH, NOTE, SWITCH, FactorRule, Level, Levels, whole
from .registry import MEANINGS, SETTINGS

__all__ = [
    "DEFERRALS",
    "FACTORS",
    "FAMILIES",
    "INTERRUPT_DELAYS",
    "IN_GLOSSARY",
    "LEAST_FIRST",
    "WAITS",
    "WAITS_LESS",
    "FactorRule",
    "Level",
    "Levels",
    "cell_text",
    "distance",
    "factor_name",
    "level_in_order",
    "level_text",
    "log_level",
    "log_name",
    "rule_of",
]

#: What no group of settings sets: traffic, parameters of a driver by another name, notes.
_OTHERS: Mapping[str, FactorRule] = {
    "delay_ticks": whole(0, 65535, "in ticks of 1.024 µs"),
    "moderation_rate_hz": FactorRule("interrupts per second", (int, float), 0, 1e9),
    "workload": FactorRule("the name of a [workloads.NAME]", (str,)),
    "frame_bytes": whole(64, 65554, "in bytes"),
    "napi_weight": whole(1, 65536, "in packets"),
    "streams": whole(1, 10000, "the number of flows"),
    "packet_rate_hz": FactorRule("packets per second, 0 or more", (int, float), 0, 1e12),
    "delay_control": NOTE,
    "driver_version": NOTE,
    "kernel_version": NOTE,
    "host": NOTE,
    "speed_mbps": replace(whole(1, MUCH, "in 10⁶ bits per second"), recorded_only=True),
    "cpus": replace(whole(1, MOST_CPUS, "the number of CPUs online"), recorded_only=True),
}

FACTORS: Mapping[str, FactorRule] = MappingProxyType(
    {row.name: row.rule for row in SETTINGS} | dict(_OTHERS)
)

#: What a device is told about when to interrupt: without interrupts it says nothing.
INTERRUPT_DELAYS = frozenset(row.name for row in SETTINGS if row.delays_interrupts) | {
    "delay_ticks",
    "moderation_rate_hz",
}

#: Of these, what the kernel defers by itself: polls show it as well as interrupts.
DEFERRALS = frozenset({"napi_defer_hard_irqs"})

#: By which packets wait before the stack has them: at the device; in the kernel, with the interrupt
#: masked. A count of frames or polls bounds no time: it counts where no time of its row varies.
WAITS = (
    ("delay_us", *sorted(INTERRUPT_DELAYS - DEFERRALS - {"delay_us"})),
    ("gro_flush_timeout_ns", "irq_suspend_timeout_ns", *sorted(DEFERRALS)),
)

#: Of these, where packets wait longer the smaller the number is; 0 is no moderation.
WAITS_LESS = frozenset({"moderation_rate_hz"})

#: Waits in the order in which they decide; those that are not here follow them.
_WAITS_THAT_DECIDE_FIRST = (
    "delay_us",
    "delay_ticks",
    "moderation_rate_hz",
    "rx_frames",
    "gro_flush_timeout_ns",
    "napi_defer_hard_irqs",
)
_NUMBERS = tuple(name for row in WAITS for name in row if FACTORS[name] is not SWITCH)

#: Of two settings the lesser has the smaller level of the first of these in which they differ: how
#: long a packet may wait (`level_in_order`), then the MTU.
LEAST_FIRST = (*dict.fromkeys((*_WAITS_THAT_DECIDE_FIRST, *_NUMBERS)), "mtu_bytes")

#: Families `PREFIX.NAME`: what NAME looks like, and what its levels look like.
FAMILIES: Mapping[str, tuple[re.Pattern[str], FactorRule]] = MappingProxyType(
    {
        "offload": (re.compile(r"[a-z][a-z0-9_-]{0,40}"), SWITCH),
        "driver": (
            re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}"),
            FactorRule(
                "a whole number or a text, as the driver's parameter takes it",
                (int, str),
                -(1 << 63),
                (1 << 64) - 1,
            ),
        ),
        "factor": (
            re.compile(r"[a-z][a-z0-9_]{0,56}"),
            FactorRule("a number, a text, true or false", (int, float, str, bool), -1e30, 1e30),
        ),
    }
)

#: Those of the glossary: they stand in a run log under their own name.
IN_GLOSSARY = frozenset(row.name for row in SETTINGS if row.in_glossary) | frozenset(_OTHERS)


def factor_name(word: str) -> str:
    """The factor that a word of the field means, such as rx-usecs; else the word as it stands."""
    meant = MEANINGS.get(word, ())
    return meant[0] if len(meant) == 1 else word


def rule_of(name: str) -> FactorRule | str:
    """The rule of a factor, or why there is no such factor and what to write instead."""
    name = factor_name(name)
    if name in FACTORS:
        return FACTORS[name]
    prefix, dot, rest = name.partition(".")
    if dot and prefix in FAMILIES:
        pattern, rule = FAMILIES[prefix]
        if pattern.fullmatch(rest):
            return rule
        return f"“{rest}” is no name that can follow “{prefix}.”."
    if meant := MEANINGS.get(name):
        return f"may mean {', '.join(meant[:-1])} or {meant[-1]}: write which."
    near = suggestion(name, [*FACTORS, *MEANINGS, *(f"{family}." for family in FAMILIES)])
    return (
        f"there is no such factor.{near} docs/settings.md lists all; offloads are offload.NAME, "
        "parameters of a driver driver.NAME, and one of your own is factor.NAME."
    )


def level_in_order(name: str, level: float) -> float:
    """What a number is ordered by, the shorter wait first: a rate by its period."""
    if name not in WAITS_LESS:
        return level
    return 1.0 / level if level else 0.0


def distance(level: object, now: object) -> float:
    """How far a number lies from what is set now, on a scale of ratios; 0 where either is none."""
    if not isinstance(level, (int, float)) or not isinstance(now, (int, float)):
        return 0.0
    return abs(math.log1p(max(level, 0.0)) - math.log1p(max(now, 0.0)))


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
