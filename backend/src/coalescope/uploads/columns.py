# SPDX-License-Identifier: Apache-2.0
"""What a column of a tidy CSV is by its name, and what an unknown name may have meant. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coalescope_models.vocabulary.quantity import QUANTITIES, RETIRED, Quantity

from coalescope.errors import Problem, perhaps
from coalescope.exports.source_columns import KIND, is_source_column
from coalescope.glossary.quantities import (
    factor,
    is_free_factor,
    measure,
    nearest_names,
    own_factor,
    own_measure,
)
from coalescope.glossary.units import agree, conversion, split
from coalescope.untrusted.texts import fault_in

Role = Literal[
    "factor", "free factor", "measure", "sd", "replicate", "n", "when", "kind", "source", "retired"
]
_Where = dict[str, str | int | float | None]
_SD = "_sd"
#: A measure of one's own: its name, whether it is the deviation, and its unit.
_OWN = re.compile(r"(measure\.\w[\w.-]{0,99}?)(_sd)?(?: *\[([^\[\]]{1,40})\])?")
_COLUMNS = [q.name for q in QUANTITIES.values() if q.role in ("factor", "measure")]
_NUMBERING: dict[str, Role] = {
    "replicate": "replicate",
    "n": "n",
    "order": "when",
    "block": "when",
    "recorded_at": "when",
    KIND: "kind",
}
#: What others call the time of a run.
TIMES = {"started_at", "start_time", "start", "time", "timestamp", "date", "datetime", "when"}

#: What others call the number of a run within its cell.
REPLICATES = frozenset({"rep", "repeat", "repetition", "run", "run_no", "iteration", "trial"})


def _elsewhere() -> Mapping[str, Sequence[str]]:
    """What other tools call a quantity: its names here."""
    found: dict[str, list[str]] = {}
    for name in _COLUMNS:
        for alias in QUANTITIES[name].aliases:
            found.setdefault(alias, []).append(name)
    return found


_ELSEWHERE = _elsewhere()


@dataclass(frozen=True)
class Column:
    """A column that is understood. `measure` names the measure that a deviation belongs to."""

    name: str
    role: Role
    quantity: Quantity | None = None
    measure: str | None = None


def classify(name: str) -> Column | None:
    """The column of that name, or None if there is none."""
    if name in _NUMBERING:
        return Column(name, _NUMBERING[name])
    if is_source_column(name):
        return Column(name, "source")
    if is_free_factor(name):
        return Column(name, "free factor")
    if (quantity := factor(name)) is not None:
        return Column(name, "factor", quantity)
    return _observed(name)


def _observed(name: str) -> Column | None:
    """A measure, its deviation, or one that is no more."""
    own = None if fault_in(name) else _OWN.fullmatch(name)
    if own is not None:
        of = own_measure(own[1], own[3] or "")
        return Column(own[1] + (own[2] or ""), "sd" if own[2] else "measure", of, own[1])
    if (quantity := measure(name)) is not None:
        return Column(name, "measure", quantity, name)
    if name.endswith(_SD) and (quantity := measure(name.removesuffix(_SD))) is not None:
        return Column(name, "sd", quantity, quantity.name)
    return Column(name, "retired") if name.removesuffix(_SD) in RETIRED else None


_A_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")


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
    if _A_NUMBER.fullmatch(name):
        return Problem(
            code="unknown_column",
            message=f"Column {position} is called {name!r}: the header looks like a row of data.",
            where=where,
            advice="Put a header above it that names each column, such as "
            "mtu_bytes,delay_us,throughput_mbps.",
        )
    plain = plain_name(name)
    if plain in TIMES:
        return Problem(
            code="unknown_column",
            message=f"Column {name!r} is not in the glossary.",
            where=where,
            advice="If it says when each run was recorded, name it recorded_at.",
        )
    same = same_quantity(plain)
    if same:
        return _wrong_unit(name, same, where)
    return Problem(
        code="unknown_column",
        message=f"Column {name!r} is not in the glossary.",
        where=where,
        advice=f"{_meant(plain)}{_set_or_observed(name)}",
    )


def plain_name(name: str) -> str:
    """The name as the glossary would write it: rx-usecs and "Rx usecs" are rx_usecs."""
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def same_quantity(name: str) -> list[str]:
    """The names here of the same quantity, in other units or spelt otherwise."""
    name = name.removesuffix(_SD)
    stem = split(name)[0]
    return [
        column
        for column in _COLUMNS
        if split(column)[0] == stem and not QUANTITIES[column].text and agree(name, column)
    ]


def known_elsewhere(name: str) -> list[str]:
    """The names here of what other tools call so. A unit at the end of the name must agree."""
    known = _ELSEWHERE.get(name) or _ELSEWHERE.get(split(name)[0], ())
    return [column for column in known if agree(name, column)]


def _meant(name: str) -> str:
    """The start of the advice: what it may be called here; nothing where nothing is known."""
    deviation = _SD if name.endswith(_SD) else ""
    name = name.removesuffix(_SD)
    near = known_elsewhere(name) or nearest_names(name)
    return perhaps(_in_unit(name, column, deviation) for column in near)


def _set_or_observed(name: str) -> str:
    """What a column is that the glossary lacks: only what was set makes cells."""
    return (
        f"Was it set, or observed? What was set is a factor of your own: {own_factor(name)}. What "
        f"was observed is a measure of your own, with its unit in brackets: {_own(name)} [unit]."
    )


def _own(name: str) -> str:
    column = f"measure.{name.removeprefix('measure.')}"
    return column if _OWN.fullmatch(column) else "measure.NAME"


def _in_unit(given: str, column: str, deviation: str) -> str:
    unit = QUANTITIES[column].unit
    steps = conversion(given, column)
    said = "; ".join(text for text in (unit and f"in {unit}", steps) if text)
    return f"{column}{deviation} ({said})" if said else column + deviation


def _wrong_unit(name: str, same: list[str], where: _Where) -> Problem:
    plain = plain_name(name)
    deviation = _SD if plain.endswith(_SD) else ""
    units = [f"{q}{deviation} (in {QUANTITIES[q].unit or 'plain numbers'})" for q in same]
    steps = [text for q in same if (text := conversion(plain.removesuffix(_SD), q))]
    rename = f"name the column {' or '.join(q + deviation for q in same)}"
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
