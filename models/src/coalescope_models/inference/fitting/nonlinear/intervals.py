# SPDX-License-Identifier: Apache-2.0
"""How far the estimates may be off: resampled replicates, or the curvature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..bootstrap import Over, Replicates, over_parts, percentile_ends
from ..distributions import t_quantile
from ..freedom import satterthwaite
from ..points import Floats
from ..result import ONE_RESAMPLE, Bootstrap
from .search import RESAMPLE_ITERATIONS
from .task import Task

Ends = Sequence[tuple[float, float] | None]
#: Numbers that all nodes of the graph and their derivatives may hold at once.
_MOST_NUMBERS = 8_000_000
#: Share of resamples at a bound from which on their mean says nothing about bias.
_CUT_OFF = 0.01


def bootstrap(
    task: Task, values: Floats, resamples: int, rng: np.random.Generator, workers: int | Over = 1
) -> Floats:
    """Refit resampled replicates, [resamples, p]."""
    replicates = Replicates.of(task.replicates[:, None], task.groups)
    observed = replicates.means(resamples, rng)[:, :, 0]
    each = task.groups.count * len(task.model.graph.nodes) * (1 + len(values))
    most = max(1, _MOST_NUMBERS // each)
    starts = np.broadcast_to(values, (resamples, len(values)))
    parts = [slice(first, first + most) for first in range(0, resamples, most)]

    def refitted(part: slice) -> Floats:
        found: Floats = task.solve(observed[part], starts[part], RESAMPLE_ITERATIONS).found
        return found

    return over_parts(parts, refitted, workers)


def why_no_interval(task: Task, plan: Bootstrap) -> str | None:
    """Return why resamples give no interval, None where they do."""
    if not np.any(task.groups.sizes > 1):
        return "No intervals: there is no spread between replicates."
    if plan.resamples == 1:
        return ONE_RESAMPLE
    if not plan.carries_intervals:
        return (
            f"No intervals: the search found no minimum for {plan.degenerate} of {plan.resamples} "
            "resamples. Hold a parameter, or measure more settings."
        )
    return None


def covariance_of(draws: Floats) -> Floats:
    """Return the covariance of resampled estimates [resamples, p], [p, p]."""
    covariance: Floats = np.atleast_2d(np.cov(draws, rowvar=False)).astype(np.float64)
    return covariance


def curvature_covariance(task: Task, values: Floats) -> Floats | None:
    """s² (JᵀJ)⁻¹, for points that have no replicates."""
    freedom = len(task.observed) - len(values)
    if freedom < 1:
        return None
    jacobian = task.scaled_jacobian(values)
    deviations = (task.predicted(values) - task.observed) / task.scales(task.observed)
    variance = float(deviations @ deviations) / freedom
    # by singular values of columns of unit length: the normal equations would square the condition
    lengths = np.linalg.norm(jacobian, axis=0)
    _, singular, right = np.linalg.svd(jacobian / lengths, full_matrices=False)
    inverse: Floats = (right.T / singular**2) @ right / np.outer(lengths, lengths)
    return variance * inverse


def standard_errors(task: Task, covariance: Floats | None) -> list[float | None]:
    """Return the standard error of each free parameter, None where nothing is known."""
    if covariance is None:
        return [None] * len(task.free)
    return [float(np.sqrt(max(variance, 0.0))) for variance in np.diag(covariance)]


def interval_ends(
    task: Task, values: Floats, draws: Floats | None, errors: Sequence[float | None]
) -> Ends:
    """Return the interval of each free parameter; none leaves the bounds of the search."""
    ends: Ends
    if draws is None:
        ends = [_student(task, value, error) for value, error in zip(values, errors, strict=True)]
    else:
        lo, hi = task.bounds
        cut_off = np.mean((draws <= lo) | (draws >= hi), axis=0) > _CUT_OFF
        freedom = satterthwaite(_variance_by_cell(task, values), task.groups)
        ends = percentile_ends(draws, values, freedom, corrected=~cut_off)
    return _within_bounds(task, ends)


def student_ends(task: Task, values: Floats, covariance: Floats, freedom: int) -> Ends:
    """Return 95 % intervals by Student's t, within the bounds of the search."""
    if freedom < 1:
        return [None] * len(values)
    half = t_quantile(0.975, freedom) * np.sqrt(np.diag(covariance))
    return _within_bounds(task, [(v - h, v + h) for v, h in zip(values, half, strict=True)])


def _within_bounds(task: Task, ends: Ends) -> Ends:
    return [
        None if own is None else tuple(np.clip(own, *parameter.bounds).tolist())
        for own, parameter in zip(ends, task.free, strict=True)
    ]


def _student(task: Task, value: float, error: float | None) -> tuple[float, float] | None:
    if error is None:
        return None
    half = t_quantile(0.975, len(task.observed) - len(task.free)) * error
    return float(value - half), float(value + half)


def _variance_by_cell(task: Task, values: Floats) -> Floats:
    """What each cell's replicates add to the variance of the estimates, [cells, p]; first order."""
    jacobian = task.scaled_jacobian(values)
    slopes = np.linalg.pinv(jacobian).T / task.scales(task.observed)[:, None]
    sizes = task.groups.sizes
    own = task.replicates[task.groups.order]
    squares = (own - np.repeat(task.observed, sizes)) ** 2
    sums = np.add.reduceat(squares, task.groups.starts)
    variances: Floats = slopes**2 * (sums / (sizes * np.maximum(sizes - 1, 1)))[:, None]
    return variances
