# SPDX-License-Identifier: Apache-2.0
"""A fit as it is told: estimates, residuals and diagnostics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..diagnostics import condition_number, variance_inflation
from ..points import Floats
from ..result import Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual
from .task import Task


def as_result(
    task: Task,
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
    """Return a fit; without estimates, why there is none."""
    known = estimates is not None
    if estimates is None:
        estimates = {
            own.name: Estimate(None, own.quantity.unit, None, None, None, None) for own in task.free
        }
    units = {quantity.name: quantity.unit for quantity in task.model.outputs}
    residuals = _residuals(task, at) if known and at is not None else []
    jacobian = None if at is None else task.scaled_jacobian(at)
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


def _residuals(task: Task, values: Floats) -> list[Residual]:
    predicted, _ = task.predict(values[None])
    rows = task.groups.first_rows
    return [
        Residual(int(row), float(o), float(p), float(100.0 * (p - o) / o) if o else 0.0)
        for row, o, p in zip(rows, task.observed, predicted[0], strict=True)
    ]


def _diagnostics(
    task: Task,
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
