# SPDX-License-Identifier: Apache-2.0
"""The two estimators of K = α x + β y + γ z …, for one set of normalised points or for many.

Both follow from the weighted sums of the points: that is what makes ten thousand resamples cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from .points import Floats, K

#: What rounding leaves of an eigenvalue that is zero, relative to the sum of squares.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Moments:
    """Moments of b sets of points in p columns.

    Attributes:
        weight: total weight, [b].
        centroid: [b, p].
        scatter: weighted sum of (x − centroid)(x − centroid)ᵀ, [b, p, p].
    """

    weight: Floats
    centroid: Floats
    scatter: Floats

    @classmethod
    def of_weighted(cls, points: Floats, weights: Floats) -> Moments:
        """Weigh the same points differently: points [n, p], weights [b, n]."""
        origin = points.mean(axis=0)  # sums about the mean, so that the scatter does not cancel
        centred = points - origin
        products = centred[:, :, None] * centred[:, None, :]
        weight = weights.sum(axis=1)
        shift = (weights @ centred) / weight[:, None]
        about_origin = (weights @ products.reshape(len(points), -1)).reshape(
            -1, *products.shape[1:]
        )
        scatter = about_origin - weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
        return cls(weight, origin + shift, scatter)

    @classmethod
    def of_sets(cls, sets: Floats) -> Moments:
        """Take b sets of equally weighted points: [b, n, p]."""
        centroid = sets.mean(axis=1)
        centred = sets - centroid[:, None, :]
        scatter = centred.transpose(0, 2, 1) @ centred
        return cls(np.full(len(sets), float(sets.shape[1])), centroid, scatter)


def total_least_squares(moments: Moments) -> Floats:
    """Fit the plane with the least sum of squared distances: Geist et al. 2005, section 4.

    The eigenvector e of the smallest eigenvalue of the scatter matrix about the centroid c is the
    normal of the plane; (α, β, γ) = K/(e·c) e.

    Returns:
        Estimates, [b, p]; not finite where the plane goes through the origin, or where the points
        lie on a line, which is in many planes.
    """
    spread, vectors = np.linalg.eigh(moments.scatter)
    normal = vectors[:, :, 0]
    distance = np.sum(normal * moments.centroid, axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimates: Floats = K / distance * normal
    size = moments.weight * np.sum(moments.centroid**2, axis=1)
    estimates[spread[:, 1] <= _ROUNDING * size] = np.nan
    return estimates


def ordinary_least_squares(moments: Moments) -> Floats:
    """Minimise the squared deviations of α x + β y + γ z from K.

    Returns:
        Estimates, [b, p]; not finite where the columns are linearly dependent.
    """
    weight, centroid = moments.weight[:, None], moments.centroid
    squares = moments.scatter + weight[:, :, None] * centroid[:, :, None] * centroid[:, None, :]
    lengths = np.sqrt(np.einsum("bii->bi", squares))
    with np.errstate(divide="ignore", invalid="ignore"):
        # columns of unit length: the normal equations are then as well conditioned as they can be
        scaled = squares / (lengths[:, :, None] * lengths[:, None, :])
        target = K * weight * centroid / lengths
        regular = np.isfinite(scaled).all(axis=(1, 2))
        scaled[~regular] = np.eye(scaled.shape[1])
        values, vectors = np.linalg.eigh(scaled)
        projected = np.einsum("bij,bi->bj", vectors, target) / values
        estimates: Floats = np.einsum("bij,bj->bi", vectors, projected) / lengths
    estimates[~regular | (values[:, 0] <= _ROUNDING)] = np.nan
    return estimates


#: Estimator of each method.
ESTIMATORS: Mapping[str, Callable[[Moments], Floats]] = MappingProxyType(
    {"paper-tls": total_least_squares, "ols": ordinary_least_squares}
)
