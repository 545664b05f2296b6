# SPDX-License-Identifier: Apache-2.0
"""Bootstrap over rows or over replicates, drawn within strata.

From a stratum of n, n − 1 are drawn with replacement and weighted by n/(n − 1) (Rao and Wu 1988,
with m = n − 1). For whatever is linear in the data this multiplies the deviations of the plain
bootstrap by √(n/(n − 1)), which is what they fall short by; unequal strata each get their own
factor. A stratum of one has no spread to draw from and stays as it is.

Simulated coverage of the nominal 95 % intervals, for the 27 settings of the 2005 study with 1 %
noise for each setting: 90 to 93 % over rows in strata of 9, 93 to 96 % over 3 or 10 replicates
(`tests/fitting/test_coverage.py` prints it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .estimators import Moments
from .points import Floats, Groups, normalised

#: Bytes that the weights and points of one chunk of resamples may take.
_CHUNK_BYTES = 8_000_000


def resample_rows(
    points: Floats,
    strata: Groups,
    estimate: Callable[[Moments], Floats],
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """Estimate from resampled points.

    Args:
        points: normalised points, [n, p].
        strata: groups of rows to draw within.
        estimate: from moments to estimates, [b, p].
        resamples: how many.
        rng: source of all randomness.

    Returns:
        One row of estimates for each resample, [resamples, p].
    """
    ordered = points[strata.order]
    return np.concatenate(
        [
            estimate(Moments.of_weighted(ordered, weights))
            for weights in _weights(strata, resamples, rng, columns=1)
        ]
    )


def resample_replicates(
    rows: Floats,
    cells: Groups,
    estimate: Callable[[Moments], Floats],
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """Estimate from the cell means of resampled replicates.

    Args:
        rows: counts and response of each replicate, [n, p + 1].
        cells: groups of replicates.
        estimate: from moments to estimates, [b, p].
        resamples: how many.
        rng: source of all randomness.

    Returns:
        One row of estimates for each resample, [resamples, p].
    """
    ordered = rows[cells.order]
    return np.concatenate(
        [
            estimate(Moments.of_sets(normalised(_cell_means(ordered, cells, weights))))
            for weights in _weights(cells, resamples, rng, columns=rows.shape[1])
        ]
    )


def _cell_means(ordered: Floats, cells: Groups, weights: Floats) -> Floats:
    """Return weighted means, [b, cells, columns]."""
    size = int(cells.sizes[0])
    if np.all(cells.sizes == size):
        by_cell = weights.reshape(len(weights), cells.count, size).transpose(1, 0, 2)
        sums = by_cell @ ordered.reshape(cells.count, size, -1)
        means: Floats = sums.transpose(1, 0, 2) / size
        return means
    sums = np.add.reduceat(weights[:, :, None] * ordered, cells.starts, axis=1)
    unequal: Floats = sums / cells.sizes[:, None]
    return unequal


def _weights(
    strata: Groups, resamples: int, rng: np.random.Generator, columns: int
) -> Iterator[Floats]:
    """Yield chunks of weights, [b, n], for rows in the order of the strata.

    The chunks have a fixed size, so the same generator gives the same weights on any machine.
    """
    rows = len(strata.order)
    chunk = max(1, _CHUNK_BYTES // (8 * rows * columns))
    drawn = np.maximum(strata.sizes - 1, 1)
    start = np.repeat(strata.starts, drawn)
    size = np.repeat(strata.sizes, drawn)
    share = np.repeat(strata.sizes / drawn, strata.sizes)
    for first in range(0, resamples, chunk):
        count = min(chunk, resamples - first)
        picked = start + rng.integers(0, size, size=(count, len(size)))
        flat = picked + rows * np.arange(count)[:, None]
        counts = np.bincount(flat.ravel(), minlength=count * rows).reshape(count, rows)
        yield counts * share
