# SPDX-License-Identifier: Apache-2.0
"""The settings that a tuning chooses among where nobody named any: delays that the driver takes,
adaptive moderation where it has that, and always what is set now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coalescope_host.drivers import Driver
from coalescope_host.plan.factor_rule import SWITCH
from coalescope_host.plan.factors import Level, Levels, rule_of

DELAY, ADAPTIVE = "delay_us", "adaptive_rx"
_DELAYS_US = (0, 5, 10, 20, 40, 80, 160, 320)
_PARAMETERS = {DELAY: "rx-usecs", ADAPTIVE: "adaptive-rx"}


def usual_factors(driver: Driver | None, now: Levels) -> dict[str, list[Level]]:
    """What is worth trying on a device, by its driver and by what it says is set.

    Args:
        driver: what the kernel's sources say of it; None where they are not known.
        now: what the device has, and how it is set.
    """
    found: dict[str, list[Level]] = {}
    if _can_set(driver, now, DELAY):
        found[DELAY] = sorted({d for asked in _DELAYS_US for d in _exact(driver, asked)})
    if _can_set(driver, now, ADAPTIVE):
        found[ADAPTIVE] = [False, True]
    return found


def with_start(factors: Mapping[str, Sequence[Level]], now: Levels) -> dict[str, list[Level]]:
    """Factors with what is set now among their levels: every answer is compared with that.

    A fixed delay is no candidate beside what is set now if adaptive moderation moves it: then
    that is one more factor.
    """
    found = {name: [_plain(name, level) for level in levels] for name, levels in factors.items()}
    if DELAY in found and now.get(ADAPTIVE) is True:
        found.setdefault(ADAPTIVE, [False])
    for name, levels in found.items():
        if name in now and now[name] not in levels:
            levels.append(now[name])
            if not any(isinstance(level, str) for level in levels):
                levels.sort(key=float)
    return found


def _plain(factor: str, level: Level) -> Level:
    """What was typed as a host says it: a switch is true or false."""
    return level == "on" if rule_of(factor) is SWITCH and level in ("on", "off") else level


def left_out(factors: Mapping[str, Sequence[Level]], now: Levels) -> list[dict[str, Any]]:
    """Cells that are as others: adaptive moderation, whatever the fixed delay beside it."""
    return list(_left_out(factors, now))


def _left_out(factors: Mapping[str, Sequence[Level]], now: Levels) -> Iterator[dict[str, Any]]:
    delays = factors.get(DELAY, ())
    if True not in factors.get(ADAPTIVE, ()) or not delays:
        return
    kept = now.get(DELAY) if now.get(DELAY) in delays else delays[0]
    yield from ({ADAPTIVE: True, DELAY: delay} for delay in delays if delay != kept)


def _can_set(driver: Driver | None, now: Levels, factor: str) -> bool:
    return factor in now and (driver is None or driver.supports(_PARAMETERS[factor]))


def _exact(driver: Driver | None, delay_us: int) -> Sequence[int]:
    """What the driver can set that is near to a delay."""
    return (delay_us,) if driver is None else driver.nearest(delay_us)[:1]
