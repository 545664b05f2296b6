# SPDX-License-Identifier: Apache-2.0
"""How well the means of settings are known from their own runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .noise import cell_variances
from .trade_off import Allowed, Floats

#: How often variances that are alike are called unlike.
_UNLIKE = 0.01


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


def scatter_of(
    logs: Floats, rows: Sequence[NDArray[np.intp]], means: Floats, among: Allowed
) -> Scatter | None:
    """Return how the runs of settings scatter; None where none to choose from was repeated.

    Those to choose from and the others are moderated together where they scatter alike, else each
    among their own: beyond what may be chosen a host can be overloaded, or idle.

    Args:
        logs: of the measures, [runs, measures].
        rows: of each setting.
        means: of the settings, [settings, measures].
        among: settings to choose from, [settings].
    """
    if all(len(r) == 1 for r, own in zip(rows, among, strict=True) if own):
        return None
    variances, freedom = np.array(
        [_variances(logs[:, j], rows, among) for j in range(logs.shape[1])]
    ).transpose(1, 2, 0)  # [cells, measures]
    errors = variances / np.array([len(r) for r in rows])[:, None]
    return Scatter(errors, freedom, _together(logs, rows, means).T)


def _variances(
    values: Floats, rows: Sequence[NDArray[np.intp]], among: Allowed
) -> tuple[Floats, Floats]:
    sides = (among, ~among)
    own, others = ([rows[k] for k in map(int, np.flatnonzero(side))] for side in sides)
    if _alike(_pooled(values, own), _pooled(values, others)):
        return cell_variances(values, rows)
    found = np.empty((2, len(rows)))
    for side, group in zip(sides, (own, others), strict=True):
        found[:, side] = cell_variances(values, group)
    return found[0], found[1]


def _pooled(values: Floats, rows: Sequence[NDArray[np.intp]]) -> tuple[float, int]:
    """Return the pooled variance and its degrees of freedom."""
    freedom = sum(len(r) - 1 for r in rows)
    squares = sum(float(np.sum((values[r] - values[r].mean()) ** 2)) for r in rows)
    return squares / max(freedom, 1), freedom


def _alike(own: tuple[float, int], others: tuple[float, int]) -> bool:
    """Whether two pooled variances may be one, by an F test; where one is not known they may."""
    from scipy import stats  # noqa: PLC0415  not at start-up

    (a, of_a), (b, of_b) = own, others
    if not (of_a and of_b) or a == b:
        return True
    if not (a > 0.0 and b > 0.0):
        return False
    below = float(stats.f.cdf(a / b, of_a, of_b))
    return 2.0 * min(below, 1.0 - below) >= _UNLIKE


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
