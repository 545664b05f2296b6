# SPDX-License-Identifier: Apache-2.0
"""The unit that a column's name ends in, and how to get from one to another. Pure."""

import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from coalescope_models.vocabulary.quantity import Quantity


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

#: Units of values that no name ends in are here, too.
_OF_VALUES = UNITS | {
    "bytes_per_s": Unit("bit rate", 8.0),
    "kbytes_per_s": Unit("bit rate", 8e3),
    "mbytes_per_s": Unit("bit rate", 8e6),
    "gbytes_per_s": Unit("bit rate", 8e9),
}
#: Each unit of a dimension once, as people write it.
SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "ns": "ns",
        "us": "µs",
        "ms": "ms",
        "s": "s",
        "min": "min",
        "ticks": "ticks",
        "jiffies": "jiffies",
        "bps": "b/s",
        "kbps": "kb/s",
        "mbps": "Mb/s",
        "gbps": "Gb/s",
        "bytes_per_s": "B/s",
        "kbytes_per_s": "kB/s",
        "mbytes_per_s": "MB/s",
        "gbytes_per_s": "GB/s",
        "bits": "bits",
        "bytes": "bytes",
        "kb": "kB",
        "mb": "MB",
        "gb": "GB",
        "kib": "KiB",
        "mib": "MiB",
        "gib": "GiB",
        "hz": "Hz",
        "khz": "kHz",
        "mhz": "MHz",
        "percent": "%",
        "fraction": "fraction",
        "j": "J",
        "uj": "µJ",
        "w": "W",
        "mw": "mW",
    }
)
_OF_SYMBOL = {symbol: unit for unit, symbol in SYMBOLS.items()}
#: The same unit under its other names. Letters are as they must be: Mb/s is not MB/s.
_ALSO = {
    "usec": "us",
    "usecs": "us",
    "\u03bcs": "us",  # the Greek letter, which looks like the sign
    "msec": "ms",
    "sec": "s",
    "seconds": "s",
    "pct": "percent",
    "byte": "bytes",
    "B": "bytes",
    "ratio": "fraction",
    "pps": "hz",
    "kpps": "khz",
    "Mpps": "mhz",
    "mpps": "mhz",
    "/s": "hz",
    "1/s": "hz",
    "packets/s": "hz",
    "interrupts/s": "hz",
    "requests/s": "hz",
}
_RATE = re.compile(r"([kKMG]?)(b|bit|bits|B|byte|bytes|Byte|Bytes)(?:ps|/s|/sec|/second)")
_SMALL_RATE = re.compile(r"[kmg]?bps")
_OF_CPUS = re.compile(r"(?:%|percent) of (\d{1,4}) CPUs?")


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


def unit_written(text: str) -> str | None:
    """The key in UNITS of a unit as people write it; None where it is not known, or may be two.

    Where bits and bytes differ by one letter, that letter counts: "mb/s" may be either.
    """
    text = text.strip()
    if text in _OF_SYMBOL:
        return _OF_SYMBOL[text]
    if _SMALL_RATE.fullmatch(text):
        return text
    if (rate := _RATE.fullmatch(text)) is not None:
        return (
            f"{rate[1].lower()}{'bytes_per_s' if rate[2][0] == 'B' or 'yte' in rate[2] else 'bps'}"
        )
    return _ALSO.get(text) or (text if text in SYMBOLS else None)


def units_of(quantity: Quantity) -> tuple[str, ...]:
    """What its values may be given in, as people write it; empty where only in its own unit."""
    own = split(quantity.name)[1]
    if own is None:
        return ()
    alike = tuple(SYMBOLS[unit] for unit in SYMBOLS if _OF_VALUES[unit].dimension == own.dimension)
    return (*alike, "% of N CPUs") if _is_of_one_cpu(quantity) else alike


def own_unit(quantity: Quantity) -> str:
    """The unit of its values here, as `units_of` writes it."""
    suffix = quantity.name.rpartition("_")[2]
    return SYMBOLS[suffix] if suffix in SYMBOLS and units_of(quantity) else quantity.unit


def scale(unit: str, quantity: Quantity) -> Decimal | None:
    """What makes values in a unit, as people write it, into those here; None where nothing does."""
    if unit in ("", quantity.unit):
        return Decimal(1)
    if (cpus := _OF_CPUS.fullmatch(unit)) is not None and _is_of_one_cpu(quantity):
        return Decimal(cpus[1]) or None
    known, own = unit_written(unit), split(quantity.name)[1]
    if known is None or own is None or _OF_VALUES[known].dimension != own.dimension:
        return None
    return Decimal(repr(_OF_VALUES[known].size)) / Decimal(repr(own.size))


def _is_of_one_cpu(quantity: Quantity) -> bool:
    """A share that is of one CPU, and beyond 100 where several are busy."""
    return quantity.name.endswith("_cpu_percent") and quantity.domain[1] is None
