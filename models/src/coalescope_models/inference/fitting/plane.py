# SPDX-License-Identifier: Apache-2.0
"""How well replicates tell an estimate of total least squares: by leaving out cells and runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .estimators import Moments
from .freedom import variance_by_cell
from .points import Floats, Groups, K, normalised

Estimator = Callable[[Moments], Floats]


def relative_errors_of_plane(
    rows: Floats,
    cells: Groups,
    estimate: Estimator,
    noise: Floats,
    weights: Floats | None,
    *,
    allows_for_noise: bool,
) -> Floats:
    """Return how far total least squares may be off, over the size of each estimate, [2, p].

    First the standard error that leaving out each cell gives (jackknife: Efron and Tibshirani 1993,
    chapter 11), misfit included, or that of runs within their cells where it is larger. Then what
    the noise of runs displaces an estimate by, which is none where the method allows for it: the
    same estimate without the noise's share of the scatter (Fuller 1987, Measurement Error Models,
    section 2.2).

    Args:
        rows: counts and response of each run, [N, p + 1].
        cells: groups of runs.
        estimate: from moments to estimates of either sign, [b, p].
        noise: covariance of a run within its cell, scaled to the response K, [p + 1, p + 1].
        weights: of each cell's mean; None where they count alike.
        allows_for_noise: whether the method is told of `noise`.
    """
    points = normalised(cells.means(rows))
    moments = Moments.of_sets(points[None], weights)
    with np.errstate(all="ignore"):  # what is not finite is not told
        values = estimate(moments)[0]
        without = estimate(_without_each(moments, points, weights))
        off = without - without.mean(axis=0)
        of_cells = (len(points) - 1) / len(points) * np.sum(off**2, axis=0)
        of_runs = variance_by_cell(rows, cells, estimate, weights).sum(axis=0)
        errors = np.sqrt(np.maximum(of_cells, of_runs))
        displaced = np.zeros_like(values)
        if not allows_for_noise:
            share = _scatter_of_noise(points, cells, noise, weights)
            clean = Moments(moments.weight, moments.centroid, moments.scatter - share)
            displaced = estimate(clean)[0] - values
        relative = np.abs([errors, displaced] / values)
    return np.where(np.isfinite(relative), relative, np.inf)


def _without_each(moments: Moments, points: Floats, weights: Floats | None) -> Moments:
    """Moments of all points but one, for each of them."""
    own = np.ones(len(points)) if weights is None else weights
    total = moments.weight[0]
    left = total - own
    off = points - moments.centroid[0]
    centroid = moments.centroid[0] - (own / left)[:, None] * off
    taken = (own * total / left)[:, None, None] * off[:, :, None] * off[:, None, :]
    return Moments(left, centroid, moments.scatter[0] - taken)


def _scatter_of_noise(
    points: Floats, cells: Groups, noise: Floats, weights: Floats | None
) -> Floats:
    """Mean share of the noise in the weighted scatter of points x K/T, [p, p].

    A run's noise (δx, δT) moves its point by K/T (δx - point δT/K), a cell's mean by 1/√n of it.
    """
    own = (1.0 if weights is None else weights) / cells.sizes
    p = points.shape[1]
    turned = np.concatenate(
        [np.broadcast_to(np.eye(p), (len(points), p, p)), -points[:, :, None] / K], axis=2
    )
    share: Floats = np.einsum("n,nik,kl,njl->ij", own, turned, noise, turned)
    return share
