# SPDX-License-Identifier: Apache-2.0
"""What a host has that nobody set, as far as it is known: what an answer is compared with. Pure.

The source of an experiment says it, under `default_setting`; else the table of drivers may, for the
driver and kernel that all runs had. Only what was measured counts.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coalescope_host.drivers import Driver, driver_named
from coalescope_host.plan.factors import log_name

from coalescope.experiments.levels import matches
from coalescope.experiments.records import Factors, FactorValue

#: Whose default it is: what the data's source names, or what the driver sets.
By = Literal["source", "driver"]

_ADAPTIVE = log_name("adaptive_rx")
_FRAMES = log_name("rx_frames")
#: What the table of drivers knows the default of.
_OF_DRIVERS = ("delay_us", _ADAPTIVE, _FRAMES)


@dataclass(frozen=True)
class Default:
    """Levels of a setting that is there unless somebody changes it, and who says so."""

    levels: Factors
    by: By


def said_default(source: Mapping[str, Any], settings: Collection[Factors]) -> Default | None:
    """The default that an experiment's source names; None where it names none that was measured."""
    return _measured(Default(source.get("default_setting") or {}, "source"), settings)


def may_be_of_driver(choosable: Iterable[str]) -> bool:
    """Whether a driver's default can be a setting of these factors, the MTU left alone."""
    names = set(choosable) - {"mtu_bytes"}
    return bool(names) and names <= set(_OF_DRIVERS)


def driver_default(
    environments: Iterable[Mapping[str, Any] | None],
    choosable: Sequence[str],
    settings: Collection[Factors],
) -> Default | None:
    """The default of the driver that all runs had; None where it is not known, or not measured."""
    found = [each or {} for each in environments]
    names = {(e.get("driver"), e.get("kernel_version")) for e in found}
    if len({name for name, _ in names}) != 1 or not may_be_of_driver(choosable):
        return None
    known = [_levels(name, kernel, choosable) for name, kernel in names]
    first = known[0]
    if first is None or any(levels != first for levels in known):
        return None
    return _measured(Default(first, "driver"), settings)


def _measured(default: Default, settings: Collection[Factors]) -> Default | None:
    there = default.levels and any(matches(setting, default.levels) for setting in settings)
    return default if there else None


def _levels(name: object, kernel: object, choosable: Sequence[str]) -> Factors | None:
    """What the driver sets of these factors; None where one of them is not known."""
    if not isinstance(name, str) or not isinstance(kernel, str):
        return None
    driver = driver_named(name, kernel)
    if driver is None or not driver.is_of(kernel):
        return None
    adaptive = driver.value("adaptive_default") if driver.supports("adaptive-rx") else False
    if adaptive is None:
        return None
    if adaptive:  # it chooses delay and frames itself
        return {_ADAPTIVE: "on"}
    known: dict[str, FactorValue | None] = {
        "delay_us": _delay_us(driver),
        _ADAPTIVE: "off",
        _FRAMES: driver.value("frames_default"),
    }
    levels = {factor: known[factor] for factor in choosable if factor in known}
    return None if None in levels.values() else {k: v for k, v in levels.items() if v is not None}


def _delay_us(driver: Driver) -> float | None:
    usecs = driver.value("usecs_default")
    if usecs is None or driver.refuses(usecs) is not None:  # a mode of it, or no such delay
        return None
    return float(usecs * driver.unit_us)
