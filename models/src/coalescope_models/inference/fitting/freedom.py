# SPDX-License-Identifier: Apache-2.0
"""How well the spread behind an interval is known: degrees of freedom, of each estimate its own.

Replicates tell the spread of their own cell only. Where few cells decide over an estimate, as the
shortest delays do over the cost of an interrupt, its spread is known to the freedom of those few.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .estimators import Moments
from .points import Floats, Groups, K, normalised


def satterthwaite(variances: Floats, cells: Groups) -> Floats:
    """Return the degrees of freedom of sums of estimated variances, [p].

    (Σ σ²)²/Σ(σ⁴/f) of the true variances (Satterthwaite 1946). With estimates v in their place it
    is too small, by two thirds for many pairs: (Σ v)² is too large by Σ 2σ⁴/f on average, v² by the
    factor (f + 2)/f. Without that, (Σ v)²/Σ(v²/(f + 2)) - 2, it is right for many cells, and too
    large where a few decide that happen to look alike. Both err little beyond pairs, to either
    side: their geometric mean is taken.

    Args:
        variances: what each cell adds to the variance of each estimate, [cells, p].
        cells: with f + 1 replicates each.
    """
    most = float(len(cells.order) - cells.count)
    freedoms = np.maximum(cells.sizes - 1, 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = variances.sum(axis=0) ** 2
        plain = squared / np.sum(variances**2 / freedoms, axis=0)
        unbiased = squared / np.sum(variances**2 / (freedoms + 2.0), axis=0) - 2.0
        found = np.sqrt(plain * unbiased)
    return np.where(np.isfinite(found), np.minimum(found, most), most)


def variance_by_cell(
    rows: Floats,
    cells: Groups,
    estimate: Callable[[Moments], Floats],
    weights: Floats | None = None,
) -> Floats:
    """Return what each cell's replicates add to the variance of the estimates, [cells, p].

    To first order: the sum of squares of what the estimates move by when the cell's mean moves by
    a replicate's deviation over n, times n/(n − 1).

    Args:
        rows: counts and response of each replicate, [n, p + 1].
        cells: groups of replicates.
        estimate: from moments to estimates, [b, p].
        weights: of each cell's mean; None where they count alike.
    """
    cell = np.repeat(np.arange(cells.count), cells.sizes)
    means = cells.means(rows)
    points = normalised(means)
    moments = Moments.of_sets(points[None], weights)
    # of x K/T
    relative = (rows[cells.order] - means[cell]) / means[cell, -1:]
    moved = K * relative[:, :-1] - points[cell] * relative[:, -1:]
    moved *= ((1.0 if weights is None else weights) / cells.sizes)[cell, None]
    shift = moved / moments.weight
    turn = moved[:, :, None] * (points[cell] - moments.centroid)[:, None, :]
    turn = turn + turn.transpose(0, 2, 1)
    weight = np.repeat(moments.weight, len(cell))
    ahead = estimate(Moments(weight, moments.centroid + shift, moments.scatter + turn))
    behind = estimate(Moments(weight, moments.centroid - shift, moments.scatter - turn))
    squares = np.add.reduceat((0.5 * (ahead - behind)) ** 2, cells.starts)
    variances: Floats = squares * (cells.sizes / np.maximum(cells.sizes - 1, 1))[:, None]
    return variances
