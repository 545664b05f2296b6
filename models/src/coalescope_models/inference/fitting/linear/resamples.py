# SPDX-License-Identifier: Apache-2.0
"""Linear fits whose intervals are of a bootstrap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..bootstrap import Over, percentile_ends, resample_replicates, resample_rows
from ..estimators import Moments
from ..lack_of_fit import rejection
from ..non_negative import held_at_zero
from ..points import Floats, Groups
from ..result import ONE_RESAMPLE, Bootstrap, FitResult
from ..said_of_intervals import CORRECTED, WIDENED
from ..spread import told
from ..task import Task
from .result import Ends, estimates_of, no_ends, refused, residuals_of, result_of

#: Share of resamples with a cost at 0 from which on their mean says nothing about bias.
_CUT_OFF = 0.01


def fit_by_resamples(
    task: Task, plan: Bootstrap, rng: np.random.Generator | None, workers: int | Over
) -> FitResult:
    """Fit, with intervals from resampled rows or replicates."""
    points, names, estimator = task.points, task.fit.parameters, task.estimator
    moments = Moments.of_sets(points[None], task.weights)
    free = task.estimator_of(np.arange(len(names)))(moments)[0]
    values = estimator(moments)[0]
    if not np.isfinite(values).all():
        below = " and ".join(n for n, v in zip(names, free, strict=True) if not v >= 0.0)
        return refused(task, plan, f"{below} comes out negative.", points)
    misfit = task.lack_of_fit(values, None)
    said = [held_at_zero(names, free, values), told(task.power) if task.method == "wls" else None]
    rejected = misfit is not None and misfit.rejected
    if misfit is not None and rejected:
        said.append(rejection(misfit))
    finite = np.empty((0, len(values)))
    ends = alone = no_ends(values)
    if rng is not None and plan.resamples:
        draws = (
            resample_rows(points, task.groups, estimator, plan.resamples, rng, workers)
            if task.unit == "rows"
            else resample_replicates(
                task.rows, task.groups, estimator, plan.resamples, rng, workers, task.weights
            )
        )
        finite = draws[np.isfinite(draws).all(axis=1)]
        plan = replace(plan, degenerate=len(draws) - len(finite))
        message = no_interval = _why_no_interval(task, plan)
        if message is not None:
            finite = finite[:0]
        elif task.unit == "replicates" and not _cut_off(finite):
            message = _why_displaced(task, values, finite)
        ends = _ends(finite, values, task.freedom)
        if rejected:
            if task.unit == "replicates":
                alone = ends
            plan = replace(plan, unit="cells")
            finite = _drawn_cells(task, points, plan.resamples, rng, workers)
            freedom = np.full(len(values), max(1.0, task.residual_freedom))
            ends = _ends(finite, values, freedom)
            if len(finite):  # other resamples than those that gave none
                message = None if message == no_interval else message
                said.append(WIDENED)
        said.append(message)
    covariance = np.atleast_2d(np.cov(finite, rowvar=False)) if len(finite) else None
    return result_of(
        task,
        plan,
        points,
        estimates=estimates_of(task, values, ends, alone, covariance),
        residuals=residuals_of(task, values),
        covariance=covariance,
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )


def _drawn_cells(
    task: Task, points: Floats, resamples: int, rng: np.random.Generator, workers: int | Over
) -> Floats:
    """Estimates from whole cells drawn with replacement, [b, p]: they scatter by the misfit, too.

    No rows where more resamples than `Bootstrap.carries_intervals` allows determine no estimate.
    """
    one = Groups.by_label(np.zeros(len(points)))
    draws = resample_rows(points, one, task.estimator, resamples, rng, workers, task.weights)
    finite = draws[np.isfinite(draws).all(axis=1)]
    enough = Bootstrap("cells", resamples, None, 1, len(draws) - len(finite)).carries_intervals
    return finite if enough else finite[:0]


def _why_no_interval(task: Task, plan: Bootstrap) -> str | None:
    if plan.resamples == 1:
        return ONE_RESAMPLE
    if not plan.carries_intervals:
        return (
            f"No intervals: {plan.degenerate} of {plan.resamples} resamples do not determine the "
            "parameters. Measure more settings."
        )
    if np.all(task.groups.sizes == 1):
        what = "replicate" if task.unit == "replicates" else "row"
        group = "cell" if task.unit == "replicates" else "stratum"
        return f"No intervals: each {group} holds one {what}, so there is no spread to draw from."
    return None


def _why_displaced(task: Task, values: Floats, draws: Floats) -> str | None:
    biased = np.abs(draws.mean(axis=0) - values) > draws.std(axis=0, ddof=1)
    if not biased.any():
        return None
    names = [name for name, is_so in zip(task.fit.parameters, biased, strict=True) if is_so]
    return (
        f"Noise in the replicates biases {' and '.join(names)} by more than a standard error under "
        f"{task.method}{CORRECTED}."
    )


def _cut_off(draws: Floats) -> bool:
    """Whether the bound at 0 cuts so many resamples off that their mean says nothing of bias."""
    return bool(np.any(np.mean(draws <= 0.0, axis=0) > _CUT_OFF))


def _ends(draws: Floats, values: Floats, freedom: Floats) -> Ends:
    if len(draws) == 0:
        return no_ends(values)
    corrected = np.full(len(values), not _cut_off(draws))
    return percentile_ends(draws, values, freedom, corrected)
