# SPDX-License-Identifier: Apache-2.0
"""Which two factors a picture of cells spans where nobody says: decided here alone. Pure.

Surfaces, the list's small pictures, previews and copies follow it, and the page what is told of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from coalescope_models.vocabulary.quantity import ACROSS, UPWARD

from coalescope.experiments.records import FactorValue

Levels = Mapping[str, Sequence[FactorValue]]


def choose_axes(
    levels: Levels, x: str | None = None, y: str | None = None
) -> tuple[str, str | None]:
    """The factors across and up, those of `levels` that were not asked for: the delay and the MTU.

    Each is an axis with one level, too: a model says how it goes on from there. Otherwise what
    varies takes its place, numbers first, then what has most levels. One factor alone runs across.
    """
    varied = sorted((n for n in levels if _varies(levels[n])), key=lambda n: _rank(levels[n]))
    delays = sorted((n for n in ACROSS if n in levels), key=lambda n: -len(levels[n]))
    up = y or _first(UPWARD, levels, but=x)
    across = x or _first([*delays, *varied, *([*levels] if y else [])], levels, but=up)
    if across is None:
        return up or next(iter(levels)), None
    up = up or _first(varied, levels, but=across)
    return across, None if up == across else up


def openers(levels: Levels, can_be_chosen: Callable[[str], bool]) -> Levels:
    """The factors that a view may open over: numbers.

    Where none of them varies, words that somebody chooses; where there are none, any.
    """
    numbers = {name for name, values in levels.items() if _numeric(values)}
    if not any(_varies(levels[name]) for name in numbers):
        chosen = {n for n in levels.keys() - numbers if _varies(levels[n]) and can_be_chosen(n)}
        numbers = chosen or numbers
    return {name: values for name, values in levels.items() if name in (numbers or levels)}


def spanned(axes: Iterable[str | None], levels: Levels) -> tuple[str, str | None]:
    """Those that vary, as a picture without a model draws them; one of them at least."""
    own = [name for name in axes if name is not None]
    varied = [name for name in own if _varies(levels.get(name, ()))]
    x, y = [*(varied or own[:1]), None][:2]
    assert x is not None
    return x, y


def _varies(values: Sequence[FactorValue]) -> bool:
    return len(values) > 1


def _numeric(values: Sequence[FactorValue]) -> bool:
    return not any(isinstance(value, str) for value in values)


def _rank(values: Sequence[FactorValue]) -> tuple[bool, int]:
    return not _numeric(values), -len(values)


def _first(wanted: Iterable[str], there: Levels, but: str | None) -> str | None:
    return next((name for name in wanted if name in there and name != but), None)
