# SPDX-License-Identifier: Apache-2.0
"""Costs are not negative: what becomes of estimates that ask for less than nothing.

Where an estimate is negative the others are fitted again without it: the minimum over costs of 0
and more lies at that bound (Lawson and Hanson 1974, chapter 23). Resamples are treated alike, so
the intervals of the others include that the held cost may be more than 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .estimators import Moments
from .points import Floats, Integers

#: From the columns that are fitted to the estimator of their costs.
EstimatorOf = Callable[[Integers], Callable[[Moments], Floats]]
Ends = tuple[float, float] | None


def non_negative(moments: Moments, estimator_of: EstimatorOf) -> Floats:
    """Estimates of 0 and more, [b, p]; NaN where no cost alone explains the response.

    Of several negative costs the one that takes most from the response is left out first: with it
    at zero another may well be positive.

    Args:
        moments: of b sets of points.
        estimator_of: the estimator of some of the columns.
    """
    columns = moments.centroid.shape[1]
    estimates = estimator_of(np.arange(columns))(moments).copy()
    kept = np.ones(estimates.shape, dtype=np.bool_)
    for _ in range(columns - 1):
        rows = np.flatnonzero((estimates < 0.0).any(axis=1))
        if not len(rows):
            return estimates
        taken = estimates[rows] * moments.centroid[rows]
        kept[rows, np.argmin(taken, axis=1)] = False
        for pattern in np.unique(kept[rows], axis=0):
            alike = rows[(kept[rows] == pattern).all(axis=1)]
            some = np.flatnonzero(pattern)
            estimates[alike] = 0.0
            fitted = estimator_of(some)(moments.part(alike, some))
            estimates[np.ix_(alike, some)] = fitted
    estimates[(estimates < 0.0).any(axis=1)] = np.nan
    return estimates


def above(ends: Ends) -> Ends:
    """The same interval; it does not reach below 0."""
    return None if ends is None else (max(0.0, ends[0]), max(0.0, ends[1]))


def held_at_zero(names: Sequence[str], free: Floats, values: Floats) -> str | None:
    """Say which costs are held at 0, None where none is.

    Args:
        names: of the parameters.
        free: estimates without the bound, [p].
        values: estimates with it, [p].
    """
    held = [k for k, value in enumerate(values) if value == 0.0 and free[k] != 0.0]
    if not held:
        return None
    asked = [f"{names[k]} ({free[k]:.2g})" for k in held if free[k] < 0.0]
    then = [names[k] for k in held if not free[k] < 0.0]
    also = f" (and then {' and '.join(then)})" if then else ""
    return (
        f"The data ask for a negative {' and '.join(asked)}{also}: held at 0, as a cost is not "
        "negative; the others' intervals include that it may be more."
    )
