# SPDX-License-Identifier: Apache-2.0
"""Fit the parameters of any traced model to a measure, with bounds, derivatives from its graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...catalogue import Model, Parameter, find, must_be
from ...expr import value_and_derivatives
from ..statistics import Timeline
from .bootstrap import Replicates, percentile_ends
from .dependence import in_view_of, without_intervals
from .diagnostics import CONDITION_LIMIT, condition_number, variance_inflation
from .distributions import t_quantile
from .errors import FitInputError
from .freedom import satterthwaite
from .lack_of_fit import WIDENED, Stated, lack_of_fit, lack_of_fit_of_means, rejection
from .least_squares import ITERATIONS, Integers, Minimum, minimise
from .points import Floats, Groups, matrix
from .result import ONE_RESAMPLE, Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual
from .robust import OUTLIER, outlying, robust_nonlinear_fit, told_of_weights

#: How the deviations are weighed: in percent of what was observed, or in its own unit.
Weighting = Literal["relative", "absolute"]
#: What a fit imports, not at start-up: it takes a second.
LATE_LIBRARIES = ("scipy.optimize", "scipy.special", "scipy.stats")

_STARTS = 24
#: Steps of a resample's search, which starts at the estimate; most take 5 to 15.
_RESAMPLE_ITERATIONS = 60
#: Numbers that all nodes of the graph and their derivatives may hold at once.
_MOST_NUMBERS = 8_000_000
_AT_BOUND = 1e-9
#: Ends of the searches that are refined, and relative differences of cost within which two are one.
_REFINED = 3
_SAME_MINIMUM = 1e-6
#: Steps of a refinement, and the relative change at which it ends: what doubles can tell.
_MOST_STEPS = 1000
_FINEST = 1e-15
#: What stands for a deviation that is not finite.
_FAR = 1e150
#: Ends of a slider from whose ratio on the page moves it in logarithms (frontend/src/state/fit.ts).
_DECADES = 50.0
#: Share of resamples at a bound from which on their mean says nothing about bias.
_CUT_OFF = 0.01
_UNMOVED = 1e-12
#: Condition number beyond which rounding decides over the estimates.
RANK_LIMIT = 1e10
#: Standard error over the size of the estimate beyond which parameters that rise and fall together
#: are not named: the 95 % interval then spans from nothing to twice the estimate.
RELATIVE_ERROR_LIMIT = 0.5


@dataclass(frozen=True)
class _Task:
    """What is asked for.

    Attributes:
        model: with its graph.
        output: the output that is compared with the measure.
        free: the parameters to fit.
        values: of each input [n] and each held parameter.
        observed: the measure at each point, [n].
        replicates: of the measure, in the order of the table, [rows].
        groups: of rows, one for each point.
        weighting: of the deviations.
        robust: whether outlying runs count less.
        stated: of points that are means, what is said of their runs.
    """

    model: Model
    output: str
    free: tuple[Parameter, ...]
    values: Mapping[str, Any]
    observed: Floats
    replicates: Floats
    groups: Groups
    weighting: Weighting
    robust: bool
    stated: Stated | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the free parameters."""
        return tuple(parameter.name for parameter in self.free)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Of the free parameters: their quantities' domains, or what the user's model says."""
        lo, hi = zip(*(parameter.bounds for parameter in self.free), strict=True)
        return np.array(lo), np.array(hi)

    def predict(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Values [b, n] and derivatives [b, n, p] at parameters [b, p]."""
        columns = {name: parameters[:, k : k + 1] for k, name in enumerate(self.names)}
        value, slopes = value_and_derivatives(
            self.model.graph, self.output, {**self.values, **columns}, self.names, np
        )
        shape = (len(parameters), len(self.observed))
        jacobian = [np.broadcast_to(slopes[name], shape) for name in self.names]
        return np.broadcast_to(value, shape), np.stack(jacobian, axis=-1)

    def units(self, observed: Floats) -> Floats:
        """What one unit of deviation of a run is, for observations of any shape."""
        return np.abs(observed) if self.weighting == "relative" else np.ones_like(observed)

    def scales(self, observed: Floats) -> Floats:
        """The same of the mean of a point's runs, for observations [..., n].

        Runs count alike, so that the mean of many counts more than that of few.
        """
        return self.units(observed) / np.sqrt(self.groups.sizes)

    def solve(self, observed: Floats, start: Floats, iterations: int) -> Minimum:
        """Search minima for observations [b, n] from starts [b, p]."""
        scale = self.scales(observed)

        def residuals(parameters: Floats, which: Integers) -> tuple[Floats, Floats]:
            predicted, slopes = self.predict(parameters)
            unit = scale[which]
            return (predicted - observed[which]) / unit, slopes / unit[:, :, None]

        return minimise(residuals, start, *self.bounds, iterations)


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

    Returns:
        The fit, as `fit_linear` gives it, with method "nonlinear" or "nonlinear-robust". No
        interval leaves the bounds. Of a parameter whose truth is a bound, only the other end can
        miss it: a nominal 95 % are 97.5 % or a little more there. The other parameters' intervals
        keep theirs.

    Raises:
        UnknownModelError: there is no such model.
        FitInputError: a column or a name is missing or wrong, or a value is not finite.
    """
    task = _read(model, table, output, free, response, held or {}, cells, weighting, robust)
    task = replace(task, stated=stated if cells is None else None)
    if resamples < 0:
        raise FitInputError("resamples", "resamples must not be negative")
    if resamples and cells is not None and rng is None:
        raise FitInputError("rng", "a bootstrap needs a generator or a seed")
    plan = Bootstrap(
        unit="rows" if cells is None else "replicates",
        resamples=0 if cells is None or robust else resamples,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        strata=task.groups.count,
        degenerate=0,
    )
    name = task.output if response is None else response
    message = _why_no_points(task)
    if message is not None:
        return _result(task, plan, name, message=message)
    values = _best(task)
    if values is None:
        return _result(task, plan, name, message="The search found no minimum within the bounds.")
    message = _why_not_identifiable(task, values)
    if message is not None:
        return _result(task, plan, name, message=message, at=values, identifiable=False)
    if robust:
        values, result = _robust(task, plan, name, values)
    else:
        draws = None
        if plan.resamples and rng is not None:
            draws = _bootstrap(task, values, plan.resamples, np.random.default_rng(rng))
        result = _fitted(task, plan, name, values, draws)
    if cells is not None and not robust:
        found = len(outlying(_deviations(task, values), task.groups))
        result = without_intervals(result, _why_outliers(found)) if found else result
    if when is None or cells is None or not result.identifiable:
        return result

    def refit(rows: NDArray[np.intp]) -> FitResult:
        columns = {key: np.asarray(column)[rows] for key, column in table.items()}
        return fit_nonlinear(
            model,
            columns,
            output,
            free,
            response=response,
            held=held,
            cells=np.asarray(cells)[rows],
            weighting=weighting,
            robust=robust,
            resamples=0,
        )

    return in_view_of(
        when,
        result,
        _over_predicted(task, values).tolist(),
        np.asarray(cells).tolist(),
        refit,
        {own.name: own.bounds for own in task.free},
    )


def _why_outliers(found: int) -> str:
    return (
        f"{'1 run does' if found == 1 else f'{found} runs do'} not belong with the others of "
        "their cell: no interval is given; fit robustly, leave them out, or measure again."
    )


def _by_run(task: _Task, of_points: Floats) -> Floats:
    """What belongs to points, [n], for each of their runs in the order of the table, [rows]."""
    rows = np.empty(len(task.replicates))
    rows[task.groups.order] = np.repeat(of_points, task.groups.sizes)
    return rows


def _deviations(task: _Task, values: Floats) -> Floats:
    """Deviations of the model from each run, as they are weighed, [rows]."""
    predicted, _ = task.predict(values[None])
    off: Floats = _by_run(task, predicted[0]) - task.replicates
    return off / _by_run(task, task.units(task.observed))


def _over_predicted(task: _Task, values: Floats) -> Floats:
    """Each replicate over what the model predicts for its cell; 1 where that is zero."""
    predicted, _ = task.predict(values[None])
    rows = _by_run(task, predicted[0])
    over: Floats = np.divide(task.replicates, rows, out=np.ones_like(rows), where=rows != 0.0)
    return over


def most_work(model: Model, points: int, free: int, resamples: int) -> int:
    """Return how many numbers a fit computes at most.

    Each node of the graph and its derivatives, at each point, in each step of each search.
    """
    searches = ITERATIONS * (1 + _STARTS) + _MOST_STEPS * (1 + _REFINED)
    steps = searches + _RESAMPLE_ITERATIONS * resamples
    return steps * points * len(model.graph.nodes) * (1 + free)


def _read(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    output: str,
    free: Sequence[str],
    response: str | None,
    held: Mapping[str, float],
    cells: ArrayLike | None,
    weighting: Weighting,
    robust: bool,
) -> _Task:
    model = find(model) if isinstance(model, str) else model
    parameters = {parameter.name: parameter for parameter in model.parameters}
    if output not in model.graph.outputs:
        raise FitInputError("output", f"{model.id} has no output {output!r}")
    if not free or len(set(free)) != len(free):
        raise FitInputError("free", "name at least one parameter to fit, each once")
    for name in (*free, *held):
        if name not in parameters:
            known = ", ".join(parameters)
            raise FitInputError(name, f"{model.id} has no parameter {name!r}; it has {known}")
    for name, value in held.items():
        if not parameters[name].quantity.contains(value):
            raise FitInputError(name, f"{must_be(parameters[name].quantity)}, not {value:g}")
    clash = [name for name in free if name in held]
    if clash:
        raise FitInputError(clash[0], f"{clash[0]} is both held and free")
    if weighting not in ("relative", "absolute"):
        raise FitInputError("weighting", 'the weighting is "relative" or "absolute"')
    columns = [quantity.name for quantity in model.inputs]
    response = output if response is None else response
    rows = matrix(table, (*columns, response))
    _check_columns(rows, model, response)
    labels = np.arange(len(rows)) if cells is None else np.asarray(cells)
    if labels.shape != (len(rows),):
        raise FitInputError("cells", "cells must have one label for each row")
    groups = Groups.by_label(labels)
    means = groups.means(rows)
    values: dict[str, Any] = {**model.defaults, **held}
    values |= {name: means[:, k] for k, name in enumerate(columns)}
    for name in free:
        del values[name]
    return _Task(
        model=model,
        output=output,
        free=tuple(parameters[name] for name in free),
        values=values,
        observed=means[:, -1],
        replicates=rows[:, -1],
        groups=groups,
        weighting=weighting,
        robust=robust,
        stated=None,
    )


def _check_columns(rows: Floats, model: Model, response: str) -> None:
    """Refuse what is not finite, and inputs outside the domain of their quantity."""
    for quantity, column in zip(model.inputs, rows.T, strict=False):
        _check_column(quantity.name, column)
        inside = np.array([quantity.contains(float(value)) for value in column])
        if not inside.all():
            row = int(np.argmin(inside))
            raise FitInputError(
                quantity.name,
                f"row {row + 1} of {quantity.name} is {column[row]:g}; {must_be(quantity)}",
            )
    _check_column(response, rows[:, -1])


def _check_column(name: str, column: Floats) -> None:
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise FitInputError(name, f"row {bad[0] + 1} of {name} is not a finite number")


def _why_no_points(task: _Task) -> str | None:
    points, wanted = len(task.observed), len(task.free)
    if points < wanted:
        return f"{points} settings cannot determine {wanted} parameters: measure at least {wanted}."
    if task.weighting == "relative" and not np.all(task.observed > 0.0):
        return "Relative deviations need positive observations: weigh absolute ones instead."
    return None


def _best(task: _Task) -> Floats | None:
    """Search from several starts at once, then refine the best ends; return the best, [p]."""
    spread = _evenly_spread(_STARTS, len(task.free))
    columns = [_spread_over(p, own) for p, own in zip(task.free, spread.T, strict=True)]
    starts = np.vstack([[p.default for p in task.free], np.column_stack(columns)])
    observed = np.broadcast_to(task.observed, (len(starts), len(task.observed)))
    found = task.solve(observed, starts, ITERATIONS)
    best: tuple[float, Floats] | None = None
    default = [] if found.converged[0] else [starts[0]]
    for start in (*_distinct(found), *default):
        refined = _refined(task, start)
        if refined is not None and (best is None or refined[0] < best[0]):
            best = refined
    return None if best is None else best[1]


def _distinct(found: Minimum) -> list[Floats]:
    """The best end of a search, and others that may come below it, as they had not settled."""
    chosen: list[int] = []
    for k in np.argsort(found.cost, kind="stable"):
        cost = found.cost[k]
        alike = [c for c in chosen if cost <= found.cost[c] * (1.0 + _SAME_MINIMUM)]
        open_still = not chosen or not found.converged[k]
        if np.isfinite(cost) and open_still and not alike and len(chosen) < _REFINED:
            chosen.append(int(k))
    return [found.values[k] for k in chosen]


def _refined(task: _Task, start: Floats) -> tuple[float, Floats] | None:
    """Cost and values of the minimum by scipy from a start, [p]; None where there is none.

    MINPACK's Levenberg-Marquardt where nothing is bounded, else dogleg steps in a box, which end on
    a bound and not close to it.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  not at start-up

    lo, hi = task.bounds
    bounded = bool(np.isfinite(lo).any() or np.isfinite(hi).any())
    scale = task.scales(task.observed)

    def residuals(values: Floats) -> Floats:
        predicted, _ = task.predict(values[None])
        off: Floats = (predicted[0] - task.observed) / scale
        return np.nan_to_num(off, nan=_FAR, posinf=_FAR, neginf=-_FAR)

    def slopes(values: Floats) -> Floats:
        return np.nan_to_num(_scaled_jacobian(task, values), posinf=_FAR, neginf=-_FAR)

    try:
        found = least_squares(
            residuals,
            np.clip(start, lo, hi),
            slopes,
            (lo, hi),
            "dogbox" if bounded or len(scale) < len(start) else "lm",
            ftol=_FINEST,
            xtol=_FINEST,
            gtol=_FINEST,
            x_scale="jac",
            max_nfev=_MOST_STEPS,
        )
    except (ValueError, np.linalg.LinAlgError):
        return None
    settled = found.status > 0 and np.isfinite(found.x).all() and found.cost < _FAR
    return (float(found.cost), np.asarray(found.x)) if settled else None


def _spread_over(parameter: Parameter, shares: Floats) -> Floats:
    """From shares of 1 to values of the slider, by ratios where it spans decades."""
    lo, hi = parameter.lo, parameter.hi
    if lo > 0.0 and hi / lo >= _DECADES:
        by_ratio: Floats = lo * (hi / lo) ** shares
        return by_ratio
    return lo + (hi - lo) * shares


def _evenly_spread(count: int, dimensions: int) -> Floats:
    """Points of Halton's sequence in the unit cube, [count, dimensions]; the same every time."""
    from scipy.stats import qmc  # noqa: PLC0415  not at start-up

    sequence = qmc.Halton(dimensions, scramble=False)
    sequence.fast_forward(1)  # the first is a corner
    points: Floats = sequence.random(count)
    return points


def _scaled_jacobian(task: _Task, values: Floats) -> Floats:
    _, slopes = task.predict(values[None])
    jacobian: Floats = slopes[0] / task.scales(task.observed)[:, None]
    return jacobian


def _why_not_identifiable(task: _Task, values: Floats) -> str | None:
    jacobian = _scaled_jacobian(task, values)
    lengths = np.linalg.norm(jacobian, axis=0)
    size = np.maximum(np.abs(values), [p.step for p in task.free])
    unmoved = [n for n, c in zip(task.names, lengths * size, strict=True) if not c > _UNMOVED]
    if unmoved:
        return (
            f"{' and '.join(unmoved)} does not move {task.output} at these settings, or only in "
            "steps: nothing is known of it. Hold it, or measure where it matters."
        )
    condition = condition_number(jacobian)
    if condition is not None and condition <= CONDITION_LIMIT:
        return None
    _, _, right = np.linalg.svd(jacobian / lengths, full_matrices=True)
    involved = np.flatnonzero(np.abs(right[-1]) > 0.2)
    why = f"condition number {'infinite' if condition is None else f'{condition:,.0f}'}"
    if condition is not None and condition <= RANK_LIMIT:
        relative = _relative_errors(task, values)
        if relative is not None:
            largest = float(relative[involved].max())
            if largest <= RELATIVE_ERROR_LIMIT:
                return None
            shown = f"{100.0 * largest:,.0f} %" if largest < 1e4 else "far more"
            why = f"a standard error is {shown} of its estimate; {why}"
    together = " and ".join(task.names[k] for k in involved)
    return (
        f"{together} cannot be told apart at these settings ({why}). Hold one of them, or measure "
        "further settings."
    )


def _relative_errors(task: _Task, values: Floats) -> Floats | None:
    """Standard errors over the sizes of the estimates, [p]; None without points to spare."""
    covariance = _curvature_covariance(task, values)
    if covariance is None:
        return None
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    size = np.maximum(np.abs(values), [parameter.step for parameter in task.free])
    relative: Floats = errors / size
    return relative


def _bootstrap(task: _Task, values: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Refit resampled replicates, [resamples, p]."""
    replicates = Replicates.of(task.replicates[:, None], task.groups)
    observed = replicates.means(resamples, rng)[:, :, 0]
    each = task.groups.count * len(task.model.graph.nodes) * (1 + len(values))
    most = max(1, _MOST_NUMBERS // each)
    starts = np.broadcast_to(values, (resamples, len(values)))
    parts = [slice(first, first + most) for first in range(0, resamples, most)]
    return np.concatenate(
        [task.solve(observed[p], starts[p], _RESAMPLE_ITERATIONS).found for p in parts]
    )


def _lack_of_fit(
    task: _Task, response: str, values: Floats, counting: NDArray[np.bool_]
) -> LackOfFit | None:
    """Test the model against the replicates that count, or what means say of theirs."""
    off = _deviations(task, values)[counting]
    if task.stated is not None and response in task.stated.spread:
        spread = task.stated.spread[response] / task.units(task.replicates)
        return lack_of_fit_of_means(
            off, task.stated.numbers[counting], spread[counting], len(values)
        )
    labels = _by_run(task, np.arange(task.groups.count, dtype=np.float64))
    return lack_of_fit(off, Groups.by_label(labels[counting]), len(values))


def _fitted(
    task: _Task, plan: Bootstrap, response: str, values: Floats, draws: Floats | None
) -> FitResult:
    misfit = _lack_of_fit(task, response, values, np.ones(len(task.replicates), dtype=bool))
    if draws is None:
        covariance = _curvature_covariance(task, values)
        message = None
    else:
        finite = draws[np.isfinite(draws).all(axis=1)]
        plan = replace(plan, degenerate=len(draws) - len(finite))
        message = _why_no_interval(task, plan)
        draws = finite if message is None else None
        covariance = None if draws is None else _covariance(draws)
    errors = _standard_errors(task, covariance)
    ends = _ends(task, values, draws, errors)
    alone: Ends = [None] * len(values)
    if misfit is not None and misfit.rejected:
        if task.stated is None:
            alone = ends
        covariance = _curvature_covariance(task, values)
        plan = replace(plan, unit="cells")
        errors = _standard_errors(task, covariance)
        ends = _ends(task, values, None, errors)
        widened = None if covariance is None else WIDENED
        message = " ".join(filter(None, (rejection(misfit), widened, message)))
    estimates = {
        parameter.name: Estimate(
            float(values[k]), parameter.quantity.unit, ends[k], errors[k], alone[k]
        )
        for k, parameter in enumerate(task.free)
    }
    message = " ".join(filter(None, (_at_bound(task, values), message))) or None
    return _result(
        task,
        plan,
        response,
        estimates=estimates,
        at=values,
        covariance=None if covariance is None else covariance.tolist(),
        message=message,
        misfit=misfit,
    )


def _robust(task: _Task, plan: Bootstrap, response: str, start: Floats) -> tuple[Floats, FitResult]:
    """Fit by Tukey's bisquare, with intervals from its scores; returns where it ended, too."""
    unit = _by_run(task, task.units(task.observed))

    def slopes(values: Floats) -> Floats:
        _, found = task.predict(values[None])
        each = np.column_stack([_by_run(task, column) for column in found[0].T])
        return each / unit[:, None]

    found = robust_nonlinear_fit(
        lambda values: _deviations(task, values), slopes, start, task.bounds, task.groups
    )
    if found is None:
        why = "No robust fit: the search found no minimum; fit by least squares."
        return start, _result(task, plan, response, message=why)
    values = found.values
    counting = found.weights >= OUTLIER
    misfit = _lack_of_fit(task, response, values, counting)
    rejected = misfit is not None and misfit.rejected
    covariance, freedom = found.by_runs, len(unit) - len(values)
    alone: Ends = [None] * len(values)
    said = [_at_bound(task, values)]
    if misfit is not None and rejected:
        alone = _student_ends(task, values, covariance, freedom)
        covariance, freedom = found.by_cells, task.groups.count - len(values)
        plan = replace(plan, unit="cells")
        said += [rejection(misfit), WIDENED]
    said.append(told_of_weights(counting))
    ends = _student_ends(task, values, covariance, freedom)
    errors = _standard_errors(task, covariance)
    estimates = {
        own.name: Estimate(float(values[k]), own.quantity.unit, ends[k], errors[k], alone[k])
        for k, own in enumerate(task.free)
    }
    return values, _result(
        task,
        plan,
        response,
        estimates=estimates,
        at=values,
        covariance=covariance.tolist(),
        message=" ".join(filter(None, said)) or None,
        misfit=misfit,
    )


def _student_ends(task: _Task, values: Floats, covariance: Floats, freedom: int) -> Ends:
    if freedom < 1:
        return [None] * len(values)
    half = t_quantile(0.975, freedom) * np.sqrt(np.diag(covariance))
    return _within_bounds(task, [(v - h, v + h) for v, h in zip(values, half, strict=True)])


def _at_bound(task: _Task, values: Floats) -> str | None:
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


def _why_no_interval(task: _Task, plan: Bootstrap) -> str | None:
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


def _covariance(draws: Floats) -> Floats:
    covariance: Floats = np.atleast_2d(np.cov(draws, rowvar=False)).astype(np.float64)
    return covariance


def _curvature_covariance(task: _Task, values: Floats) -> Floats | None:
    """s² (JᵀJ)⁻¹, for points that have no replicates."""
    freedom = len(task.observed) - len(values)
    if freedom < 1:
        return None
    jacobian = _scaled_jacobian(task, values)
    predicted, _ = task.predict(values[None])
    deviations = (predicted[0] - task.observed) / task.scales(task.observed)
    variance = float(deviations @ deviations) / freedom
    # by singular values of columns of unit length: the normal equations would square the condition
    lengths = np.linalg.norm(jacobian, axis=0)
    _, singular, right = np.linalg.svd(jacobian / lengths, full_matrices=False)
    inverse: Floats = (right.T / singular**2) @ right / np.outer(lengths, lengths)
    return variance * inverse


def _standard_errors(task: _Task, covariance: Floats | None) -> list[float | None]:
    if covariance is None:
        return [None] * len(task.free)
    return [float(np.sqrt(max(variance, 0.0))) for variance in np.diag(covariance)]


Ends = Sequence[tuple[float, float] | None]


def _ends(
    task: _Task, values: Floats, draws: Floats | None, errors: Sequence[float | None]
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


def _within_bounds(task: _Task, ends: Ends) -> Ends:
    return [
        None if own is None else tuple(np.clip(own, *parameter.bounds).tolist())
        for own, parameter in zip(ends, task.free, strict=True)
    ]


def _student(task: _Task, value: float, error: float | None) -> tuple[float, float] | None:
    if error is None:
        return None
    half = t_quantile(0.975, len(task.observed) - len(task.free)) * error
    return float(value - half), float(value + half)


def _variance_by_cell(task: _Task, values: Floats) -> Floats:
    """What each cell's replicates add to the variance of the estimates, [cells, p]; first order."""
    jacobian = _scaled_jacobian(task, values)
    slopes = np.linalg.pinv(jacobian).T / task.scales(task.observed)[:, None]
    sizes = task.groups.sizes
    own = task.replicates[task.groups.order]
    squares = (own - np.repeat(task.observed, sizes)) ** 2
    sums = np.add.reduceat(squares, task.groups.starts)
    variances: Floats = slopes**2 * (sums / (sizes * np.maximum(sizes - 1, 1)))[:, None]
    return variances


def _result(
    task: _Task,
    plan: Bootstrap,
    response: str,
    *,
    estimates: dict[str, Estimate] | None = None,
    at: Floats | None = None,
    covariance: list[list[float]] | None = None,
    message: str | None = None,
    identifiable: bool = True,
    misfit: LackOfFit | None = None,
) -> FitResult:
    known = estimates is not None
    if estimates is None:
        estimates = {p.name: Estimate(None, p.quantity.unit, None, None, None) for p in task.free}
    units = {quantity.name: quantity.unit for quantity in task.model.outputs}
    residuals = _residuals(task, at) if known and at is not None else []
    jacobian = None if at is None else _scaled_jacobian(task, at)
    return FitResult(
        model=task.model.id,
        method="nonlinear-robust" if task.robust else "nonlinear",
        response=response,
        response_unit=units[task.output],
        n=len(task.observed),
        estimates=estimates,
        covariance=covariance,
        diagnostics=_diagnostics(task, jacobian, residuals, misfit),
        residuals=residuals,
        identifiable=identifiable and known,
        message=message,
        bootstrap=plan,
    )


def _residuals(task: _Task, values: Floats) -> list[Residual]:
    predicted, _ = task.predict(values[None])
    rows = task.groups.first_rows
    return [
        Residual(int(row), float(o), float(p), float(100.0 * (p - o) / o) if o else 0.0)
        for row, o, p in zip(rows, task.observed, predicted[0], strict=True)
    ]


def _diagnostics(
    task: _Task,
    jacobian: Floats | None,
    residuals: Sequence[Residual],
    misfit: LackOfFit | None,
) -> Diagnostics:
    freedom = len(task.observed) - len(task.free)
    moved = jacobian is not None and bool(np.linalg.norm(jacobian, axis=0).all())
    inflation: Sequence[float | None] = [None] * len(task.free)
    condition = None
    if jacobian is not None and moved:
        inflation, condition = variance_inflation(jacobian), condition_number(jacobian)
    deviations = np.array([residual.deviation_percent for residual in residuals])
    spread = float(np.sqrt(np.sum(deviations**2) / freedom)) if freedom > 0 else None
    return Diagnostics(
        condition_number=condition,
        variance_inflation=dict(zip(task.names, inflation, strict=True)),
        max_abs_deviation_percent=float(np.max(np.abs(deviations))) if residuals else None,
        residual_sd_percent=spread if residuals else None,
        degrees_of_freedom=freedom,
        lack_of_fit=misfit,
    )
