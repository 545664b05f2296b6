# SPDX-License-Identifier: Apache-2.0
"""Intervals of a fit of all runs that allow for counts that err.

Least squares of counts that err have a bias that no number of runs takes away: towards 0 in a
count by itself (Fuller 1987, Measurement Error Models, section 1.1). The runs of a cell tell how
large it is: where counts err, runs that counted more than others of their cell deviate from the
model to the same side; where runs truly differ, they do not (Hausman 1978, Econometrica 46,
doi:10.2307/1913827, compares what two such sources of variation say).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .points import Floats, Groups, K
from .robust import RobustFit
from .said_of_intervals import CORRECTED

#: Least share of what tells a parameter that must be left without the differences within cells.
_LEFT = 0.1

NOT_TOLD = (
    "No intervals: within cells the counts differ about as much as between them, and if they err, "
    "little is left. Measure settings that differ more, or compare ols."
)


def allowing_for_counts(rows: Floats, cells: Groups, found: RobustFit) -> RobustFit | None:
    """Return the fit as the counts would have it without their errors, for its intervals.

    With x, y the counts and responses of all N runs, scaled as in the fit, and tildes for what is
    left of each less the mean of its cell, w the weights and c = N/(N - m) for m cells, the
    estimates β̂ become (M - cW)⁻¹(Mβ̂ - cv) with M = Σ w x xᵀ, W = Σ w x̃ x̃ᵀ, v = Σ w x̃ ỹ: moments
    less the errors' share of them (Fuller 1987, section 2.2). Covariances are those of the fit
    and of that share, which do not go together. Where all runs of a cell count alike nothing
    changes.

    Args:
        rows: counts and response of each run, [N, p + 1].
        cells: groups of replicates.
        found: a fit of all runs.

    Returns:
        None where too little is left to determine the parameters.
    """
    freedom = len(rows) - cells.count
    if freedom < 1:
        return found
    responses = np.repeat(cells.means(rows)[:, -1:], cells.sizes, axis=0)
    scaled = rows[cells.order] * (K / responses)
    lengths = np.linalg.norm(scaled[:, :-1], axis=0)
    counts, weights = scaled[:, :-1] / lengths, found.weights[cells.order, None]
    apart = _within_cells(np.column_stack([counts, scaled[:, -1]]), weights, cells)
    errors, share = apart[:, :-1], len(rows) / freedom
    moments = counts.T @ (weights * counts)
    left = moments - share * errors.T @ (weights * errors)
    least = np.min(np.linalg.eigvals(np.linalg.solve(moments, left)).real)
    if least < _LEFT:
        return None
    bread = np.linalg.inv(left)
    of_errors = share * errors.T @ (weights[:, 0] * apart[:, -1])
    values = bread @ (moments @ (found.values * lengths) - of_errors)
    off = apart[:, -1] - errors @ values
    few = np.sqrt(np.repeat(cells.sizes / np.maximum(cells.sizes - 1, 1), cells.sizes))
    scores = share * (weights[:, 0] * off * few)[:, None] * errors
    spread = scores.T @ scores
    unit = np.outer(lengths, lengths)

    def with_errors(covariance: Floats) -> Floats:
        if not np.isfinite(covariance).all():
            return covariance  # not known, and no more known with the errors
        own = moments @ (covariance * unit) @ moments
        whole: Floats = bread @ (own + spread) @ bread / unit
        return whole

    return replace(
        found,
        values=values / lengths,
        by_runs=with_errors(found.by_runs),
        by_cells=with_errors(found.by_cells),
    )


def why_displaced(
    found: RobustFit, clean: RobustFit, names: Sequence[str], method: str
) -> str | None:
    """Say which estimates the errors of the counts displace by more than a standard error."""
    off = np.abs(found.values - clean.values) > np.sqrt(np.diag(clean.by_runs))
    if not off.any():
        return None
    which = " and ".join(name for name, is_so in zip(names, off, strict=True) if is_so)
    return (
        f"Counts of single runs seem to err, which biases {which} by more than a standard error "
        f"under {method}{CORRECTED}: compare ols."
    )


def _within_cells(columns: Floats, weights: Floats, cells: Groups) -> Floats:
    """Columns less the weighted mean of each cell; rows in the order of the cells."""
    sums = np.add.reduceat(weights * columns, cells.starts)
    means = sums / np.maximum(np.add.reduceat(weights, cells.starts), 1e-300)
    apart: Floats = columns - np.repeat(means, cells.sizes, axis=0)
    return apart
