# SPDX-License-Identifier: Apache-2.0
"""What a linear fit is asked for: the table as one matrix, its cells, weights and estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...catalogue import LinearFit, Model, find
from ..methods import METHODS
from .diagnostics import relative_errors
from .errors import FitInputError
from .estimators import ESTIMATORS, Moments, whitened_total_least_squares
from .freedom import satterthwaite, variance_by_cell
from .lack_of_fit import Stated, lack_of_fit, lack_of_fit_of_means
from .non_negative import non_negative
from .plane import relative_errors_of_plane
from .points import Floats, Groups, Integers, matrix, normalised, pooled_noise
from .result import LackOfFit
from .spread import power_of_spread, relative_variance


@dataclass(frozen=True)
class Task:
    """What is asked for: counts and response as one matrix, [n, p + 1], and how to group it."""

    model: Model
    fit: LinearFit
    method: str
    response: str
    response_unit: str
    rows: Floats
    groups: Groups
    unit: Literal["rows", "replicates"]
    stated: Stated | None = None

    @property
    def observations(self) -> Floats:
        """The rows that the model is fitted to: the rows, or the means of cells, [n, p + 1]."""
        return self.rows if self.unit == "rows" else self.groups.means(self.rows)

    @property
    def cells(self) -> Groups:
        """Runs by cell; rows that are no replicates are a cell each."""
        return self.groups if self.unit == "replicates" else Groups.by_label(self.indices)

    @cached_property
    def noise(self) -> tuple[Floats, int]:
        """Covariance within cells, [p + 1, p + 1], and its degrees of freedom."""
        return pooled_noise(self.rows, self.groups)

    @property
    def estimator(self) -> Callable[[Moments], Floats]:
        """From moments to estimates of 0 and more, [b, p]."""
        return partial(non_negative, estimator_of=self.estimator_of)

    def estimator_of(self, columns: Integers) -> Callable[[Moments], Floats]:
        """From moments of some columns to estimates of either sign, [b, columns]."""
        if self.method == "whitened":
            kept = np.append(columns, len(self.fit.columns))
            noise = self.noise[0][np.ix_(kept, kept)]
            return partial(whitened_total_least_squares, noise=noise)
        # a single cost has no plane; weights are in the moments
        least_squares = self.method in ("ols", "ols-hc3", "wls") or len(columns) == 1
        return ESTIMATORS["ols" if least_squares else self.method]

    @cached_property
    def power(self) -> float:
        """How the relative spread of replicates goes with the response (`power_of_spread`)."""
        plain = replace(self, method="ols")
        values = plain.estimator(Moments.of_sets(self.points[None], plain.weights))[0]
        return power_of_spread(self.deviations(values), self.observations[:, -1], self.groups)

    @property
    def variance(self) -> Floats | None:
        """Relative variance of a replicate of each cell, up to a factor; None if all are alike."""
        if self.method != "wls":
            return None
        return relative_variance(self.power, self.observations[:, -1])

    @property
    def weights(self) -> Floats | None:
        """Of each observation; None where they are alike.

        The noise of a cell's mean is that of a replicate over their number, so weights are these
        numbers, over the variance where that is modelled: each run counts once. The paper's total
        least squares weighs all points alike.
        """
        if self.unit == "rows" or self.method == "paper-tls":
            return None
        sizes = self.groups.sizes.astype(np.float64)
        return sizes if self.variance is None else sizes / self.variance

    @cached_property
    def points(self) -> Floats:
        """Observations scaled to the common response, [n, p]."""
        return normalised(self.observations)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the spread of each estimate, [p]."""
        if self.unit == "rows":
            return np.full(len(self.fit.parameters), max(1.0, self.residual_freedom))
        variances = variance_by_cell(self.rows, self.groups, self.estimator, self.weights)
        return satterthwaite(variances, self.groups)

    def relative_errors(self) -> Floats | None:
        """What replicates leave open (`diagnostics.relative_errors`), [2, p]; None without any."""
        noise, freedom = self.noise
        if self.unit != "replicates" or min(freedom, self.residual_freedom) < 1:
            return None
        if self.method not in ("paper-tls", "whitened"):
            return relative_errors(self.points, self.groups.sizes, noise)
        return relative_errors_of_plane(
            self.rows,
            self.groups,
            self.estimator_of(np.arange(len(self.fit.columns))),
            noise,
            self.weights,
            allows_for_noise=self.method == "whitened",
        )

    @property
    def residual_freedom(self) -> int:
        """Observations less parameters."""
        return len(self.indices) - len(self.fit.parameters)

    def deviations(self, values: Floats) -> Floats:
        """Of estimates [p] from each run, relative to the mean response of its cell, [N]."""
        deviations: Floats = (self.rows[:, :-1] @ values - self.rows[:, -1]) / self.of_each_run(
            self.observations[:, -1]
        )
        return deviations

    def of_each_run(self, of_cells: Floats) -> Floats:
        """Repeat what belongs to a cell for each of its runs, in the order of the table."""
        if self.unit == "rows":
            return of_cells
        each = np.empty(len(self.rows))
        each[self.groups.order] = np.repeat(of_cells, self.groups.sizes)
        return each

    def without(self, rows: NDArray[np.intp]) -> Task:
        """The same question of the other runs; a cell may be left with fewer of its own."""
        kept = np.delete(np.arange(len(self.rows)), rows)
        cells = self.of_each_run(np.arange(self.groups.count, dtype=np.float64))
        return replace(self, rows=self.rows[kept], groups=Groups.by_label(cells[kept]))

    def lack_of_fit(self, values: Floats, counting: NDArray[np.bool_] | None) -> LackOfFit | None:
        """Test estimates [p] against the replicates, or what means say of theirs; None without any.

        Args:
            values: the estimates; what is held at 0 takes no degree of freedom.
            counting: runs that the test is made of; all by default.
        """
        parameters = int(np.count_nonzero(values))
        if self.unit == "rows":
            return self._lack_of_fit_of_means(values, parameters, counting)
        deviations = self.deviations(values)
        weight = None if self.variance is None else 1.0 / self.of_each_run(self.variance)
        if counting is None:
            return lack_of_fit(deviations, self.groups, parameters, weight)
        cells = np.empty(len(self.rows), dtype=np.intp)
        cells[self.groups.order] = np.repeat(np.arange(self.groups.count), self.groups.sizes)
        return lack_of_fit(deviations[counting], Groups.by_label(cells[counting]), parameters)

    def _lack_of_fit_of_means(
        self, values: Floats, parameters: int, counting: NDArray[np.bool_] | None
    ) -> LackOfFit | None:
        """Of runs behind a mean, deviations from the model are at most those of all columns added.

        How counts and response go together is not said.
        """
        if self.stated is None or self.response not in self.stated.spread:
            return None
        response = self.rows[:, -1]
        most = np.array(self.stated.spread[self.response], dtype=np.float64)
        for column, cost in zip(self.fit.columns, values, strict=True):
            most += cost * np.nan_to_num(self.stated.spread.get(column, np.zeros(len(most))))
        those = slice(None) if counting is None else counting
        return lack_of_fit_of_means(
            self.deviations(values)[those],
            self.stated.numbers[those],
            (most / response)[those],
            parameters,
            bounded=bool(np.any(most > np.nan_to_num(self.stated.spread[self.response]))),
        )

    @property
    def indices(self) -> NDArray[np.intp]:
        """Row of the table that each observation (first) comes from."""
        return np.arange(len(self.rows)) if self.unit == "rows" else self.groups.first_rows


def read_task(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    method: str,
    *,
    response: str | None,
    response_unit: str | None,
    strata: ArrayLike | None,
    cells: ArrayLike | None,
    base: bool,
    stated: Stated | None = None,
) -> Task:
    """Check arguments and table. Errors: as `fit_linear` says."""
    model = find(model) if isinstance(model, str) else model
    fit = model.linear_fit
    if fit is None:
        raise FitInputError("model", f"{model.id} has no linear fit")
    if method not in METHODS:
        raise FitInputError("method", f"there is no method {method!r}; there are {METHODS}")
    if strata is not None and cells is not None:
        raise FitInputError("strata", "give strata or cells, not both: a cell is a stratum")
    if base:
        if fit.base is None:
            raise FitInputError("base", f"{model.id} has no base")
        fit = fit.with_base()
    response = _response(fit, table) if response is None else response
    rows = matrix(table, (*fit.columns, response))
    labels = cells if cells is not None else strata
    return Task(
        model=model,
        fit=fit,
        method=method,
        response=response,
        response_unit=fit.responses.get(response, "") if response_unit is None else response_unit,
        rows=rows,
        groups=_groups("strata" if cells is None else "cells", labels, len(rows)),
        unit="rows" if cells is None else "replicates",
        stated=stated,
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
