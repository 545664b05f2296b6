# SPDX-License-Identifier: Apache-2.0
"""Which settings may keep the bounds at all, by their own runs alone.

Where a ring overflows or a link binds, a measure has an edge. What lies beyond a bound by much is
nothing to set, and what is known of it says nothing of how smooth the measure is among the others:
without it, neighbours tell of each other what an edge would hide (`neighbours`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from . import neighbours
from .question import Constraint
from .scatter import Scatter
from .trade_off import Allowed, Floats

#: How often any setting of all is left out by chance alone.
_LEFT_OUT = 1e-3


def contenders(
    scatter: Scatter,
    means: Floats,
    names: Sequence[str],
    constraints: Sequence[Constraint],
    current: int,
    among: Allowed,
) -> Allowed:
    """Return the settings that no bound surely excludes, [settings]; all where these are few.

    A bound "within" the best excludes what any one to choose from surely exceeds by more. Fewer
    than a dozen that are left would tell little of each other.

    Args:
        scatter: of the means.
        means: of logarithms, [settings, measures].
        names: of the measures.
        constraints: the bounds.
        current: place of the setting that bounds "within current" refer to.
        among: settings to choose from, [settings]. The others tell of these as well.
    """
    from scipy import stats  # noqa: PLC0415  not at start-up

    able = np.ones(len(means), dtype=np.bool_)
    for constraint in constraints:
        j = names.index(constraint.measure)
        errors = scatter.errors[:, j]
        enough = stats.t.isf(_LEFT_OUT / len(means), scatter.freedom[:, j])
        for short, of_bound, place in _shortfalls(means[:, j], errors, constraint, current, among):
            least = enough if place is None else np.maximum(enough, enough[place])
            able &= ~(short > least * np.sqrt(errors + of_bound))
    return able if able.sum() >= neighbours.FEWEST else np.ones_like(able)


def _shortfalls(
    means: Floats, errors: Floats, constraint: Constraint, current: int, among: Allowed
) -> Iterator[tuple[Floats, float, int | None]]:
    """How far each setting misses a bound, the bound's own variance, and the setting it is of."""
    value, share = constraint.value, constraint.value / 100.0
    if constraint.limit == "at most":
        bound = math.log(value) if value > 0.0 else -math.inf
        yield means - bound, 0.0, None
    elif constraint.limit == "at least":
        bound = math.log(value) if value > 0.0 else -math.inf
        yield bound - means, 0.0, None
    elif constraint.limit == "within current":
        less = constraint.sense == "less"
        worse = means - means[current] if less else means[current] - means
        allowed = math.log1p(share) if less else -math.log1p(-share)
        yield worse - allowed, float(errors[current]), current
    else:
        away = -means if constraint.sense == "less" else means
        for rival in map(int, np.flatnonzero(among)):
            yield away[rival] + math.log1p(-share) - away, float(errors[rival]), rival
