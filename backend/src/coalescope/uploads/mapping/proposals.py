# SPDX-License-Identifier: Apache-2.0
"""What a column of a table probably is, how sure that is, and by what evidence. Pure.

Names come from two places: the vocabulary (names, units and aliases of quantities), and the
registry of settings (what ethtool, sysfs and sysctl call them).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Literal

from coalescope_host.plan.factors import log_name
from coalescope_host.plan.registry import SETTINGS, Setting
from coalescope_models.vocabulary.quantity import QUANTITIES, Quantity

from coalescope.glossary.quantities import is_free_factor, is_own_measure, nearest_names
from coalescope.glossary.units import SYMBOLS, own_unit, scale, split, unit_written, units_of
from coalescope.uploads.columns import (
    REPLICATES,
    TIMES,
    classify,
    known_elsewhere,
    plain_name,
    same_quantity,
)
from coalescope.uploads.mapping.decimals import DecimalSign, Numbers, is_known, number, numbers_of

ColumnRole = Literal["set", "observed", "ignore"]
Certainty = Literal["certain", "likely", "guess"]

_REMARKS = re.compile(r"notes?|comments?|remarks?|description|bemerkung(en)?")
_BRACKETED = re.compile(r"(?P<name>.*?)\s*[\[(](?P<unit>[^\[\]()]{1,40})[\])]\s*")
_LAST_WORD = re.compile(r"(?P<name>.*?)[\s_,]+(?P<unit>\S+)")
_MOST_LEVELS = 50


@dataclass(frozen=True)
class Proposal:
    """What a column probably is.

    Attributes:
        quantity: what a tidy table calls it; empty where it must be chosen, or is ignored.
        unit: what its values are in, as people write it.
        candidates: what else it may be.
        why: the evidence, in a few words.
    """

    column: str
    role: ColumnRole
    quantity: str
    unit: str
    numbers: Numbers
    certainty: Certainty
    why: str
    candidates: Sequence[str] = field(default_factory=tuple)


def propose(column: str, texts: Sequence[str], usual: DecimalSign | None) -> Proposal:
    """What a column of this name with these texts probably is."""
    numbers = numbers_of(texts, usual)
    found = _by_name(column, texts, numbers)
    if found.role != "ignore" and not numbers.sure:
        return replace(found, certainty="guess", why="decimals, or thousands?")
    return found


def without_doubles(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals, of which no two are sure to be the same quantity."""
    names = Counter(one.quantity for one in proposals if one.role != "ignore" and one.quantity)
    return [
        replace(one, certainty="guess", why=f"several columns may be {one.quantity}")
        if one.role != "ignore" and names[one.quantity] > 1
        else one
        for one in proposals
    ]


def role_of(quantity: str) -> ColumnRole:
    """Whether what a tidy table calls so was set or observed."""
    column = classify(quantity)
    if column is None:
        return "ignore"
    return "observed" if column.role in ("measure", "sd", "n") else "set"


def own_name(column: str) -> str:
    """The column's name as that of a quantity of one's own."""
    name = re.sub(r"[^\w.-]+", "_", _named(column)[0]).strip("_.-")[:80]
    return name.removesuffix("_sd") or "column"


def _by_name(column: str, texts: Sequence[str], numbers: Numbers) -> Proposal:
    known = [text for text in texts if is_known(text)]
    say = _Say(column, numbers)
    name, unit = _named(column)
    plain = plain_name(name)
    if not known or _REMARKS.fullmatch(plain):
        why = f"{len(known)} of {len(texts)} filled; kept in the file" if known else "it is empty"
        return say.ignore("certain", why)
    meant = classify(column) or classify(name)
    if meant is not None and meant.role not in ("retired", "kind", "source"):
        return _glossary(say, meant.name, meant.quantity, unit, known)
    if plain in REPLICATES and numbers.numeric:
        return say.sure("replicate", "", "certain", "it numbers the runs of a setting")
    if plain in TIMES:
        return _time(say, known)
    return (
        _setting(say, plain_name(column), unit, known)
        or _setting(say, plain, unit, known)
        or _quantity(say, column, plain, unit, known)
        or _unknown(say, column, unit, known, numbers)
    )


@dataclass(frozen=True)
class _Say:
    """Makes proposals of one column."""

    column: str
    numbers: Numbers

    def ignore(self, certainty: Certainty, why: str) -> Proposal:
        return Proposal(self.column, "ignore", "", "", self.numbers, certainty, why)

    def sure(
        self,
        quantity: str,
        unit: str,
        certainty: Certainty,
        why: str,
        candidates: Sequence[str] = (),
    ) -> Proposal:
        return Proposal(
            self.column, role_of(quantity), quantity, unit, self.numbers, certainty, why, candidates
        )


def _named(column: str) -> tuple[str, str]:
    """Name and unit of a heading: `Throughput (Gb/s)`, `latency, ms`, `cpu %`, `Gbps`."""
    bracketed = _BRACKETED.fullmatch(column)
    if bracketed is not None:
        return bracketed["name"] or column, bracketed["unit"].strip()
    last = _LAST_WORD.fullmatch(column)
    if last is not None and last["name"] and unit_written(last["unit"]) is not None:
        return last["name"], last["unit"]
    return column, column if unit_written(column) is not None else ""


def _glossary(
    say: _Say, name: str, quantity: Quantity | None, unit: str, known: Sequence[str]
) -> Proposal:
    own = quantity is not None and (is_own_measure(quantity.name))
    if quantity is None or quantity.text or own:
        return say.sure(
            name, quantity.unit if own and quantity else "", "certain", "the glossary's name"
        )
    said = _said_unit(unit, "", quantity) or own_unit(quantity)
    return _within(say.sure(name, said, "certain", "the glossary's name"), quantity, known)


def _setting(say: _Say, plain: str, unit: str, known: Sequence[str]) -> Proposal | None:
    """What ethtool, sysfs or sysctl call so. A word without a hyphen may mean something else."""
    named = _settings().get(plain, ())
    if len(named) != 1:
        return None
    setting = named[0]
    quantity = QUANTITIES.get(setting.name) if setting.in_glossary else None
    name = quantity.name if quantity else log_name(setting.name)
    distinct = setting.in_glossary or "_" in plain
    said = say.sure(
        name, "", "certain" if distinct else "guess", "the name of a setting of the host"
    )
    if quantity is None:
        return said
    given = _said_unit(unit, plain, quantity) or own_unit(quantity)
    why = "the name that ethtool uses" if "_" in plain else "by its name and values"
    return _within(replace(said, unit=given, why=why), quantity, known)


@cache
def _settings() -> Mapping[str, Sequence[Setting]]:
    """By each of their names as the glossary would write it."""
    found: dict[str, list[Setting]] = {}
    for one in SETTINGS:
        for name in {plain_name(word) for word in (one.word, one.name, *one.aliases)}:
            found.setdefault(name, []).append(one)
    return found


def _quantity(
    say: _Say, column: str, plain: str, unit: str, known: Sequence[str]
) -> Proposal | None:
    """A quantity in another unit, under another tool's name, or spelt alike."""
    suffixed = f"{plain}_{written}" if (written := unit_written(unit)) and plain else plain
    tried = (plain, suffixed, plain_name(column))
    for name in tried:
        if same := same_quantity(name):
            return _one_of(
                say, same, unit, plain, known, "certain", "quantity and unit by the name"
            )
    for name in tried:
        if also := known_elsewhere(name):
            return _one_of(say, also, unit, plain, known, "likely", "a name that other tools use")
    near = nearest_names(plain) if say.numbers.numeric else []
    return _one_of(say, near, unit, plain, known, "guess", "spelt alike") if near else None


def _one_of(
    say: _Say,
    names: Sequence[str],
    unit: str,
    plain: str,
    known: Sequence[str],
    certainty: Certainty,
    why: str,
) -> Proposal:
    """One quantity if only one can be meant; else it is asked which, the likely ones first."""
    names = [name for name in names if _agrees(unit, name)] or list(names)
    candidates = list(names)
    if certainty != "certain":
        candidates += [name for name in _alike(candidates) if name not in candidates]
    if len(names) > 1:
        which = ", ".join(QUANTITIES[name].label for name in candidates[:3])
        first = _said_unit(unit, plain, QUANTITIES[candidates[0]]) or ""
        asked = say.sure(candidates[0], first, "guess", f"which one: {which} …?", candidates)
        return replace(asked, quantity="")
    quantity = QUANTITIES[names[0]]
    said = _said_unit(unit, plain, quantity)
    if said is None and units_of(quantity):
        certainty, why = "guess", f"in which unit? {why}"
    if len(candidates) > 1:
        others = " or ".join(QUANTITIES[name].label.lower() for name in candidates[:2])
        why = f"{said} by the name; {others}?" if said else f"{others}?"
    proposal = say.sure(quantity.name, said or own_unit(quantity), certainty, why, candidates)
    return proposal if quantity.text else _within(proposal, quantity, known)


def _agrees(unit: str, name: str) -> bool:
    return not unit or scale(unit, QUANTITIES[name]) is not None


def _alike(names: Sequence[str]) -> Iterator[str]:
    """Quantities that stand for the same goal in the same unit: goodput beside throughput.

    Latencies do not: a percentile is told by its name.
    """
    aims = {
        (QUANTITIES[name].aim, QUANTITIES[name].unit)
        for name in names
        if QUANTITIES[name].aim in ("throughput", "cpu")
    }
    for quantity in QUANTITIES.values():
        if quantity.role == "measure" and (quantity.aim, quantity.unit) in aims:
            yield quantity.name


def _said_unit(unit: str, plain: str, quantity: Quantity) -> str | None:
    """The unit that the heading says, as people write it."""
    if unit and scale(unit, quantity) is not None:
        written = unit_written(unit)
        return SYMBOLS[written] if written else unit
    suffix = split(plain)[1]
    if suffix is None:
        return None
    key = unit_written(plain.rpartition("_")[2])
    return SYMBOLS[key] if key and scale(SYMBOLS[key], quantity) is not None else None


def _within(proposal: Proposal, quantity: Quantity, known: Sequence[str]) -> Proposal:
    """The proposal, less sure where values are not possible for the quantity in that unit."""
    if not proposal.numbers.numeric:
        return replace(proposal, certainty="guess", why="its values are no numbers")
    factor = scale(proposal.unit, quantity)
    values = [number(text, proposal.numbers.decimal) for text in known]
    if factor is None or any(
        v is not None and not quantity.contains(float(v * factor)) for v in values
    ):
        return replace(proposal, certainty="guess", why="some values are not possible for it")
    return proposal


def _time(say: _Say, known: Sequence[str]) -> Proposal:
    """When runs were recorded, if it is said with the offset from UTC."""
    try:
        moments = [datetime.fromisoformat(text.strip()) for text in known]
    except ValueError:
        return say.ignore("certain", "a time that is not written in ISO 8601")
    if all(moment.tzinfo is not None for moment in moments):
        return say.sure("recorded_at", "", "certain", "when each run was recorded")
    return say.ignore("certain", "a time without its offset from UTC")


def _unknown(say: _Say, column: str, unit: str, known: Sequence[str], numbers: Numbers) -> Proposal:
    """What nothing is known of: set, if its levels repeat; else observed; or of no use."""
    levels = {text.strip() for text in known}
    if len(levels) == 1 and len(known) > 1:
        return say.ignore("certain", f"{levels.pop()[:20]!r} in all rows")
    name = own_name(column)
    factor, measure = f"factor.{name}", f"measure.{name}"
    repeats = len(levels) <= min(_MOST_LEVELS, len(known) // 2)
    if (repeats or not numbers.numeric) and is_free_factor(factor):
        if not repeats:
            return say.ignore("guess", "words that differ in each row")
        return say.sure(factor, "", "guess", f"{len(levels)} levels; was it set?")
    if is_own_measure(measure):
        return say.sure(measure, unit, "guess", "the name is not known here")
    return say.ignore("guess", "the name is not known here")
