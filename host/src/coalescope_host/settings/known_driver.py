# SPDX-License-Identifier: Apache-2.0
"""What a device took, beside what its driver's sources say. The device's answer wins. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..drivers import driver_named
from .level import Level, Levels

DELAY = "delay_us"


def rejected(facts: Mapping[str, str], usecs: int) -> str | None:
    """Why the kernel's own driver does not take this rx-usecs; None where it may.

    The sources that are known say so of the release before this kernel, and of the newest. A driver
    from elsewhere, which has a version of its own, may take it.

    Args:
        facts: of the host: its `driver`, `driver_version` and `kernel_version`.
        usecs: what is asked for.
    """
    kernel = facts.get("kernel_version")
    if kernel is None or facts.get("driver_version") != kernel:
        return None
    driver, newest = (driver_named(facts.get("driver"), of) for of in (kernel, None))
    if driver is None or newest is None or not driver.is_of(kernel) or not newest.rejects(usecs):
        return None
    reason = driver.rejects(usecs)
    return reason and f"as the sources of Linux {driver.release} say, {reason}"


def differences(
    facts: Mapping[str, str], levels: Levels, read_back: Mapping[str, Level | None]
) -> Iterator[str]:
    """Where the table of drivers and the device disagree, or a value does not delay as it says.

    Args:
        facts: of the host: its `driver` and `kernel_version`.
        levels: what was asked for.
        read_back: what the device took.
    """
    driver = driver_named(facts.get("driver"), facts.get("kernel_version"))
    took = read_back.get(DELAY)
    if driver is None or DELAY not in levels or not isinstance(took, int):
        return
    asked = int(float(levels[DELAY]))
    expected = driver.reads_back(asked)
    if took != expected:
        yield f"the sources of Linux {driver.release} say that {driver.name} makes {expected} of it"
    elif reason := driver.refuses(asked):
        yield f"as the sources of Linux {driver.release} say, {reason}"
