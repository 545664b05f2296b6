# SPDX-License-Identifier: Apache-2.0
"""Whether the settings that were measured tell the parameters, and which they do not."""

from __future__ import annotations

import numpy as np

from ..diagnostics import (
    CONDITION_LIMIT,
    RANK_LIMIT,
    RELATIVE_ERROR_LIMIT,
    condition_number,
    nearest_dependency,
)
from ..points import Floats
from .intervals import curvature_covariance
from .task import Task

_UNMOVED = 1e-12


def why_not_identifiable(task: Task, values: Floats) -> str | None:
    """Return what cannot be told, and why, at estimates [p]; None where all can."""
    jacobian = task.scaled_jacobian(values)
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
    involved = np.flatnonzero(np.abs(nearest_dependency(jacobian / lengths)) > 0.2)
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


def _relative_errors(task: Task, values: Floats) -> Floats | None:
    """Standard errors over the sizes of the estimates, [p]; None without points to spare."""
    covariance = curvature_covariance(task, values)
    if covariance is None:
        return None
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    size = np.maximum(np.abs(values), [parameter.step for parameter in task.free])
    relative: Floats = errors / size
    return relative
