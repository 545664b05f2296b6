# SPDX-License-Identifier: Apache-2.0
"""The table of drivers: which parameters, which values of them, and what the device makes of them.

drivers.json beside this file is generated from the kernel's sources (host/drivers/read_kernel.py);
host/drivers/facts.toml explains each fact. What is not in it is not known.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

# pkgutil reads it from the single file that the host tools are, too
_TABLE: Mapping[str, Any] = json.loads(pkgutil.get_data(__name__, "drivers.json") or b"")

RELEASES: Mapping[str, str] = MappingProxyType(_TABLE["releases"])
"""Kernel release → the package that was read."""

NANOSECONDS = 1000
_SECOND_US = 1_000_000
_FAR = 2000  # further than any gap between values that can be set
_READ = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True)
class Fact:
    """One thing that a release of the kernel says of a driver.

    Attributes:
        value: as host/drivers/facts.toml says.
        at: path:line in the kernel's source.
        by: "script" where it was computed from there, "hand" where somebody read it there.
    """

    value: Any
    at: str
    by: str


@dataclass(frozen=True)
class Driver:
    """A driver as one release of the kernel has it.

    Attributes:
        name: as `ethtool -i` shows it.
        about: the hardware.
        aliases: other names that it goes by.
        release: of the kernel, such as "6.12".
        facts: what is known, by the names of host/drivers/facts.toml.
    """

    name: str
    about: str
    aliases: Sequence[str]
    release: str
    facts: Mapping[str, Fact]

    def value(self, fact: str, unknown: Any = None) -> Any:
        """A fact's value, or what stands for "not known"."""
        found = self.facts.get(fact)
        return unknown if found is None else found.value

    @cached_property
    def parameters(self) -> Sequence[str]:
        """The parameters of `ethtool -C` that it supports."""
        return tuple(self.value("parameters", ()))

    def supports(self, parameter: str) -> bool:
        """Whether a parameter of `ethtool -C` can be set at all."""
        return parameter in self.parameters

    @property
    def unit_us(self) -> float:
        """What one of rx-usecs is, in µs."""
        return float(self.value("usecs_unit_ns", NANOSECONDS)) / NANOSECONDS

    def refuses(self, usecs: int) -> str | None:
        """Why rx-usecs cannot be this, or would be no such delay; None where nothing says so."""
        if not self.supports("rx-usecs"):
            return f"{self.name} of Linux {self.release} cannot set rx-usecs"
        if usecs == 0:
            zero = self.value("usecs_zero", True)
            return None if zero else f"{self.name} does not take rx-usecs 0"
        return self._out_of_range(usecs) or self._inexact(usecs)

    def rejects(self, usecs: int) -> str | None:
        """Why setting rx-usecs to this fails; None where it is taken, be it for another delay."""
        if usecs == 0:
            return None if self.value("usecs_zero", True) else f"{self.name} does not take 0"
        if str(usecs) in self.value("usecs_modes", {}):
            return None
        most = self.value("usecs_most")
        if usecs < self.shortest or (most is not None and usecs > most):
            return f"{self.name} takes {self.shortest} to {most or 'any number of'} µs"
        return None

    def _out_of_range(self, usecs: int) -> str | None:
        mode = self.value("usecs_modes", {}).get(str(usecs))
        if mode is not None:
            return f"rx-usecs {usecs} of {self.name} is its mode “{mode}”, no delay"
        if usecs < self.shortest:
            return f"{self.name} takes rx-usecs from {self.shortest}"
        most, longest = self.value("usecs_most"), self.longest
        if most is not None and usecs > most:
            return f"{self.name} refuses rx-usecs above {most}"
        if longest is not None and usecs > longest:
            return f"{self.name} takes rx-usecs {usecs}, but cannot delay longer than {longest}"
        return None

    def _inexact(self, usecs: int) -> str | None:
        if (delays := self.delays(usecs)) != usecs:
            return f"{self.name} delays by {delays} where rx-usecs is {usecs}"
        if (shown := self.reads_back(usecs)) != usecs:
            return f"{self.name} makes rx-usecs {shown} of {usecs}"
        return None

    def is_of(self, kernel: str) -> bool:
        """Whether the kernel, as `uname -r` shows it, is no older than what this was read from."""
        return _version(kernel) >= _version(self.release)

    @property
    def shortest(self) -> int:
        """The least rx-usecs above 0 that is a delay."""
        return int(self.value("usecs_least", 1))

    @property
    def longest(self) -> int | None:
        """The greatest rx-usecs that is a delay; None where that is not known."""
        bounds = [b for b in (self.value("usecs_most"), self.value("usecs_longest")) if b]
        return min(bounds, default=None)

    def delays(self, usecs: int) -> int:
        """What the device makes of rx-usecs, as far as its steps are known."""
        step = self._step(usecs)
        up = self.value("usecs_rounding") == "up"
        return (-(-usecs // step) if up else usecs // step) * step

    def reads_back(self, usecs: int) -> int:
        """What `ethtool -c` shows after rx-usecs was set to this."""
        rounding = self.value("usecs_rounding")
        if usecs == 0 or rounding == "as asked":
            return usecs
        if rounding in ("rate", "rate/4"):
            return _by_rate(usecs, 4 if rounding == "rate/4" else 1)
        return self.delays(usecs)

    def nearest(self, usecs: int) -> tuple[int, ...]:
        """The values next to this that can be set exactly, below and above; itself if it can."""
        if self.refuses(usecs) is None:
            return (usecs,)
        if not self.supports("rx-usecs"):
            return ()
        found = (self._next(usecs, -1), self._next(usecs, 1))
        return tuple(value for value in found if value is not None)

    def _next(self, usecs: int, direction: int) -> int | None:
        """The next value in a direction that can be set exactly; None where there is none near."""
        high = self.longest
        if high is not None and usecs > high:
            usecs = high + 1
        for candidate in range(usecs + direction, usecs + direction * _FAR, direction):
            if candidate < 0 or (high is not None and candidate > high):
                return None
            if self.refuses(candidate) is None:
                return candidate
        return None

    def _step(self, usecs: int) -> int:
        steps: Sequence[Sequence[int]] = self.value("usecs_steps", ())
        return next((step for up_to, step in steps if usecs <= up_to), 1)


def _by_rate(usecs: int, multiple: int) -> int:
    rate = _SECOND_US // usecs // multiple * multiple
    return _SECOND_US // rate if rate else 0


@dataclass(frozen=True)
class _Listed:
    name: str
    about: str
    aliases: Sequence[str]
    kernels: Mapping[str, Driver]


def _listed() -> Iterator[_Listed]:
    for name, told in _TABLE["drivers"].items():
        kernels = {
            release: Driver(
                name,
                told["about"],
                tuple(told["aliases"]),
                release,
                {key: Fact(**fact) for key, fact in facts.items()},
            )
            for release, facts in told["kernels"].items()
        }
        yield _Listed(name, told["about"], told["aliases"], kernels)


_BY_NAME: Mapping[str, _Listed] = {
    name: listed for listed in _listed() for name in (listed.name, *listed.aliases)
}

DRIVERS: Mapping[str, str] = MappingProxyType(
    {name: listed.about for name, listed in sorted(_BY_NAME.items()) if name == listed.name}
)
"""The drivers of the table, with their hardware."""


def driver_named(name: str | None, kernel: str | None = None) -> Driver | None:
    """A driver as a kernel has it; None where the table does not have it.

    Args:
        name: as `ethtool -i` shows it.
        kernel: as `uname -r` shows it: the newest release of the table that is not newer counts,
            or the oldest. None: the newest release.
    """
    listed = _BY_NAME.get(name or "")
    if listed is None or not listed.kernels:
        return None
    releases = sorted(listed.kernels, key=_version)
    if kernel is None:
        return listed.kernels[releases[-1]]
    not_newer = [release for release in releases if _version(release) <= _version(kernel)]
    return listed.kernels[not_newer[-1] if not_newer else releases[0]]


def _version(release: str) -> tuple[int, int]:
    read = _READ.match(release)
    return (int(read[1]), int(read[2])) if read else (0, 0)
