# SPDX-License-Identifier: Apache-2.0
"""The unit that a column's name ends in, and how to get from one to another. Pure."""

from typing import NamedTuple


class Unit(NamedTuple):
    """What it measures, and its size in that dimension's base unit."""

    dimension: str
    size: float


UNITS = {
    "ns": Unit("time", 1e-9),
    "us": Unit("time", 1e-6),
    "usec": Unit("time", 1e-6),
    "usecs": Unit("time", 1e-6),
    "ms": Unit("time", 1e-3),
    "msec": Unit("time", 1e-3),
    "s": Unit("time", 1.0),
    "sec": Unit("time", 1.0),
    "seconds": Unit("time", 1.0),
    "min": Unit("time", 60.0),
    "ticks": Unit("register time", 1.0),
    "jiffies": Unit("kernel time", 1.0),
    "bps": Unit("bit rate", 1.0),
    "kbps": Unit("bit rate", 1e3),
    "mbps": Unit("bit rate", 1e6),
    "gbps": Unit("bit rate", 1e9),
    "bits": Unit("size", 0.125),
    "b": Unit("size", 1.0),
    "byte": Unit("size", 1.0),
    "bytes": Unit("size", 1.0),
    "kb": Unit("size", 1e3),
    "mb": Unit("size", 1e6),
    "gb": Unit("size", 1e9),
    "kib": Unit("size", 1024.0),
    "mib": Unit("size", 1024.0**2),
    "gib": Unit("size", 1024.0**3),
    "hz": Unit("frequency", 1.0),
    "khz": Unit("frequency", 1e3),
    "mhz": Unit("frequency", 1e6),
    "pps": Unit("frequency", 1.0),
    "kpps": Unit("frequency", 1e3),
    "mpps": Unit("frequency", 1e6),
    "percent": Unit("share", 0.01),
    "pct": Unit("share", 0.01),
    "fraction": Unit("share", 1.0),
    "ratio": Unit("share", 1.0),
    "j": Unit("energy", 1.0),
    "uj": Unit("energy", 1e-6),
    "w": Unit("power", 1.0),
    "mw": Unit("power", 1e-3),
}


def split(name: str) -> tuple[str, Unit | None]:
    """What is measured, and its unit if the name ends in one: of a unit alone there is no stem.

    What is counted per something (system_cpu_s_per_gb) is in neither unit.
    """
    stem, _, suffix = name.rpartition("_")
    if suffix not in UNITS or stem.endswith("_per"):
        return name, None
    return stem, UNITS[suffix]


def agree(name: str, other: str) -> bool:
    """Whether values of one may be values of the other: a name without a unit leaves it open."""
    given, wanted = split(name)[1], split(other)[1]
    return given is None or (wanted is not None and given.dimension == wanted.dimension)


def conversion(name: str, other: str) -> str | None:
    """What makes values of one name into those of the other; None where nothing is to be done."""
    given, wanted = split(name)[1], split(other)[1]
    if given is None or wanted is None or given.size == wanted.size:
        return None
    scale = given.size / wanted.size
    return f"multiply by {scale:.10g}" if scale > 1 else f"divide by {1 / scale:.10g}"
