# SPDX-License-Identifier: Apache-2.0
"""The one vocabulary: every factor, measure, parameter and model quantity, each as one object.

Their rows stand in quantities.toml. The same object writes the glossary, checks a column of an
uploaded table, validates an input of a model, draws test values and scales a slider. Nothing here
depends on anything outside the standard library, so the page can import it too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from .rows import rows
from .sources import SOURCES

Role = Literal["factor", "measure", "parameter", "model"]
Better = Literal["more", "less"]
#: Goals of a recommendation.
Aim = Literal["throughput", "cpu", "latency", "energy"]
AIMS: tuple[Aim, ...] = get_args(Aim)
Axis = Literal["across", "upward"]

#: What each role means, in the words of the glossary.
ROLES: Mapping[str, str] = MappingProxyType(
    {
        "factor": "set by the experimenter; spans the cells of an experiment",
        "measure": "observed in a run, or derived from what was observed",
        "parameter": "a constant of a model, fitted or set by hand",
        "model": "appears only as an input or an output of a model",
    }
)


@dataclass(frozen=True)
class Quantity:
    """One named quantity.

    Attributes:
        name: the only name it has, in Python, SQL, JSON, TypeScript and CSV.
        label: what a page calls it, in sentence case, without the unit.
        symbol: LaTeX, as it stands in an equation.
        unit: the unit of every number under this name; "" for a pure number or a text.
        description: what it is, in one or two sentences.
        domain: the closed interval of values that make sense; None where there is no bound.
        typical: the interval that a plot or a slider shows unless asked otherwise.
        role: one of `ROLES`.
        text: True when the values are words, not numbers.
        source: where the definition comes from, "" when it is this project's own.
        better: whether more or less of it is better when all else is equal; None where neither is.
        aim: which goal of a recommendation it can stand for. Of several that a run has, the one
            declared first here stands for it.
        guarded: whether recommendations guard this one of its aim, and say how it changes, where a
            run has it, rather than the first.
        axis: which axis of a surface it takes unless asked otherwise: `across` are the ways to ask
            for an interrupt delay. Of several that an experiment has, the one declared first.
        meanings: of a number that is a code, what 0, 1, 2 … stand for; empty for others.
        aliases: what other tools call it, in small letters with _ between words. Several quantities
            may share one, which then does not say which of them is meant.
    """

    name: str
    label: str
    symbol: str
    unit: str
    description: str
    domain: tuple[float | None, float | None] = (None, None)
    typical: tuple[float, float] | None = None
    role: Role = "measure"
    text: bool = False
    source: str = ""
    better: Better | None = None
    aim: Aim | None = None
    guarded: bool = False
    axis: Axis | None = None
    meanings: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def meaning(self, value: float) -> str | None:
        """Return what a code stands for; None for another number."""
        if not 0 <= value < len(self.meanings) or value != int(value):
            return None
        return self.meanings[int(value)]

    def code(self, meaning: str) -> int | None:
        """Return the code of what it stands for, in any letters; None of other words."""
        words = [word.casefold() for word in self.meanings]
        wanted = meaning.strip().casefold()
        return words.index(wanted) if wanted in words else None

    def contains(self, value: float) -> bool:
        """Say whether a number lies in the domain; NaN, "not known", does."""
        lo, hi = self.domain
        return not (lo is not None and value < lo) and not (hi is not None and value > hi)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that the page, the API and the model bundle share.

        Aliases are for whoever reads tables, and not in it.
        """
        return {
            "name": self.name,
            "label": self.label,
            "symbol": self.symbol,
            "unit": self.unit,
            "description": self.description,
            "domain": list(self.domain),
            "typical": None if self.typical is None else list(self.typical),
            "role": self.role,
            "text": self.text,
            "source": self.source,
            "better": self.better,
            "aim": self.aim,
            "guarded": self.guarded,
            "axis": self.axis,
            "meanings": list(self.meanings),
        }


def _quantity(role: Role, name: str, row: Mapping[str, Any]) -> Quantity:
    return Quantity(
        name=name,
        label=row["label"],
        symbol=row["symbol"],
        unit=row.get("unit", ""),
        description=row["description"],
        domain=_interval(*row.get("domain", (-math.inf, math.inf))),
        typical=(float(row["typical"][0]), float(row["typical"][1])) if "typical" in row else None,
        role=role,
        text=row.get("text", False),
        source=row.get("source", "").format_map(SOURCES),
        better=row.get("better"),
        aim=row.get("aim"),
        guarded=row.get("guarded", False),
        axis=row.get("axis"),
        meanings=tuple(row.get("meanings", ())),
        aliases=tuple(row.get("aliases", ())),
    )


def _interval(lo: float, hi: float) -> tuple[float | None, float | None]:
    return (float(lo) if math.isfinite(lo) else None, float(hi) if math.isfinite(hi) else None)


def _read() -> Mapping[str, Quantity]:
    table: dict[str, Quantity] = {}
    for role, quantities in rows("quantities.toml").items():
        for name, row in quantities.items():
            if name in table:
                raise ValueError(f"quantities.toml: {name} is a {role} and a {table[name].role}")
            table[name] = _quantity(role, name, row)  # type: ignore[arg-type]  # a test compares
    return MappingProxyType(table)


#: Every quantity by its name, in the order of the glossary.
QUANTITIES: Mapping[str, Quantity] = _read()


def _on(axis: Axis) -> tuple[str, ...]:
    return tuple(name for name, quantity in QUANTITIES.items() if quantity.axis == axis)


#: Factors that take each axis of a surface, the first choice first.
ACROSS, UPWARD = _on("across"), _on("upward")

#: Measures that are no more, and those that say what their names promised. `receiver_cpu_*` counted
#: every task in the interface's network namespace as receiving.
RETIRED: Mapping[str, str] = MappingProxyType(
    {
        f"receiver_cpu_{unit}": f"traffic_cpu_{unit}"
        for unit in ("percent", "s", "jiffies", "s_per_gb", "jiffies_per_gb")
    }
)
