# SPDX-License-Identifier: Apache-2.0
"""The estimators of K = α x + β y + γ z …, for one set of normalised points or for many.

They follow from the weighted sums of the points: that is what makes ten thousand resamples cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from .points import Floats, Integers, K

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
    def of_sets(cls, sets: Floats, weights: Floats | None = None) -> Moments:
        """Take b sets of points, [b, n, p], weighted alike or as given, [n]."""
        if weights is None:
            centroid = sets.mean(axis=1)
            centred = sets - centroid[:, None, :]
            scatter = centred.transpose(0, 2, 1) @ centred
            return cls(np.full(len(sets), float(sets.shape[1])), centroid, scatter)
        total = float(weights.sum())
        centroid = np.einsum("bnp,n->bp", sets, weights) / total
        centred = sets - centroid[:, None, :]
        scatter = (centred * weights[:, None]).transpose(0, 2, 1) @ centred
        return cls(np.full(len(sets), total), centroid, scatter)

    def part(self, sets: Integers, columns: Integers) -> Moments:
        """The moments of some of the sets, in some of the columns."""
        scatter = self.scatter[np.ix_(sets, columns, columns)]
        return Moments(self.weight[sets], self.centroid[np.ix_(sets, columns)], scatter)


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

    With the weights of the moments these are weighted least squares. In other units of a column
    its estimate changes as the unit does, and nothing else.

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


def whitened_total_least_squares(moments: Moments, noise: Floats) -> Floats:
    """Minimise the squared deviations over the variance that noise in all columns gives them.

    With n = (α, β, γ, −1), an observation deviates by n·v, v = (x, y, z, K), and noise of
    covariance Σ gives that a variance of nᵀΣn. So n is the generalised eigenvector with the
    smallest eigenvalue, of the sum of v vᵀ and Σ; columns may be free of noise. As Σ carries the
    units of the columns, the fit does not depend on them.

    Args:
        moments: of b sets of points.
        noise: Σ, covariance of an observation (columns, response) scaled to the response K,
            [p + 1, p + 1]; up to a factor.

    Returns:
        Estimates, [b, p]; not finite where the plane is parallel to the axis of the response.
    """
    weight, centroid = moments.weight[:, None, None], moments.centroid
    sets, p = centroid.shape
    squares = np.empty((sets, p + 1, p + 1))
    squares[:, :p, :p] = moments.scatter + weight * centroid[:, :, None] * centroid[:, None, :]
    squares[:, :p, p] = squares[:, p, :p] = weight[:, 0] * centroid * K
    squares[:, p, p] = weight[:, 0, 0] * K * K
    lengths = np.sqrt(np.einsum("bii->bi", squares))
    scale = lengths[:, :, None] * lengths[:, None, :]
    values, vectors = np.linalg.eigh(squares / scale)
    # an exact fit leaves rounding of either sign in the smallest eigenvalue
    root = vectors / np.sqrt(np.maximum(values, _ROUNDING))[:, None, :]
    _, inner = np.linalg.eigh(root.transpose(0, 2, 1) @ (noise / scale) @ root)
    normal = np.einsum("bij,bj->bi", root, inner[:, :, -1]) / lengths
    with np.errstate(divide="ignore", invalid="ignore"):
        estimates: Floats = -normal[:, :p] / normal[:, p:]
    return estimates


#: Estimator of each method that needs nothing but the points.
ESTIMATORS: Mapping[str, Callable[[Moments], Floats]] = MappingProxyType(
    {"paper-tls": total_least_squares, "ols": ordinary_least_squares}
)
