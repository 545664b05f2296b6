# SPDX-License-Identifier: Apache-2.0
"""The result of a linear fit: estimates, residuals, diagnostics; or why there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..diagnostics import condition_number, variance_inflation
from ..non_negative import above
from ..points import Floats
from ..result import Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual
from ..task import Task

Ends = Sequence[tuple[float, float] | None]


def no_ends(values: Floats) -> Ends:
    """Where nothing is known of how far the values may be off."""
    return [None] * len(values)


def estimates_of(
    task: Task, values: Floats, ends: Ends, alone: Ends, covariance: Floats | None
) -> dict[str, Estimate]:
    """Each parameter with its interval, and the one that is of the replicates alone."""
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
            None,
        )
        for k, name in enumerate(task.fit.parameters)
    }


def residuals_of(task: Task, values: Floats) -> list[Residual]:
    """The deviations of what was observed, in percent."""
    observations = task.observations
    observed = observations[:, -1]
    predicted = observations[:, :-1] @ values
    deviation = 100.0 * (predicted - observed) / observed
    return [
        Residual(int(index), float(o), float(p), float(d))
        for index, o, p, d in zip(task.indices, observed, predicted, deviation, strict=True)
    ]


def refused(task: Task, plan: Bootstrap, message: str, points: Floats | None) -> FitResult:
    """A result without values; `points` are None where they determine nothing."""
    units = task.fit.units(task.response_unit)
    nothing = {
        name: Estimate(None, unit, None, None, None, None)
        for name, unit in zip(task.fit.parameters, units, strict=True)
    }
    return result_of(task, plan, points, estimates=nothing, message=message, identifiable=False)


def result_of(
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
    """The result, with diagnostics of the points."""
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
