# SPDX-License-Identifier: Apache-2.0
"""Linear fits whose intervals are those of the scores of runs: robust, and HC3."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..attenuation import NOT_TOLD, allowing_for_counts, why_displaced
from ..dependence import without_intervals
from ..distributions import t_quantile
from ..hc3 import hc3_fit
from ..lack_of_fit import rejection
from ..non_negative import held_at_zero
from ..points import Floats
from ..result import Bootstrap, FitResult
from ..robust import OUTLIER, robust_fit, told_of_weights
from ..said_of_intervals import WIDENED
from ..task import Task
from .result import Ends, estimates_of, no_ends, refused, residuals_of, result_of

#: Methods whose intervals are of scores: the fit, and what to say where there is none.
OF_SCORES = {
    "robust": (
        robust_fit,
        "No robust fit: the search found no minimum. Compare another method.",
    ),
    "ols-hc3": (
        hc3_fit,
        "No HC3: one run alone determines a cost, so that its variance is not known, or costs come "
        "out negative. Measure more settings, or compare another method.",
    ),
}
_ONE_CELL = (
    "No HC3: one cell alone determines a cost, so that its deviation from the model is not known. "
    "Measure more settings."
)


def fit_by_scores(task: Task, plan: Bootstrap) -> FitResult:
    """Fit with intervals from the scores of runs, or of cells where the model is rejected."""
    fit, why = OF_SCORES[task.method]
    columns = list(range(len(task.fit.parameters)))
    found = free = fit(task.rows, task.cells)
    while found is not None and (found.values < 0.0).any() and len(columns) > 1:
        taken = np.array(found.values) * task.points[:, columns].mean(axis=0)
        del columns[int(np.argmin(taken))]
        found = fit(task.rows[:, [*columns, -1]], task.cells)
    if found is None or free is None or (found.values < 0.0).any():
        return refused(task, plan, why, task.points)
    p = len(task.fit.parameters)
    values, centre = np.zeros(p), np.zeros(p)
    values[columns] = found.values
    clean = allowing_for_counts(task.rows[:, [*columns, -1]], task.cells, found)
    clean_free = allowing_for_counts(task.rows, task.cells, free)
    by, by_free = clean or found, clean_free or free
    centre[columns] = by.values
    counting = found.weights >= OUTLIER
    misfit = task.lack_of_fit(values, counting)
    held = np.setdiff1d(np.arange(p), columns)

    def whole(some: Floats, all_free: Floats) -> Floats:
        """Of all parameters; what is held keeps the variance that it has when it is free."""
        covariance = np.zeros((p, p))
        covariance[np.ix_(columns, columns)] = some
        covariance[held, held] = np.diag(all_free)[held]
        return covariance

    runs, cells = len(task.rows) - p, task.residual_freedom
    covariance = whole(by.by_runs, by_free.by_runs)
    ends = _student(centre, by_free.values, covariance, runs)
    alone = no_ends(values)
    said = [held_at_zero(task.fit.parameters, free.values, values)]
    if misfit is not None and misfit.rejected:
        alone, plan = ends, replace(plan, unit="cells")
        covariance = whole(by.by_cells, by_free.by_cells)
        if not np.isfinite(covariance).all():
            return refused(task, plan, f"{rejection(misfit)} {_ONE_CELL}", task.points)
        ends = _student(centre, by_free.values, covariance, cells)
        said += [rejection(misfit), WIDENED]
    names = [task.fit.parameters[k] for k in columns]
    said += [why_displaced(found, by, names, task.method), told_of_weights(counting)]
    result = result_of(
        task,
        plan,
        task.points,
        estimates=estimates_of(task, values, ends, alone, covariance),
        residuals=residuals_of(task, values),
        covariance=covariance,
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )
    told = clean is not None and clean_free is not None
    return result if told else without_intervals(result, NOT_TOLD)


def _student(values: Floats, free: Floats, covariance: Floats, freedom: int) -> Ends:
    if freedom < 1:
        return no_ends(values)
    half = t_quantile(0.975, freedom) * np.sqrt(np.diag(covariance))
    centre = np.where(values == 0.0, free, values)
    return [(float(c - h), float(c + h)) for c, h in zip(centre, half, strict=True)]
