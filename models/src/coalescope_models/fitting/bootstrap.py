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

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

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
    workers: int = 1,
) -> Floats:
    """Estimate from resampled points.

    Args:
        points: normalised points, [n, p].
        strata: groups of rows to draw within.
        estimate: from moments to estimates, [b, p].
        resamples: how many.
        rng: source of all randomness.
        workers: threads; the result does not depend on them.

    Returns:
        One row of estimates for each resample, [resamples, p].
    """
    ordered = points[strata.order]

    def estimated(chunk: _Chunk) -> Floats:
        return estimate(Moments.of_weighted(ordered, _weights(strata, *chunk)))

    return _over(_chunks(strata, resamples, rng, columns=1), estimated, workers)


def resample_replicates(
    rows: Floats,
    cells: Groups,
    estimate: Callable[[Moments], Floats],
    resamples: int,
    rng: np.random.Generator,
    workers: int = 1,
) -> Floats:
    """Estimate from the cell means of resampled replicates.

    Args:
        rows: counts and response of each replicate, [n, p + 1].
        cells: groups of replicates.
        estimate: from moments to estimates, [b, p].
        resamples: how many.
        rng: source of all randomness.
        workers: threads; the result does not depend on them.

    Returns:
        One row of estimates for each resample, [resamples, p].
    """
    ordered = rows[cells.order]

    def estimated(chunk: _Chunk) -> Floats:
        means = _cell_means(ordered, cells, _weights(cells, *chunk))
        return estimate(Moments.of_sets(normalised(means)))

    return _over(_chunks(cells, resamples, rng, columns=rows.shape[1]), estimated, workers)


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


#: How many resamples, and where their randomness comes from.
_Chunk = tuple[int, np.random.Generator]


def _chunks(
    strata: Groups, resamples: int, rng: np.random.Generator, columns: int
) -> Sequence[_Chunk]:
    """Divide the resamples; each part has a generator of its own.

    The parts depend on the data's size alone, so the same generator gives the same weights on any
    machine and with any number of workers.
    """
    most = max(1, _CHUNK_BYTES // (8 * len(strata.order) * columns))
    sizes = [min(most, resamples - first) for first in range(0, resamples, most)]
    return list(zip(sizes, rng.spawn(len(sizes)), strict=True))


def _over(chunks: Sequence[_Chunk], estimated: Callable[[_Chunk], Floats], workers: int) -> Floats:
    if workers == 1 or len(chunks) == 1:
        return np.concatenate([estimated(chunk) for chunk in chunks])
    with ThreadPoolExecutor(workers) as threads:  # numpy works outside the interpreter's lock
        return np.concatenate(list(threads.map(estimated, chunks)))


def _weights(strata: Groups, resamples: int, rng: np.random.Generator) -> Floats:
    """Draw weights, [resamples, n], for rows in the order of the strata."""
    rows = len(strata.order)
    drawn = np.maximum(strata.sizes - 1, 1)
    start = np.repeat(strata.starts, drawn)
    size = np.repeat(strata.sizes, drawn)
    share = np.repeat(strata.sizes / drawn, strata.sizes)
    picked = start + rng.integers(0, size, size=(resamples, len(size)))
    flat = picked + rows * np.arange(resamples)[:, None]
    counts = np.bincount(flat.ravel(), minlength=resamples * rows).reshape(resamples, rows)
    weights: Floats = counts * share
    return weights
