# SPDX-License-Identifier: Apache-2.0
"""Nonlinear least squares within bounds, for many small problems at once.

Levenberg–Marquardt on the free variables: one that lies at a bound and would leave it is held for
the step, the others move, and the step is cut at the bounds. All problems share the function and
differ in what was observed, so that a bootstrap is one call with arrays of shape [b, n].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .points import Floats

Integers = NDArray[np.intp]
#: From parameters [m, p] of some of the problems, and which these are [m], to residuals [m, n] and
#: their derivatives [m, n, p].
Residuals = Callable[[Floats, Integers], tuple[Floats, Floats]]

#: Steps of a search from anywhere; one from close by needs few.
ITERATIONS = 200
#: Relative change of parameters, or of the cost, at which a problem is finished.
_TOLERANCE = 1e-12
_LARGEST_DAMPING = 1e16


@dataclass(frozen=True)
class Minimum:
    """Where the search ended.

    Attributes:
        values: [b, p].
        cost: sum of squared residuals, [b].
        converged: [b]; False where the iterations ran out or nothing finite was found.
    """

    values: Floats
    cost: Floats
    converged: NDArray[np.bool_]

    @property
    def found(self) -> Floats:
        """The values, NaN where the search did not converge, [b, p]."""
        return np.where(self.converged[:, None], self.values, np.nan)


def minimise(
    residuals: Residuals, start: Floats, lo: Floats, hi: Floats, iterations: int = ITERATIONS
) -> Minimum:
    """Find local minima of the sums of squares. What has settled is not evaluated again.

    Args:
        residuals: of some problems at once.
        start: [b, p], within the bounds.
        lo: lower bounds, [p].
        hi: upper bounds, [p].
        iterations: evaluations of each problem at most, besides the first.
    """
    values = np.clip(start, lo, hi)
    damping = np.full(len(values), 1e-3)
    found, slopes = residuals(values, np.arange(len(values)))
    found, slopes = found.copy(), slopes.copy()
    cost = _cost(found)
    converged = np.zeros(len(values), dtype=np.bool_)
    moving = np.flatnonzero(np.isfinite(cost))
    for _ in range(iterations):
        if len(moving) == 0:
            break
        here = values[moving]
        step = _step(found[moving], slopes[moving], here, damping[moving], lo, hi)
        trial = np.clip(here + step, lo, hi)
        new_found, new_slopes = residuals(trial, moving)
        new_cost = _cost(new_found)
        better = new_cost <= cost[moving]
        flat = better & (new_cost >= (1.0 - _TOLERANCE) * cost[moving])
        small = np.all(np.abs(trial - here) <= _TOLERANCE * (np.abs(here) + _TOLERANCE), axis=1)
        taken = moving[better]
        values[taken], cost[taken] = trial[better], new_cost[better]
        found[taken], slopes[taken] = new_found[better], new_slopes[better]
        damping[moving] *= np.where(better, 0.1, 10.0)
        settled = flat | small
        converged[moving[settled]] = True
        moving = moving[~settled & (damping[moving] < _LARGEST_DAMPING)]
    return Minimum(values, cost, converged)


def _cost(found: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        cost: Floats = np.sum(found * found, axis=1)
    return np.where(np.isnan(cost), np.inf, cost)


def _step(
    found: Floats, slopes: Floats, values: Floats, damping: Floats, lo: Floats, hi: Floats
) -> Floats:
    slopes = np.where(np.isfinite(slopes), slopes, 0.0)
    gradient = np.einsum("bnp,bn->bp", slopes, np.where(np.isfinite(found), found, 0.0))
    held = (values <= lo) & (gradient > 0.0) | (values >= hi) & (gradient < 0.0)
    free = slopes * ~held[:, None, :]
    squares = free.transpose(0, 2, 1) @ free
    lengths = np.sqrt(np.einsum("bpp->bp", squares))
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    scaled = squares / (lengths[:, :, None] * lengths[:, None, :])
    scaled += damping[:, None, None] * np.eye(values.shape[1])
    right = np.where(held, 0.0, -gradient / lengths)
    step: Floats = _solved(scaled, right) / lengths
    return step


def _solved(squares: Floats, right: Floats) -> Floats:
    """Solve each system, [b, p]; NaN, which is a step that is not taken, where it is not finite.

    Where one is singular, damped or not, it gets the shortest of the steps that solve it.
    """
    regular = np.isfinite(squares).all(axis=(1, 2)) & np.isfinite(right).all(axis=1)
    solved = np.full_like(right, np.nan)
    try:
        solved[regular] = np.linalg.solve(squares[regular], right[regular, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(squares[regular], hermitian=True)
        solved[regular] = np.einsum("bij,bj->bi", inverse, right[regular])
    return solved
