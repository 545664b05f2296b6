# SPDX-License-Identifier: Apache-2.0
"""Fit a model that is linear in its parameters to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...catalogue import Model
from ..methods import DEFAULT_METHOD
from ..statistics import Timeline
from .attenuation import NOT_TOLD, allowing_for_counts, why_displaced
from .bootstrap import Over, percentile_ends, resample_replicates, resample_rows
from .dependence import in_view_of, without_intervals
from .diagnostics import (
    NO_REPLICATES,
    caution,
    condition_number,
    variance_inflation,
    why_no_plane,
    why_no_points,
    why_no_whitening,
    why_not_identifiable,
)
from .disagreement import disagreement
from .distributions import t_quantile
from .errors import FitInputError
from .estimators import Moments
from .hc3 import hc3_fit
from .lack_of_fit import WIDENED, Stated, rejection
from .non_negative import above, held_at_zero
from .points import Floats, Groups
from .result import ONE_RESAMPLE, Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual
from .robust import OUTLIER, outlying, robust_fit, told_of_weights
from .spread import told, why_no_power
from .task import Task, read_task

#: Resamples of a method that is only compared with.
_COMPARED = 400
#: Methods that a fit is compared with; each reacts to something else.
_OTHERS = ("ols", "whitened", "paper-tls")
#: Methods whose intervals are of scores: the fit, and what to say where there is none.
_OF_SCORES = {
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
#: Share of resamples with a cost at 0 from which on their mean says nothing about bias.
_CUT_OFF = 0.01


def fit_linear(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    method: str = DEFAULT_METHOD,
    *,
    response: str | None = None,
    response_unit: str | None = None,
    strata: ArrayLike | None = None,
    cells: ArrayLike | None = None,
    when: Timeline | None = None,
    stated: Stated | None = None,
    base: bool = False,
    resamples: int = 10_000,
    rng: np.random.Generator | int | None = None,
    workers: int | Over = 1,
) -> FitResult:
    """Fit the parameters of a linear model; none is negative.

    Each row is first scaled to the common response K = 10000, as in Geist et al. 2005, section 4;
    no method depends on K.

    - "ols": least squares of all runs' deviations, in percent of their cell's mean response: a
      cell's mean counts as often as it was measured. Its result depends on no unit.
    - "ols-hc3": least squares of all runs, with intervals of Student's t from standard errors that
      hold where variances differ (HC3); no resamples are drawn. Where the counts of a cell's runs
      differ, the intervals allow for errors of theirs.
    - "wls": as "ols", with the variance of a run as a power of the response, which the replicates
      tell.
    - "robust": Tukey's bisquare over all runs, which single outliers do not move. Its intervals are
      those of the scores, and allow for errors of the counts; no resamples are drawn.
    - "whitened": deviations weighed by the noise that the replicates show, in counts and response
      alike. Right where the counts themselves err; a model that does not hold distorts it most.
    - "paper-tls": total least squares exactly as the paper's section 4 does it. Its result depends
      on the units of the columns; they are fixed by the model (10⁶ bytes, thousands).

    Args:
        model: a model with a `linear_fit`, or its id.
        table: arrays of one length n: the columns of the fit, and the response.
        method: one of `METHODS`.
        response: which column is the response; by default the one measure in the table that can be.
        response_unit: its unit, which the estimates carry; by default that of the measure.
        strata: n labels; the bootstrap draws rows within equal labels. One stratum by default.
        cells: n labels, when rows are replicates: the model is then fitted to the means of the
            cells, and the bootstrap draws whole replicates within each. Excludes `strata`.
        when: each row was recorded. Where replicates depend on it, intervals are made of blocks,
            sessions or rounds, or not at all, and the message says why.
        stated: of rows that are means, what is said of their runs: the model is tested against it.
        base: fit also what passes without traffic, per second; the table then has `elapsed_s`.
        resamples: of the bootstrap; 0 for none.
        rng: generator, or the seed of one (which the result then records). The same seed gives
            the same result, bit for bit.
        workers: threads for the bootstrap, or what runs its parts in their place, such as `map`;
            the result does not depend on them.

    Returns:
        The fit. Data that cannot determine the parameters give a result with `identifiable` False,
        no values, and a message that says why; that is not an error. The message also says where a
        cost is held at 0, where replicates reject the model, and where other methods disagree
        beyond their intervals.

    Raises:
        UnknownModelError: there is no such model.
        FitInputError: the model has no linear fit, a column is missing or of another length, the
            method is unknown, or a bootstrap is asked for without a generator.
    """
    task = read_task(
        model,
        table,
        method,
        response=response,
        response_unit=response_unit,
        strata=strata,
        cells=cells,
        base=base,
        stated=stated,
    )
    if resamples < 0:
        raise FitInputError("resamples", "resamples must not be negative")
    if not callable(workers) and workers < 1:
        raise FitInputError("workers", "there is at least one worker")
    if resamples and rng is None:
        raise FitInputError("rng", "a bootstrap needs a generator or a seed")
    plan = Bootstrap(
        unit=task.unit,
        resamples=0 if method in _OF_SCORES else resamples,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        strata=task.groups.count,
        degenerate=0,
    )
    generator = np.random.default_rng(rng) if resamples and rng is not None else None
    result = _fitted(task, plan, generator, workers)
    if result.identifiable and when is not None and cells is not None:

        def refit(rows: NDArray[np.intp]) -> FitResult:
            return fit_linear(
                model,
                {name: np.asarray(column)[rows] for name, column in table.items()},
                method,
                response=response,
                response_unit=response_unit,
                cells=np.asarray(cells)[rows],
                base=base,
                resamples=0,
            )

        result = in_view_of(
            when,
            result,
            (task.rows[:, -1] / (task.rows[:, :-1] @ _values(result))).tolist(),
            np.asarray(cells).tolist(),
            refit,
            dict.fromkeys(result.estimates, (0.0, np.inf)),
        )
    if generator is None or not result.identifiable:
        return result
    (own,) = generator.spawn(1)
    few = replace(plan, resamples=min(resamples, _COMPARED))
    others = [
        _fitted(replace(task, method=other), few, own, 1) for other in _OTHERS if other != method
    ]
    return _saying(result, disagreement(result, others), _outliers(task, result))


def _values(result: FitResult) -> Floats:
    return np.array([own.value for own in result.estimates.values()], dtype=np.float64)


def _saying(result: FitResult, *more: str | None) -> FitResult:
    return replace(result, message=" ".join(filter(None, (result.message, *more))) or None)


def _outliers(task: Task, result: FitResult) -> str | None:
    """Where single runs do not belong with the others of their cell, offer what bears them."""
    if task.method == "robust" or task.unit == "rows":
        return None
    found = len(outlying(task.deviations(_values(result)), task.groups))
    if not found:
        return None
    runs = "1 run does" if found == 1 else f"{found} runs do"
    return f"{runs} not belong with the others of their cell: compare the method robust."


def _fitted(
    task: Task, plan: Bootstrap, rng: np.random.Generator | None, workers: int | Over
) -> FitResult:
    message = _why_no_fit(task)
    if message is not None:
        usable = why_no_points(task.rows[:, :-1], task.rows[:, -1], task.fit) is None
        enough = len(task.indices) >= len(task.fit.parameters)
        return _refused(task, plan, message, task.points if usable and enough else None)
    scored = task.method in _OF_SCORES
    result = _of_scores(task, plan) if scored else _resampled(task, plan, rng, workers)
    return _saying(result, caution(task.points, task.fit)) if result.identifiable else result


def _why_no_fit(task: Task) -> str | None:
    observations = task.observations
    message = why_no_points(task.rows[:, :-1], task.rows[:, -1], task.fit)
    if message is None and len(observations) < len(task.fit.parameters):
        message = why_no_points(observations[:, :-1], observations[:, -1], task.fit)
    if message is None:
        message = why_not_identifiable(task.points, task.fit, task.relative_errors)
    if message is None and task.method == "paper-tls":
        message = why_no_plane(task.points, task.fit)
    if message is None and task.method in ("whitened", "wls") and task.unit == "rows":
        message = NO_REPLICATES
    if message is None and task.method == "whitened":
        message = why_no_whitening(*task.noise, task.points)
    if message is None and task.method == "wls":
        message = why_no_power(task.groups)
    return message


def _resampled(
    task: Task, plan: Bootstrap, rng: np.random.Generator | None, workers: int | Over
) -> FitResult:
    """Fit, with intervals from resampled rows or replicates."""
    points, names, estimator = task.points, task.fit.parameters, task.estimator
    moments = Moments.of_sets(points[None], task.weights)
    free = task.estimator_of(np.arange(len(names)))(moments)[0]
    values = estimator(moments)[0]
    if not np.isfinite(values).all():
        below = " and ".join(n for n, v in zip(names, free, strict=True) if not v >= 0.0)
        return _refused(task, plan, f"{below} comes out negative.", points)
    misfit = task.lack_of_fit(values, None)
    said = [held_at_zero(names, free, values), told(task.power) if task.method == "wls" else None]
    rejected = misfit is not None and misfit.rejected
    if misfit is not None and rejected:
        said.append(rejection(misfit))
    finite = np.empty((0, len(values)))
    ends = alone = _no_ends(values)
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
        message = _why_no_interval(task, plan)
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
            said.append(WIDENED if len(finite) else None)
        said.append(message)
    covariance = np.atleast_2d(np.cov(finite, rowvar=False)) if len(finite) else None
    return _result(
        task,
        plan,
        points,
        estimates=_estimates(task, values, ends, alone, covariance),
        residuals=_residuals(task, values),
        covariance=covariance,
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )


def _of_scores(task: Task, plan: Bootstrap) -> FitResult:
    """Fit with intervals from the scores of runs, or of cells where the model is rejected."""
    fit, why = _OF_SCORES[task.method]
    columns = list(range(len(task.fit.parameters)))
    found = free = fit(task.rows, task.cells)
    while found is not None and (found.values < 0.0).any() and len(columns) > 1:
        taken = np.array(found.values) * task.points[:, columns].mean(axis=0)
        del columns[int(np.argmin(taken))]
        found = fit(task.rows[:, [*columns, -1]], task.cells)
    if found is None or free is None or (found.values < 0.0).any():
        return _refused(task, plan, why, task.points)
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
    alone = _no_ends(values)
    said = [held_at_zero(task.fit.parameters, free.values, values)]
    if misfit is not None and misfit.rejected:
        alone, plan = ends, replace(plan, unit="cells")
        covariance = whole(by.by_cells, by_free.by_cells)
        if not np.isfinite(covariance).all():
            return _refused(task, plan, f"{rejection(misfit)} {_ONE_CELL}", task.points)
        ends = _student(centre, by_free.values, covariance, cells)
        said += [rejection(misfit), WIDENED]
    names = [task.fit.parameters[k] for k in columns]
    said += [why_displaced(found, by, names, task.method), told_of_weights(counting)]
    result = _result(
        task,
        plan,
        task.points,
        estimates=_estimates(task, values, ends, alone, covariance),
        residuals=_residuals(task, values),
        covariance=covariance,
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )
    told = clean is not None and clean_free is not None
    return result if told else without_intervals(result, NOT_TOLD)


def _student(values: Floats, free: Floats, covariance: Floats, freedom: int) -> Ends:
    if freedom < 1:
        return _no_ends(values)
    half = t_quantile(0.975, freedom) * np.sqrt(np.diag(covariance))
    centre = np.where(values == 0.0, free, values)
    return [(float(c - h), float(c + h)) for c, h in zip(centre, half, strict=True)]


def _estimates(
    task: Task, values: Floats, ends: Ends, alone: Ends, covariance: Floats | None
) -> dict[str, Estimate]:
    units = task.fit.units(task.response_unit)
    errors = None if covariance is None else np.sqrt(np.diag(covariance))
    return {
        name: Estimate(
            float(values[k]),
            units[k],
            above(ends[k]),
            # of a cost that is held at 0 only the upper end says something
            None if errors is None or values[k] == 0.0 else float(errors[k]),
            above(alone[k]),
        )
        for k, name in enumerate(task.fit.parameters)
    }


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
        f"{task.method}; the interval is corrected for that, the estimate is not."
    )


Ends = Sequence[tuple[float, float] | None]


def _no_ends(values: Floats) -> Ends:
    return [None] * len(values)


def _cut_off(draws: Floats) -> bool:
    """Whether the bound at 0 cuts so many resamples off that their mean says nothing of bias."""
    return bool(np.any(np.mean(draws <= 0.0, axis=0) > _CUT_OFF))


def _ends(draws: Floats, values: Floats, freedom: Floats) -> Ends:
    if len(draws) == 0:
        return _no_ends(values)
    corrected = np.full(len(values), not _cut_off(draws))
    return percentile_ends(draws, values, freedom, corrected)


def _residuals(task: Task, values: Floats) -> list[Residual]:
    observations = task.observations
    observed = observations[:, -1]
    predicted = observations[:, :-1] @ values
    deviation = 100.0 * (predicted - observed) / observed
    return [
        Residual(int(index), float(o), float(p), float(d))
        for index, o, p, d in zip(task.indices, observed, predicted, deviation, strict=True)
    ]


def _refused(task: Task, plan: Bootstrap, message: str, points: Floats | None) -> FitResult:
    units = task.fit.units(task.response_unit)
    nothing = {
        name: Estimate(None, unit, None, None, None)
        for name, unit in zip(task.fit.parameters, units, strict=True)
    }
    return _result(task, plan, points, estimates=nothing, message=message, identifiable=False)


def _result(
    task: Task,
    plan: Bootstrap,
    points: Floats | None,
    *,
    estimates: dict[str, Estimate],
    residuals: list[Residual] | None = None,
    covariance: Floats | None = None,
    message: str | None = None,
    identifiable: bool = True,
    misfit: LackOfFit | None = None,
) -> FitResult:
    residuals = [] if residuals is None else residuals
    return FitResult(
        model=task.model.id,
        method=task.method,
        response=task.response,
        response_unit=task.response_unit,
        n=len(task.indices),
        estimates=estimates,
        covariance=None if covariance is None else covariance.tolist(),
        diagnostics=_diagnostics(task, points, residuals, misfit),
        residuals=residuals,
        identifiable=identifiable,
        message=message,
        bootstrap=plan,
    )


def _diagnostics(
    task: Task, points: Floats | None, residuals: list[Residual], misfit: LackOfFit | None
) -> Diagnostics:
    names = task.fit.parameters
    freedom = task.residual_freedom
    deviations = np.array([residual.deviation_percent for residual in residuals])
    spread = float(np.sqrt(np.sum(deviations**2) / freedom)) if freedom > 0 else None
    inflation = [None] * len(names) if points is None else variance_inflation(points)
    return Diagnostics(
        condition_number=None if points is None else condition_number(points),
        variance_inflation=dict(zip(names, inflation, strict=True)),
        max_abs_deviation_percent=float(np.max(np.abs(deviations))) if residuals else None,
        residual_sd_percent=spread if residuals else None,
        degrees_of_freedom=freedom,
        lack_of_fit=misfit,
    )
