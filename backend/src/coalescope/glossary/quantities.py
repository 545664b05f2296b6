# SPDX-License-Identifier: Apache-2.0
"""Names of the glossary as the backend needs them: look-up, order, nearest names."""

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Any

from coalescope_models.vocabulary.quantity import QUANTITIES, RETIRED, Better, Quantity

from coalescope.errors import CoalescopeError, perhaps
from coalescope.glossary.units import agree, split

FREE_FACTOR_PREFIX = "factor."
OWN_MEASURE_PREFIX = "measure."
_OWN_MEASURE = re.compile(r"measure\.\w[\w.-]{0,99}")
_NOTHING: Mapping[str, Any] = {}
_FREE_FACTOR = re.compile(r"factor\.\w[\w.-]{0,99}")
_ALIKE = 0.75  # of 1: a letter or two are wrong; less, and it is another word
_ORDER = {name: index for index, name in enumerate(QUANTITIES)}


def factor(name: str) -> Quantity | None:
    """The factor of that name, or None; free factors (factor.<name>) have no quantity."""
    quantity = QUANTITIES.get(name)
    return quantity if quantity is not None and quantity.role == "factor" else None


def measure(name: str, source: Mapping[str, Any] = _NOTHING) -> Quantity | None:
    """The measure of that name, or None.

    `source` is that of the experiment: of a measure of its own (measure.<name>), it knows the unit.
    """
    if is_own_measure(name):
        said = source.get("measures", {}).get(name, {})
        return own_measure(name, said.get("unit", ""), said.get("better"))
    quantity = QUANTITIES.get(name)
    return quantity if quantity is not None and quantity.role == "measure" else None


def own_measure(name: str, unit: str, better: Better | None = None) -> Quantity:
    """A measure that the glossary does not know."""
    label = name.removeprefix(OWN_MEASURE_PREFIX)
    symbol = rf"\mathrm{{{label}}}".replace("_", r"\_")
    return Quantity(name, label, symbol, unit, "A measure of this experiment's own.", better=better)


def is_own_measure(name: str) -> bool:
    """Whether the name is that of a measure the glossary does not know, measure.<name>.

    The name is a word: letters, digits, "_", "." and "-"; at its end, "_sd" is a deviation.
    """
    return _OWN_MEASURE.fullmatch(name) is not None and not name.endswith("_sd")


def is_free_factor(name: str) -> bool:
    """Whether the name is that of a factor the glossary does not know, factor.<name>.

    The name is a word: letters, digits, "_", "." and "-".
    """
    return _FREE_FACTOR.fullmatch(name) is not None


def own_factor(name: str) -> str:
    """How a factor of one's own is called that was given this name."""
    named = FREE_FACTOR_PREFIX + name.removeprefix(FREE_FACTOR_PREFIX)
    return named if is_free_factor(named) else "factor.NAME (a word of letters and digits)"


def label_and_unit(name: str) -> tuple[str, str]:
    """What people read of a factor; factor.c_states, which the glossary has not, is c states."""
    quantity = factor(name)
    if quantity is None:
        return name.removeprefix(FREE_FACTOR_PREFIX).replace("_", " "), ""
    return quantity.label, quantity.unit


def glossary_order(name: str) -> tuple[int, str]:
    """Sort key: the glossary's order, free factors after it by name."""
    return _ORDER.get(name, len(_ORDER)), name


def nearest_names(name: str) -> list[str]:
    """Up to three glossary names that are spelt like `name` and whose unit agrees with its own."""
    return [near for _likeness, near in nlargest(3, _spelt_like(name))]


def _spelt_like(name: str) -> Iterator[tuple[float, str]]:
    stem = split(name)[0]
    for quantity in QUANTITIES.values():
        if quantity.role in {"factor", "measure"} and agree(name, quantity.name):
            matcher = SequenceMatcher(None, stem, split(quantity.name)[0])
            if _may_be_alike(matcher) and (likeness := matcher.ratio()) >= _ALIKE:
                yield likeness, quantity.name


def _may_be_alike(matcher: SequenceMatcher[str]) -> bool:
    """By what costs little and is never less than the ratio."""
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE


def require_measure(name: str, source: Mapping[str, Any] = _NOTHING) -> Quantity:
    """The measure of that name. Errors: 422 naming those that look like it."""
    quantity = measure(name, source)
    if quantity is None:
        near = [RETIRED[name]] if name in RETIRED else nearest_names(name)
        raise CoalescopeError(
            "unknown_measure",
            f"{name[:80]!r} is not a measure.",
            where={"field": "measure"},
            advice=perhaps(near).rstrip() or "See the glossary.",
        )
    return quantity
