# SPDX-License-Identifier: Apache-2.0
"""Fit the parameters of any traced model to a measure, with bounds, derivatives from its graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....catalogue import Model
from ...statistics import Timeline
from ..bootstrap import Over
from ..dependence import in_view_of
from ..determination import saturated, with_poorly_determined
from ..errors import FitInputError
from ..independent_only import conditional_where_doubtful
from ..lack_of_fit import Stated, lack_of_fit, lack_of_fit_of_means, rejection
from ..outlying_runs import in_view_of_outliers
from ..points import Floats, Groups
from ..result import Bootstrap, Estimate, FitResult, LackOfFit
from ..robust import OUTLIER, robust_nonlinear_fit, told_of_weights
from ..said_of_intervals import WIDENED
from .answer import as_result
from .identifiability import why_not_identifiable
from .intervals import (
    Ends,
    bootstrap,
    covariance_of,
    curvature_covariance,
    interval_ends,
    standard_errors,
    student_ends,
    why_no_interval,
)
from .search import best
from .task import Task, Weighting, read_task, why_no_points

#: What a fit imports, not at start-up: it takes a second.
LATE_LIBRARIES = ("scipy.optimize", "scipy.special", "scipy.stats")
_AT_BOUND = 1e-9
#: Resamples of a fit without the outlying runs: its standard errors are only compared.
_COMPARED = 400
Rows = NDArray[np.intp]


def fit_nonlinear(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    output: str,
    free: Sequence[str],
    *,
    response: str | None = None,
    held: Mapping[str, float] | None = None,
    cells: ArrayLike | None = None,
    when: Timeline | None = None,
    stated: Stated | None = None,
    weighting: Weighting = "relative",
    robust: bool = False,
    resamples: int = 1_000,
    rng: np.random.Generator | int | None = None,
    workers: int | Over = 1,
) -> FitResult:
    """Fit some parameters of a model by least squares of all runs, within what they can be.

    The search starts from the defaults and from points spread over the sliders, by ratios where
    one spans decades, and the best end counts. Derivatives come from the model's graph; a parameter
    that only moves the model in steps cannot be fitted, and is refused as one that the data do not
    tell.

    Args:
        model: a model, or its id.
        table: arrays of one length: each input of the model, and the response.
        output: the output of the model that is compared with the response.
        free: the parameters to fit.
        response: the column to compare with; by default the one of the output's name.
        held: values of other parameters; those that are not given keep their default.
        cells: labels of rows that are replicates: the model is fitted to the means of the cells,
            each of which counts as often as it was measured, and the bootstrap draws whole
            replicates within each. Without, each row is a point.
        when: each row was recorded. Where replicates depend on it, intervals are made of blocks,
            sessions or rounds, or not at all, and the message says why.
        stated: of rows that are means, what is said of their runs: the model is tested against it.
        weighting: of the deviations.
        robust: minimise Tukey's bisquare of all runs' deviations from the least squares on, so that
            outlying ones do not move it. Intervals are those of the scores; no resamples are drawn.
        resamples: of the bootstrap over replicates; 0 for none. Rows that are no replicates get
            intervals from the curvature at the minimum instead.
        rng: generator, or the seed of one.
        workers: threads for the bootstrap, or what runs its parts in their place, such as `map`.

    Returns:
        The fit, as `fit_linear` gives it, with method "nonlinear" or "nonlinear-robust". Where
        runs are outlying and the fit without them is another, no interval is given but by the
        robust one. No interval leaves the bounds. Of a parameter whose truth is a bound, only the
        other end can miss it: a nominal 95 % are 97.5 % or a little more there. The other
        parameters' intervals keep theirs.

    Raises:
        UnknownModelError: there is no such model.
        FitInputError: a column or a name is missing or wrong, or a value is not finite.
    """
    if resamples < 0:
        raise FitInputError("resamples", "resamples must not be negative")
    if resamples and cells is not None and rng is None:
        raise FitInputError("rng", "a bootstrap needs a generator or a seed")
    labels = None if cells is None else np.asarray(cells)

    def asked(rows: Rows | None) -> Task:
        """The question of some of the runs, None for all."""
        some = table if rows is None else {n: np.asarray(own)[rows] for n, own in table.items()}
        own = labels if rows is None or labels is None else labels[rows]
        return read_task(model, some, output, free, response, held or {}, own, weighting, robust)

    name = output if response is None else response
    task = replace(asked(None), stated=stated if cells is None else None)
    plan = Bootstrap(
        unit="rows" if cells is None else "replicates",
        resamples=0 if cells is None or robust else resamples,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        strata=task.groups.count,
        degenerate=0,
    )
    generator = np.random.default_rng(rng) if plan.resamples and rng is not None else None
    values, result = _answered(task, plan, name, generator, workers)
    if cells is None or values is None or not result.identifiable:
        return _told(result)
    every = np.arange(len(task.replicates))
    if not robust:
        left = None if generator is None else generator.spawn(1)[0]
        few = replace(plan, resamples=min(plan.resamples, _COMPARED))
        result = in_view_of_outliers(
            result,
            task.deviations(values),
            task.groups,
            lambda out: _answered(asked(np.delete(every, out)), few, name, left, workers)[1],
        )
    if when is None:
        return _told(result)
    bare = replace(plan, resamples=0)
    judged = in_view_of(
        when,
        result,
        task.over_predicted(values).tolist(),
        np.asarray(cells).tolist(),
        lambda rows: _answered(asked(rows), bare, name, None, 1, near=values)[1],
        {own.name: own.bounds for own in task.free},
    )
    return _told(judged)


def _told(result: FitResult) -> FitResult:
    return conditional_where_doubtful(with_poorly_determined(result))


def _answered(
    task: Task,
    plan: Bootstrap,
    response: str,
    rng: np.random.Generator | None,
    workers: int | Over,
    near: Floats | None = None,
) -> tuple[Floats | None, FitResult]:
    """The estimates, [p], None without any, and the fit, with intervals that trust every run."""
    message = why_no_points(task)
    if message is not None:
        return None, as_result(task, plan, response, message=message)
    values = best(task, near)
    if values is None:
        message = "The search found no minimum within the bounds."
        return None, as_result(task, plan, response, message=message)
    message = why_not_identifiable(task, values)
    if message is not None:
        return None, as_result(task, plan, response, message=message, at=values, identifiable=False)
    if task.robust:
        return _robust(task, plan, response, values)
    draws = None if rng is None else bootstrap(task, values, plan.resamples, rng, workers)
    return values, _fitted(task, plan, response, values, draws)


def _lack_of_fit(
    task: Task, response: str, values: Floats, counting: NDArray[np.bool_]
) -> LackOfFit | None:
    """Test the model against the replicates that count, or what means say of theirs."""
    off = task.deviations(values)[counting]
    if task.stated is not None and response in task.stated.spread:
        spread = task.stated.spread[response] / task.units(task.replicates)
        return lack_of_fit_of_means(
            off, task.stated.numbers[counting], spread[counting], len(values)
        )
    labels = task.by_run(np.arange(task.groups.count, dtype=np.float64))
    return lack_of_fit(off, Groups.by_label(labels[counting]), len(values))


def _fitted(
    task: Task, plan: Bootstrap, response: str, values: Floats, draws: Floats | None
) -> FitResult:
    misfit = _lack_of_fit(task, response, values, np.ones(len(task.replicates), dtype=bool))
    if draws is None:
        covariance = curvature_covariance(task, values)
        message = None
    else:
        finite = draws[np.isfinite(draws).all(axis=1)]
        plan = replace(plan, degenerate=len(draws) - len(finite))
        message = why_no_interval(task, plan)
        draws = finite if message is None else None
        covariance = None if draws is None else covariance_of(draws)
    errors = standard_errors(task, covariance)
    ends = interval_ends(task, values, draws, errors)
    alone: Ends = [None] * len(values)
    if misfit is not None and misfit.rejected:
        if task.stated is None:
            alone = ends
        covariance = curvature_covariance(task, values)
        plan = replace(plan, unit="cells")
        errors = standard_errors(task, covariance)
        ends = interval_ends(task, values, None, errors)
        # these need no resamples: what was wrong with those is not said
        message = f"{rejection(misfit)} {WIDENED}" if covariance is not None else rejection(misfit)
    estimates = {
        parameter.name: Estimate(
            float(values[k]), parameter.quantity.unit, ends[k], errors[k], alone[k], None
        )
        for k, parameter in enumerate(task.free)
    }
    said = (_at_bound(task, values), saturated(len(task.observed), len(task.free)), message)
    return as_result(
        task,
        plan,
        response,
        estimates=estimates,
        at=values,
        covariance=None if covariance is None else covariance.tolist(),
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )


def _robust(task: Task, plan: Bootstrap, response: str, start: Floats) -> tuple[Floats, FitResult]:
    """Fit by Tukey's bisquare, with intervals from its scores; returns where it ended, too."""
    unit = task.by_run(task.units(task.observed))

    def slopes(values: Floats) -> Floats:
        _, found = task.predict(values[None])
        each = np.column_stack([task.by_run(column) for column in found[0].T])
        return each / unit[:, None]

    found = robust_nonlinear_fit(task.deviations, slopes, start, task.bounds, task.groups)
    if found is None:
        why = "No robust fit: the search found no minimum; fit by least squares."
        return start, as_result(task, plan, response, message=why)
    values = found.values
    counting = found.weights >= OUTLIER
    misfit = _lack_of_fit(task, response, values, counting)
    rejected = misfit is not None and misfit.rejected
    covariance, freedom = found.by_runs, len(unit) - len(values)
    alone: Ends = [None] * len(values)
    said = [_at_bound(task, values), saturated(len(task.observed), len(task.free))]
    if misfit is not None and rejected:
        alone = student_ends(task, values, covariance, freedom)
        covariance, freedom = found.by_cells, task.groups.count - len(values)
        plan = replace(plan, unit="cells")
        said += [rejection(misfit), WIDENED]
    said.append(told_of_weights(counting))
    ends = student_ends(task, values, covariance, freedom)
    errors = standard_errors(task, covariance)
    estimates = {
        own.name: Estimate(float(values[k]), own.quantity.unit, ends[k], errors[k], alone[k], None)
        for k, own in enumerate(task.free)
    }
    return values, as_result(
        task,
        plan,
        response,
        estimates=estimates,
        at=values,
        covariance=covariance.tolist(),
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )


def _at_bound(task: Task, values: Floats) -> str | None:
    lo, hi = task.bounds
    found = [
        parameter.name
        for parameter, value, low, high in zip(task.free, values, lo, hi, strict=True)
        if min(value - low, high - value) <= _AT_BOUND * (parameter.hi - parameter.lo)
    ]
    if not found:
        return None
    return (
        f"{' and '.join(found)} ended at a bound: the data ask for more than it allows, or the "
        "model does not suit them."
    )
