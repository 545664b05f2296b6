# SPDX-License-Identifier: Apache-2.0
"""What a column of a tidy CSV is by its name, and what an unknown name may have meant. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from coalescope_models.quantity import QUANTITIES, Quantity

from coalescope.errors import Problem
from coalescope.glossary.quantities import factor, is_free_factor, measure, nearest_names

Role = Literal["factor", "free factor", "measure", "sd", "replicate", "n"]
_Where = dict[str, str | int | float | None]
_SD = "_sd"

# unit suffix of a name: (dimension, size in the dimension's base unit)
_UNITS: dict[str, tuple[str, float]] = {
    "ns": ("time", 1e-9),
    "us": ("time", 1e-6),
    "usec": ("time", 1e-6),
    "usecs": ("time", 1e-6),
    "ms": ("time", 1e-3),
    "msec": ("time", 1e-3),
    "s": ("time", 1.0),
    "sec": ("time", 1.0),
    "seconds": ("time", 1.0),
    "min": ("time", 60.0),
    "ticks": ("register time", 1.0),
    "jiffies": ("kernel time", 1.0),
    "bps": ("rate", 1.0),
    "kbps": ("rate", 1e3),
    "mbps": ("rate", 1e6),
    "gbps": ("rate", 1e9),
    "bits": ("size", 0.125),
    "b": ("size", 1.0),
    "byte": ("size", 1.0),
    "bytes": ("size", 1.0),
    "kb": ("size", 1e3),
    "mb": ("size", 1e6),
    "gb": ("size", 1e9),
    "kib": ("size", 1024.0),
    "mib": ("size", 1024.0**2),
    "gib": ("size", 1024.0**3),
    "hz": ("frequency", 1.0),
    "khz": ("frequency", 1e3),
    "mhz": ("frequency", 1e6),
    "percent": ("share", 0.01),
    "pct": ("share", 0.01),
    "fraction": ("share", 1.0),
    "ratio": ("share", 1.0),
}


@dataclass(frozen=True)
class Column:
    """A column that is understood. `measure` names the measure that a deviation belongs to."""

    name: str
    role: Role
    quantity: Quantity | None = None
    measure: str | None = None


def classify(name: str) -> Column | None:
    """The column of that name, or None if there is none."""
    if name in ("replicate", "n"):
        return Column(name, "replicate" if name == "replicate" else "n")
    if is_free_factor(name):
        return Column(name, "free factor")
    if (quantity := factor(name)) is not None:
        return Column(name, "factor", quantity)
    if (quantity := measure(name)) is not None:
        return Column(name, "measure", quantity, name)
    if name.endswith(_SD) and (quantity := measure(name.removesuffix(_SD))) is not None:
        return Column(name, "sd", quantity, quantity.name)
    return None


def unknown_column(name: str, position: int) -> Problem:
    """Why the name is refused: another unit of a known quantity, or simply unknown."""
    where: _Where = {"row": 1, "column": name or position}
    if not name:
        return Problem(
            code="unnamed_column",
            message=f"Column {position} has no name.",
            where=where,
            advice="Name every column after the glossary, or remove the empty column.",
        )
    same = _same_quantity(name)
    if same:
        return _wrong_unit(name, same, where)
    near = nearest_names(name)
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return Problem(
        code="unknown_column",
        message=f"Column {name!r} is not in the glossary.",
        where=where,
        advice=f"{meant}A factor of your own is named factor.{name}.",
    )


def _same_quantity(name: str) -> list[Quantity]:
    stem, _unit = _split(name.lower().removesuffix(_SD))
    columns = (q for q in QUANTITIES.values() if q.role in ("factor", "measure"))
    return [q for q in columns if not q.text and _split(q.name)[0] == stem]


def _split(name: str) -> tuple[str, str | None]:
    stem, _, suffix = name.rpartition("_")
    return (stem, suffix) if stem and suffix in _UNITS else (name, None)


def _wrong_unit(name: str, same: Iterable[Quantity], where: _Where) -> Problem:
    deviation = _SD if name.lower().endswith(_SD) else ""
    given = _split(name.lower().removesuffix(_SD))[1]
    names = [q.name + deviation for q in same]
    units = [f"{q.name}{deviation} (in {q.unit or 'plain numbers'})" for q in same]
    factors = [_conversion(given, q) for q in same]
    steps = [text for text in factors if text]
    rename = f"name the column {' or '.join(names)}"
    advice = (
        f"{steps[0][0].upper()}{steps[0][1:]} and {rename}."
        if steps
        else (f"{rename[0].upper()}{rename[1:]}, with its values in that unit.")
    )
    return Problem(
        code="wrong_unit",
        message=f"Column {name!r}: this quantity is {' or '.join(units)} here.",
        where=where,
        advice=advice,
    )


def _conversion(given: str | None, quantity: Quantity) -> str | None:
    here = _split(quantity.name)[1]
    if given is None or here is None or _UNITS[given][0] != _UNITS[here][0]:
        return None
    scale = _UNITS[given][1] / _UNITS[here][1]
    if scale == 1.0:
        return None
    return f"multiply by {scale:.10g}" if scale > 1 else f"divide by {1 / scale:.10g}"
