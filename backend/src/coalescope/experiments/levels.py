# SPDX-License-Identifier: Apache-2.0
"""Settings and the levels of their factors: one form, one order. Pure."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.records import CellRecord, Choice, Factors, FactorValue
from coalescope.glossary.quantities import factor, glossary_order

# FACTOR, VALUE pairs as text
Where = Iterable[tuple[str, str]]

# made once: to make one for each key takes longer than to write it
_WRITTEN = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode
_EXACT = 2**53  # larger whole numbers are not exact as floats


def factor_key(factors: Factors) -> str:
    """Canonical text of a setting: sorted names, 1500 and 1500.0 alike. Unique per cell."""
    if isinstance(factors, Setting):
        return factors.key
    return _WRITTEN({name: canonical_level(value) for name, value in factors.items()})


class Setting(dict[str, FactorValue]):
    """Factors that many runs share, and that nobody changes: their text is written once.

    Attributes:
        key: as `factor_key` says it.
    """

    __slots__ = ("key",)

    def __init__(self, factors: Factors) -> None:
        super().__init__(factors)
        self.key = factor_key(factors)


def canonical_level(value: FactorValue) -> FactorValue:
    """A level in its one form: whole numbers as integers, no negative zero, text as it is."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        raise ValueError(f"a level must be finite, not {value}")
    whole = float(value).is_integer() and abs(value) <= _EXACT
    return int(value) if whole else float(value)


def canonical_factors(factors: Factors) -> dict[str, FactorValue]:
    """A setting in its one form: levels canonical, factors in the glossary's order."""
    names = sorted(factors, key=glossary_order)
    return {name: canonical_level(factors[name]) for name in names}


def factor_names(cells: Iterable[CellRecord]) -> list[str]:
    """Names of all factors that some cell sets, in the glossary's order."""
    return sorted({name for cell in cells for name in cell.factors}, key=glossary_order)


def factor_levels(settings: Iterable[Factors]) -> dict[str, list[FactorValue]]:
    """Each factor's levels over these settings, in rising order (numbers before text)."""
    levels: dict[str, set[FactorValue]] = {}
    for factors in settings:
        for name, value in factors.items():
            levels.setdefault(name, set()).add(value)
    names = sorted(levels, key=glossary_order)
    return {name: sorted(levels[name], key=level_order) for name in names}


def measure_names(cells: Iterable[CellRecord]) -> list[str]:
    """Names of all measures that some cell has, in the glossary's order."""
    return sorted({name for cell in cells for name in cell.measures}, key=glossary_order)


def level_order(value: FactorValue | None) -> tuple[int, float, str]:
    """Sort key of levels: absent, then numbers, then text."""
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, str):
        return (2, 0.0, value)
    return (1, float(value), "")


def in_order(cells: Iterable[CellRecord]) -> list[CellRecord]:
    """The cells in the fixed order of their factors."""
    found = list(cells)
    places = {name: -place for place, name in enumerate(factor_names(found))}

    @cache  # one for all cells of that level
    def place(name: str, level: FactorValue) -> tuple[int, tuple[int, float, str]]:
        return (places[name], level_order(level))

    def key(cell: CellRecord) -> list[tuple[int, tuple[int, float, str]]]:
        """Level by level, one that is absent first: only those that a cell has are looked at."""
        return sorted(
            (place(*own) for own in cell.factors.items()), key=itemgetter(0), reverse=True
        )

    return sorted(found, key=key)


def matches(factors: Factors, where: Choice) -> bool:
    """Whether a cell has one of the chosen levels of every factor that is chosen by."""
    return all(
        factors.get(name) in (level if isinstance(level, list) else (level,))
        for name, level in where.items()
    )


def parse_where(
    pairs: Where, levels: Mapping[str, list[FactorValue]]
) -> dict[str, FactorValue | list[FactorValue]]:
    """Factor levels from text pairs (query parameters, FACTOR=VALUE on the command line).

    A factor that is there twice, or has a list with commas, means any of these levels. A comma
    within a text that is a level belongs to it. `levels` are the experiment's factors
    (factor_levels). Errors: 422 naming an unknown factor, or a text where the factor is a number.
    """
    chosen: dict[str, list[FactorValue]] = {}
    for name, text in pairs:
        found = chosen.setdefault(name, [])
        parts = [text] if text in levels.get(name, ()) else text.split(",")
        for part in parts:
            level = read_level(name, part.strip() if len(parts) > 1 else part, levels)
            if level not in found:
                found.append(level)
    return {name: found[0] if len(found) == 1 else found for name, found in chosen.items()}


def in_words(where: Choice) -> dict[str, FactorValue]:
    """A choice as errors name it: several levels as the list with commas that asks for them."""
    return {
        name: ",".join(map(str, level)) if isinstance(level, list) else level
        for name, level in where.items()
    }


def levels_there_are(where: Choice, levels: Mapping[str, Sequence[FactorValue]]) -> str:
    """Advice where nothing has the levels that were chosen: what was meant, and what there is."""
    chosen = {n: level if isinstance(level, list) else [level] for n, level in where.items()}
    texts = {n: [own for own in levels[n] if isinstance(own, str)] for n in where}
    near = "".join(
        did_you_mean(level, texts[name])
        for name, several in chosen.items()
        for level in several
        if isinstance(level, str) and level not in texts[name]
    )
    there = "; ".join(f"{name}: {listed(levels[name])}" for name in where)
    return f"{near}Levels there are: {there}."


def no_such_cells(where: Choice, levels: Mapping[str, Sequence[FactorValue]]) -> CoalescopeError:
    """No run has the levels that were chosen."""
    return CoalescopeError(
        "no_such_cells",
        "No run has these levels.",
        where=in_words(where),
        advice=levels_there_are(where, levels),
    )


def listed(levels: Sequence[FactorValue]) -> str:
    """The first twelve levels."""
    shown = ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in levels[:12])
    return shown + (" …" if len(levels) > 12 else "")


def read_level(name: str, text: str, levels: Mapping[str, list[FactorValue]]) -> FactorValue:
    """A level of that factor from text. Errors: 422 as `parse_where`."""
    if name not in levels:
        raise CoalescopeError(
            "unknown_factor",
            f"This experiment has no factor {name!r}.",
            where={"field": name},
            advice=f"{did_you_mean(name, levels)}Its factors are "
            f"{', '.join(levels) or 'none yet'}.",
        )
    quantity = factor(name)
    is_text = quantity.text if quantity else all(isinstance(v, str) for v in levels[name])
    if is_text:
        return text
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise CoalescopeError(
            "not_a_number",
            f"{name} is a number; {text!r} is not.",
            where={"field": name, "value": text},
            advice=f"Its levels are {', '.join(map(str, levels[name][:12]))}.",
        )
    return canonical_level(number)
