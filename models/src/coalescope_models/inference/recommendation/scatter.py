# SPDX-License-Identifier: Apache-2.0
"""How well the means of settings are known from their own runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .noise import cell_variances
from .trade_off import Floats


@dataclass(frozen=True)
class Scatter:
    """How well the means of all settings are known from their own runs.

    Attributes:
        errors: variances of the means of logarithms, [settings, measures].
        freedom: of these variances, [settings, measures].
        together: a root of the correlation of the measures, [measures, measures].
    """

    errors: Floats
    freedom: Floats
    together: Floats


def scatter_of(logs: Floats, rows: Sequence[NDArray[np.intp]], means: Floats) -> Scatter | None:
    """Return how the runs of settings scatter; None without any replicates."""
    if all(len(r) == 1 for r in rows):
        return None
    variances, freedom = np.array(
        [cell_variances(logs[:, j], rows) for j in range(logs.shape[1])]
    ).transpose(1, 2, 0)  # [cells, measures]
    errors = variances / np.array([len(r) for r in rows])[:, None]
    return Scatter(errors, freedom, _together(logs, rows, means).T)


def _together(logs: Floats, rows: Sequence[NDArray[np.intp]], means: Floats) -> Floats:
    """Return a root of the correlation of the measures over all runs, [measures, measures]."""
    deviations = np.concatenate([logs[r] - m for r, m in zip(rows, means, strict=True)])
    lengths = np.linalg.norm(deviations, axis=0)
    units = deviations / np.where(lengths > 0.0, lengths, 1.0)
    correlation = units.T @ units
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
