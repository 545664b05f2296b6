# SPDX-License-Identifier: Apache-2.0
"""Fit a model that is linear in its parameters to a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....catalogue import Model
from ...methods import DEFAULT_METHOD
from ...statistics import Timeline
from ..bootstrap import Over
from ..dependence import in_view_of
from ..determination import saturated, with_poorly_determined
from ..diagnostics import (
    NO_REPLICATES,
    caution,
    why_no_plane,
    why_no_points,
    why_no_whitening,
    why_not_identifiable,
)
from ..disagreement import disagreement
from ..errors import FitInputError
from ..independent_only import conditional_where_doubtful
from ..lack_of_fit import Stated
from ..outlying_runs import in_view_of_outliers
from ..points import Floats
from ..result import Bootstrap, FitResult
from ..spread import why_no_power
from ..task import Task, read_task
from .resamples import fit_by_resamples
from .result import refused
from .scores import OF_SCORES, fit_by_scores

#: Resamples of a method that is only compared with.
_COMPARED = 400
_NONE_OUTLYING = (
    "No robust fit: there are as many runs as parameters, so that none can be seen to be an "
    "outlier. Measure further settings, or compare another method."
)
#: Methods that a fit is compared with; each reacts to something else.
_OTHERS = ("ols", "whitened", "paper-tls")


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
        no values, and a message that says why; that is not an error. Where runs are outlying and
        the fit without them is another, no interval is given but by "robust", and the message
        says so. Where replicates reject the model, or runs are too few to show whether they are
        independent, intervals are given on that condition only (`ci95_if_independent`). The message
        also says where a cost is held at 0, a parameter is poorly determined, replicates reject the
        model, nothing is left to judge the fit by, or other methods disagree beyond their
        intervals.

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
        resamples=0 if method in OF_SCORES else resamples,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        strata=task.groups.count,
        degenerate=0,
    )
    generator = np.random.default_rng(rng) if resamples and rng is not None else None
    few = replace(plan, resamples=min(resamples, _COMPARED))
    result = _fitted(task, plan, generator, workers)
    compared, left = (None, None) if generator is None else generator.spawn(2)
    if result.identifiable and (generator is not None or method in OF_SCORES):
        result = _in_view_of_outliers(
            task, result, lambda rows: _fitted(task.without(rows), plan, left, workers)
        )
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
    result = with_poorly_determined(result)
    if compared is None or not result.identifiable:
        return conditional_where_doubtful(result)
    others = [
        _fitted(replace(task, method=other), few, compared, 1)
        for other in _OTHERS
        if other != method
    ]
    return conditional_where_doubtful(_saying(result, disagreement(result, others)))


def _in_view_of_outliers(
    task: Task, result: FitResult, refit: Callable[[NDArray[np.intp]], FitResult]
) -> FitResult:
    if task.method == "robust" or task.unit == "rows":
        return result
    return in_view_of_outliers(result, task.deviations(_values(result)), task.groups, refit)


def _values(result: FitResult) -> Floats:
    return np.array([own.value for own in result.estimates.values()], dtype=np.float64)


def _saying(result: FitResult, *more: str | None) -> FitResult:
    return replace(result, message=" ".join(filter(None, (result.message, *more))) or None)


def _fitted(
    task: Task, plan: Bootstrap, rng: np.random.Generator | None, workers: int | Over
) -> FitResult:
    message = _why_no_fit(task)
    if message is not None:
        usable = why_no_points(task.rows[:, :-1], task.rows[:, -1], task.fit) is None
        enough = len(task.indices) >= len(task.fit.parameters)
        return refused(task, plan, message, task.points if usable and enough else None)
    scored = task.method in OF_SCORES
    result = fit_by_scores(task, plan) if scored else fit_by_resamples(task, plan, rng, workers)
    if not result.identifiable:
        return result
    left = saturated(len(task.indices), len(task.fit.parameters))
    return _saying(result, left, caution(task.points, task.fit))


def _why_no_fit(task: Task) -> str | None:
    observations = task.observations
    message = why_no_points(task.rows[:, :-1], task.rows[:, -1], task.fit)
    if message is None and len(observations) < len(task.fit.parameters):
        message = why_no_points(observations[:, :-1], observations[:, -1], task.fit)
    if message is None:
        message = why_not_identifiable(task.points, task.fit, task.relative_errors)
    if message is None and task.method == "robust" and len(task.rows) <= len(task.fit.parameters):
        message = _NONE_OUTLYING
    if message is None and task.method == "paper-tls":
        message = why_no_plane(task.points, task.fit)
    if message is None and task.method in ("whitened", "wls") and task.unit == "rows":
        message = NO_REPLICATES
    if message is None and task.method == "whitened":
        message = why_no_whitening(*task.noise, task.points)
    if message is None and task.method == "wls":
        message = why_no_power(task.groups)
    return message
