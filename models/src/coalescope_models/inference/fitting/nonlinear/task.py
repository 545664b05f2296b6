# SPDX-License-Identifier: Apache-2.0
"""What a fit of a traced model is asked, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ....catalogue import Model, Parameter, find, must_be
from ....expr import Differentiable
from ....vocabulary.quantity import Quantity
from ..errors import FitInputError
from ..lack_of_fit import Stated
from ..least_squares import Integers, Minimum, minimise
from ..points import Floats, Groups, matrix

#: How the deviations are weighed: in percent of what was observed, or in its own unit.
Weighting = Literal["relative", "absolute"]


@dataclass(frozen=True)
class Task:
    """What is asked for, and what the model says of it.

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

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the free parameters."""
        return tuple(parameter.name for parameter in self.free)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Of the free parameters: their quantities' domains, or what the user's model says."""
        lo, hi = zip(*(parameter.bounds for parameter in self.free), strict=True)
        return np.array(lo), np.array(hi)

    @cached_property
    def _model(self) -> Differentiable:
        return Differentiable(self.model.graph, self.output, self.values, self.names, np)

    def __getstate__(self) -> dict[str, Any]:
        """What is asked: on another machine the model is prepared there."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def predict(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Values [b, n] and derivatives [b, n, p] at parameters [b, p]."""
        value, slopes = self._model.at(self._columns(parameters))
        shape = (len(parameters), len(self.observed))
        jacobian = np.empty((*shape, len(self.names)))
        for k, name in enumerate(self.names):
            jacobian[:, :, k] = slopes[name]
        return np.broadcast_to(value, shape), jacobian

    def predicted(self, values: Floats) -> Floats:
        """The values alone, [n], at parameters [p]: what derivatives cost is most of `predict`."""
        value = self._model.value(self._columns(values[None]))
        found: Floats = np.broadcast_to(value, (1, len(self.observed)))[0]
        return found

    def _columns(self, parameters: Floats) -> dict[str, Floats]:
        return {name: parameters[:, k : k + 1] for k, name in enumerate(self.names)}

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

    def scaled_jacobian(self, values: Floats) -> Floats:
        """Derivatives at parameters [p], over what a unit of deviation is, [n, p]."""
        _, slopes = self.predict(values[None])
        jacobian: Floats = slopes[0] / self.scales(self.observed)[:, None]
        return jacobian

    def by_run(self, of_points: Floats) -> Floats:
        """What belongs to points, [n], for each of their runs in the order of the table, [rows]."""
        rows = np.empty(len(self.replicates))
        rows[self.groups.order] = np.repeat(of_points, self.groups.sizes)
        return rows

    def deviations(self, values: Floats) -> Floats:
        """Deviations of the model from each run, as they are weighed, [rows]."""
        off: Floats = self.by_run(self.predicted(values)) - self.replicates
        return off / self.by_run(self.units(self.observed))

    def over_predicted(self, values: Floats) -> Floats:
        """Each replicate over what the model predicts for its cell; 1 where that is zero."""
        rows = self.by_run(self.predicted(values))
        over: Floats = np.divide(self.replicates, rows, out=np.ones_like(rows), where=rows != 0.0)
        return over


def read_task(
    model: str | Model,
    table: Mapping[str, ArrayLike],
    output: str,
    free: Sequence[str],
    response: str | None,
    held: Mapping[str, float],
    cells: ArrayLike | None,
    weighting: Weighting,
    robust: bool,
) -> Task:
    """Return what is asked, checked; raise FitInputError where it cannot be."""
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
    for name in free:
        _check_is_no_code(parameters[name].quantity)
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
    return Task(
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


def _check_is_no_code(quantity: Quantity) -> None:
    """Refuse to search between kinds of something: there is nothing between them."""
    if quantity.meanings:
        kinds = ", ".join(f"{code} {meaning}" for code, meaning in enumerate(quantity.meanings))
        raise FitInputError(
            quantity.name,
            f"{quantity.name} stands for kinds ({kinds}), so it cannot be fitted: hold one of them",
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


def why_no_points(task: Task) -> str | None:
    """Return why these points cannot be fitted, None where they can."""
    points, wanted = len(task.observed), len(task.free)
    if points < wanted:
        return f"{points} settings cannot determine {wanted} parameters: measure at least {wanted}."
    if task.weighting == "relative" and not np.all(task.observed > 0.0):
        return "Relative deviations need positive observations: weigh absolute ones instead."
    return None
