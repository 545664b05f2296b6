# SPDX-License-Identifier: Apache-2.0
"""Fit a model that is linear in its parameters to a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...catalogue import LinearFit, Model, find
from ..statistics import Timeline
from .bootstrap import Over, percentile_ends, resample_replicates, resample_rows
from .dependence import in_view_of
from .diagnostics import (
    NO_REPLICATES,
    condition_number,
    variance_inflation,
    why_no_plane,
    why_no_points,
    why_no_whitening,
    why_not_identifiable,
)
from .errors import FitInputError
from .estimators import ESTIMATORS, Moments, whitened_total_least_squares
from .freedom import satterthwaite, variance_by_cell
from .lack_of_fit import WIDENED, lack_of_fit, rejection
from .non_negative import at_zero, negative
from .points import Floats, Groups, matrix, normalised, pooled_noise
from .result import ONE_RESAMPLE, Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual

#: The methods that `fit_linear` knows.
METHODS = ("paper-tls", "whitened", "ols")


@dataclass(frozen=True)
class _Task:
    """What is asked for: counts and response as one matrix, [n, p + 1], and how to group it."""

    model: Model
    fit: LinearFit
    method: str
    response: str
    response_unit: str
    rows: Floats
    groups: Groups
    unit: Literal["rows", "replicates"]

    @property
    def observations(self) -> Floats:
        """The rows that the model is fitted to: the rows, or the means of cells, [n, p + 1]."""
        return self.rows if self.unit == "rows" else self.groups.means(self.rows)

    @cached_property
    def noise(self) -> tuple[Floats, int]:
        """Covariance within cells, [p + 1, p + 1], and its degrees of freedom."""
        return pooled_noise(self.rows, self.groups)

    @property
    def estimator(self) -> Callable[[Moments], Floats]:
        """From moments to estimates, [b, p]."""
        if self.method == "whitened":
            return partial(whitened_total_least_squares, noise=self.noise[0])
        return ESTIMATORS[self.method]

    @property
    def weights(self) -> Floats | None:
        """Of each observation; None where they are alike.

        The noise of a cell's mean is that of a replicate over their number: what is whitened by
        it counts each replicate once.
        """
        return self.groups.sizes.astype(np.float64) if self.method == "whitened" else None

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the spread of each estimate, [p]."""
        if self.unit == "rows":
            return np.full(len(self.fit.parameters), max(1.0, self.residual_freedom))
        variances = variance_by_cell(self.rows, self.groups, self.estimator, self.weights)
        return satterthwaite(variances, self.groups)

    @property
    def residual_freedom(self) -> int:
        """Observations less parameters."""
        return len(self.indices) - len(self.fit.parameters)

    def lack_of_fit(self, values: Floats) -> LackOfFit | None:
        """Test estimates [p] against the replicates; None where rows are no replicates."""
        if self.unit == "rows":
            return None
        means = np.empty(len(self.rows))
        means[self.groups.order] = np.repeat(self.observations[:, -1], self.groups.sizes)
        deviations = (self.rows[:, :-1] @ values - self.rows[:, -1]) / means
        return lack_of_fit(deviations, self.groups, len(self.fit.parameters))

    @property
    def indices(self) -> NDArray[np.intp]:
        """Row of the table that each observation (first) comes from."""
        return np.arange(len(self.rows)) if self.unit == "rows" else self.groups.first_rows


def fit_linear(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    method: str = "paper-tls",
    *,
    response: str | None = None,
    response_unit: str | None = None,
    strata: ArrayLike | None = None,
    cells: ArrayLike | None = None,
    when: Timeline | None = None,
    resamples: int = 10_000,
    rng: np.random.Generator | int | None = None,
    workers: int | Over = 1,
) -> FitResult:
    """Fit the parameters of a linear model.

    Each row is first scaled to the common response K = 10000, as in Geist et al. 2005, section 4.
    "paper-tls" then fits a plane to the points by total least squares, exactly as that section
    does; "ols" minimises the deviations from K; "whitened" weighs deviations by the noise that the
    replicates show, in counts and response alike. None depends on K. The paper's total least
    squares depends on the units of the columns; they are fixed by the model (10⁶ bytes,
    thousands). The whitened fit does not.

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
        resamples: of the bootstrap; 0 for none.
        rng: generator, or the seed of one (which the result then records). The same seed gives
            the same result, bit for bit.
        workers: threads for the bootstrap, or what runs its parts in their place, such as `map`;
            the result does not depend on them.

    Returns:
        The fit. Data that cannot determine the parameters give a result with `identifiable` False,
        no values, and a message that says why; that is not an error.

    Raises:
        UnknownModelError: there is no such model.
        FitInputError: the model has no linear fit, a column is missing or of another length, the
            method is unknown, or a bootstrap is asked for without a generator.
    """
    task = _read(model, table, method, response, response_unit, strata, cells)
    if resamples < 0:
        raise FitInputError("resamples", "resamples must not be negative")
    if not callable(workers) and workers < 1:
        raise FitInputError("workers", "there is at least one worker")
    if resamples and rng is None:
        raise FitInputError("rng", "a bootstrap needs a generator or a seed")
    plan = Bootstrap(
        unit=task.unit,
        resamples=resamples,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        strata=task.groups.count,
        degenerate=0,
    )
    observations = task.observations
    message = why_no_points(task.rows[:, :-1], task.rows[:, -1], task.fit)
    if message is None and len(observations) < len(task.fit.parameters):
        message = why_no_points(observations[:, :-1], observations[:, -1], task.fit)
    if message is not None:
        return _refused(task, plan, message, points=None)
    points = normalised(observations)
    message = why_not_identifiable(points, task.fit)
    if message is None and task.method == "paper-tls":
        message = why_no_plane(points, task.fit)
    if message is None and task.method == "whitened":
        no_cells = task.unit == "rows"
        message = NO_REPLICATES if no_cells else why_no_whitening(*task.noise, points)
    if message is not None:
        return _refused(task, plan, message, points)
    generator = None if rng is None else np.random.default_rng(rng)
    result = _not_negative(task, plan, points, generator, workers)
    if when is None or cells is None or not result.identifiable:
        return result

    def refit(rows: NDArray[np.intp]) -> FitResult:
        return fit_linear(
            model,
            {name: np.asarray(column)[rows] for name, column in table.items()},
            method,
            response=response,
            response_unit=response_unit,
            cells=np.asarray(cells)[rows],
            resamples=0,
        )

    values = np.array([own.value for own in result.estimates.values()])
    return in_view_of(
        when,
        result,
        (task.rows[:, -1] / (task.rows[:, :-1] @ values)).tolist(),
        np.asarray(cells).tolist(),
        refit,
        dict.fromkeys(result.estimates, (0.0, np.inf)),
    )


def _read(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    method: str,
    response: str | None,
    response_unit: str | None,
    strata: ArrayLike | None,
    cells: ArrayLike | None,
) -> _Task:
    model = find(model) if isinstance(model, str) else model
    fit = model.linear_fit
    if fit is None:
        raise FitInputError("model", f"{model.id} has no linear fit")
    if method not in METHODS:
        raise FitInputError("method", f"there is no method {method!r}; there are {METHODS}")
    if strata is not None and cells is not None:
        raise FitInputError("strata", "give strata or cells, not both: a cell is a stratum")
    response = _response(fit, table) if response is None else response
    rows = matrix(table, (*fit.columns, response))
    labels = cells if cells is not None else strata
    return _Task(
        model=model,
        fit=fit,
        method=method,
        response=response,
        response_unit=fit.responses.get(response, "") if response_unit is None else response_unit,
        rows=rows,
        groups=_groups("strata" if cells is None else "cells", labels, len(rows)),
        unit="rows" if cells is None else "replicates",
    )


def _response(fit: LinearFit, table: Mapping[str, ArrayLike]) -> str:
    found = [name for name in fit.responses if name in table]
    if len(found) != 1:
        known = ", ".join(fit.responses)
        raise FitInputError("response", f"the table must have one response of {known}")
    return found[0]


def _groups(name: str, labels: ArrayLike | None, count: int) -> Groups:
    array: NDArray[Any] = np.zeros(count) if labels is None else np.asarray(labels)
    if array.shape != (count,):
        raise FitInputError(name, f"{name} must have one label for each row")
    return Groups.by_label(array)


def _not_negative(
    task: _Task,
    plan: Bootstrap,
    points: Floats,
    rng: np.random.Generator | None,
    workers: int | Over,
) -> FitResult:
    """Fit costs of 0 and more: what the data ask to be negative is left out of the fit."""
    free = result = _fitted(task, plan, points, rng, workers)
    kept = list(range(len(task.fit.parameters)))
    while below := negative(result):
        if len(kept) == 1:  # no cost explains a positive response
            return _refused(task, plan, f"{below[0]} comes out negative.", points)
        # one at a time: with that one at zero another may well be positive
        kept.remove(_least(task, result, below, points))
        result = _fitted(_part(task, kept), plan, points[:, kept], rng, workers)
    held = [name for k, name in enumerate(task.fit.parameters) if k not in kept]
    return at_zero(result, free, held)


def _least(task: _Task, result: FitResult, below: Sequence[str], points: Floats) -> int:
    """Which of the negative costs takes most from the response, on average."""

    def share(k: int) -> float:
        value = result.estimates[task.fit.parameters[k]].value
        return float(np.mean(points[:, k])) * (0.0 if value is None else value)

    return min((task.fit.parameters.index(name) for name in below), key=share)


def _part(task: _Task, kept: Sequence[int]) -> _Task:
    """The same task for some of its parameters. A single one has no plane: it is by "ols"."""
    fit = task.fit
    some = replace(
        fit,
        columns=tuple(fit.columns[k] for k in kept),
        parameters=tuple(fit.parameters[k] for k in kept),
        per=tuple(fit.per[k] for k in kept),
    )
    alone = len(kept) == 1 and task.method == "paper-tls"
    method = "ols" if alone else task.method
    return replace(task, fit=some, rows=task.rows[:, [*kept, -1]], method=method)


def _fitted(
    task: _Task,
    plan: Bootstrap,
    points: Floats,
    rng: np.random.Generator | None,
    workers: int | Over,
) -> FitResult:
    estimator = task.estimator
    values = estimator(Moments.of_sets(points[None], task.weights))[0]
    residuals = _residuals(task, values)
    units = task.fit.units(task.response_unit)
    misfit = task.lack_of_fit(values)
    if rng is None or plan.resamples == 0:
        estimates = {
            name: Estimate(float(value), unit, None, None, None)
            for name, value, unit in zip(task.fit.parameters, values, units, strict=True)
        }
        return _result(
            task,
            plan,
            points,
            estimates=estimates,
            residuals=residuals,
            message=rejection(misfit) if misfit is not None and misfit.rejected else None,
            misfit=misfit,
        )
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
    elif task.unit == "replicates":
        message = _why_displaced(task, values, finite)
    ends = _ends(finite, values, task.freedom)
    alone: Ends = [None] * len(values)
    if misfit is not None and misfit.rejected:
        alone, plan = ends, replace(plan, unit="cells")
        finite = _drawn_cells(task, points, plan.resamples, rng, workers)
        freedom = np.full(len(values), max(1.0, task.residual_freedom))
        ends = _ends(finite, values, freedom)
        widened = WIDENED if len(finite) else None
        message = " ".join(filter(None, (rejection(misfit), widened, message)))
    errors = _standard_errors(finite)
    estimates = {
        name: Estimate(float(values[i]), units[i], ends[i], errors[i], alone[i])
        for i, name in enumerate(task.fit.parameters)
    }
    covariance = np.atleast_2d(np.cov(finite, rowvar=False)).tolist() if len(finite) else None
    return _result(
        task,
        plan,
        points,
        estimates=estimates,
        residuals=residuals,
        covariance=covariance,
        message=message,
        misfit=misfit,
    )


def _drawn_cells(
    task: _Task, points: Floats, resamples: int, rng: np.random.Generator, workers: int | Over
) -> Floats:
    """Estimates from whole cells drawn with replacement, [b, p]: they scatter by the misfit, too.

    No rows where more resamples than `Bootstrap.carries_intervals` allows determine no estimate.
    """
    one = Groups.by_label(np.zeros(len(points)))
    draws = resample_rows(points, one, task.estimator, resamples, rng, workers, task.weights)
    finite = draws[np.isfinite(draws).all(axis=1)]
    enough = Bootstrap("cells", resamples, None, 1, len(draws) - len(finite)).carries_intervals
    return finite if enough else finite[:0]


def _why_no_interval(task: _Task, plan: Bootstrap) -> str | None:
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


def _why_displaced(task: _Task, values: Floats, draws: Floats) -> str | None:
    biased = np.abs(draws.mean(axis=0) - values) > draws.std(axis=0, ddof=1)
    if not biased.any():
        return None
    names = [name for name, is_so in zip(task.fit.parameters, biased, strict=True) if is_so]
    return (
        f"Noise in the replicates moves {' and '.join(names)} by more than a standard error under "
        f"{task.method}: the estimate is biased by about as much, and the interval alone is "
        "corrected for that. Compare the other methods."
    )


Ends = Sequence[tuple[float, float] | None]


def _ends(draws: Floats, values: Floats, freedom: Floats) -> Ends:
    if len(draws) == 0:
        return [None] * draws.shape[1]
    return percentile_ends(draws, values, freedom)


def _standard_errors(draws: Floats) -> list[float | None]:
    if len(draws) == 0:
        return [None] * draws.shape[1]
    return [float(value) for value in draws.std(axis=0, ddof=1)]


def _residuals(task: _Task, values: Floats) -> list[Residual]:
    observations = task.observations
    observed = observations[:, -1]
    predicted = observations[:, :-1] @ values
    deviation = 100.0 * (predicted - observed) / observed
    return [
        Residual(int(index), float(o), float(p), float(d))
        for index, o, p, d in zip(task.indices, observed, predicted, deviation, strict=True)
    ]


def _refused(task: _Task, plan: Bootstrap, message: str, points: Floats | None) -> FitResult:
    units = task.fit.units(task.response_unit)
    nothing = {
        name: Estimate(None, unit, None, None, None)
        for name, unit in zip(task.fit.parameters, units, strict=True)
    }
    return _result(task, plan, points, estimates=nothing, message=message, identifiable=False)


def _result(
    task: _Task,
    plan: Bootstrap,
    points: Floats | None,
    *,
    estimates: dict[str, Estimate],
    residuals: list[Residual] | None = None,
    covariance: list[list[float]] | None = None,
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
        covariance=covariance,
        diagnostics=_diagnostics(task, points, residuals, misfit),
        residuals=residuals,
        identifiable=identifiable,
        message=message,
        bootstrap=plan,
    )


def _diagnostics(
    task: _Task, points: Floats | None, residuals: list[Residual], misfit: LackOfFit | None
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
