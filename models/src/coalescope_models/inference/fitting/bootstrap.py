# SPDX-License-Identifier: Apache-2.0
"""Bootstrap over rows or over replicates, drawn within strata.

From a stratum of n, n − 1 are drawn with replacement and weighted by n/(n − 1) (Rao and Wu 1988,
with m = n − 1). For whatever is linear in the data this multiplies the deviations of the plain
bootstrap by √(n/(n − 1)), which is what they fall short by; unequal strata each get their own
factor. A stratum of one row has no spread to draw from and stays as it is. A cell of one replicate
borrows the relative deviations that the replicates of the other cells show.

How often the nominal 95 % intervals cover the truth is simulated: for linear fits of the 27
settings of the 2005 study by `tests/fitting/test_coverage.py`, for nonlinear fits of five designs
by `tests/fitting/test_nonlinear_coverage.py`; docs/soak.md has the shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .distributions import t_quantile
from .estimators import Moments
from .points import Floats, Groups, Integers, normalised

#: Applies a function to each item, wherever that is, and returns the results in their order. What
#: computes on other machines has to pickle the function (by value) and the items.
Over = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]

Part = TypeVar("Part")

#: Bytes that the weights of one chunk of resampled rows may take.
_CHUNK_BYTES = 8_000_000
#: Bytes of the means of one chunk of resampled replicates: they stay in the cache.
_MEANS_BYTES = 2_000_000
#: 97.5 % quantile of the normal distribution.
_NORMAL = 1.959963984540054
#: Replicates of a cell up to which the sums of all pairs are kept.
_MOST_PAIRED = 16


def resample_rows(
    points: Floats,
    strata: Groups,
    estimate: Callable[[Moments], Floats],
    resamples: int,
    rng: np.random.Generator,
    workers: int | Over = 1,
    weights: Floats | None = None,
) -> Floats:
    """Estimate from resampled points.

    Args:
        points: normalised points, [n, p].
        strata: groups of rows to draw within.
        estimate: from moments to estimates, [b, p].
        resamples: how many.
        rng: source of all randomness.
        workers: threads, or what takes their place; the result does not depend on them.
        weights: of each point; None where they count alike.

    Returns:
        One row of estimates for each resample, [resamples, p].
    """
    ordered = points[strata.order]
    own = 1.0 if weights is None else weights[strata.order]

    def estimated(chunk: _Chunk) -> Floats:
        return estimate(Moments.of_weighted(ordered, own * _weights(strata, *chunk)))

    most = _CHUNK_BYTES // (8 * len(ordered))
    return over_parts(_chunks(most, resamples, rng), estimated, workers)


def resample_replicates(
    rows: Floats,
    cells: Groups,
    estimate: Callable[[Moments], Floats],
    resamples: int,
    rng: np.random.Generator,
    workers: int | Over = 1,
    weights: Floats | None = None,
) -> Floats:
    """Estimate from the cell means of resampled replicates.

    Args:
        rows: counts and response of each replicate, [n, p + 1].
        cells: groups of replicates.
        estimate: from moments to estimates, [b, p].
        resamples: how many.
        rng: source of all randomness.
        workers: threads, or what takes their place; the result does not depend on them.
        weights: of each cell's mean; None where they count alike.

    Returns:
        One row of estimates for each resample, [resamples, p].
    """
    replicates = Replicates.of(rows, cells)

    def estimated(chunk: _Chunk) -> Floats:
        return estimate(Moments.of_sets(normalised(replicates.means(*chunk)), weights))

    most = _MEANS_BYTES // (8 * cells.count * rows.shape[1])
    return over_parts(_chunks(most, resamples, rng), estimated, workers)


def percentile_ends(
    draws: Floats, values: Floats, freedom: Floats, corrected: NDArray[np.bool_] | None = None
) -> list[tuple[float, float]]:
    """Return the ends of 95 % intervals from resampled estimates, [resamples, p].

    Percentiles take the spread that was drawn from as if it were known. It is known to some degrees
    of freedom, so they are stretched by what Student's t is wider than the normal distribution.

    Resampled replicates carry the noise twice, the measured one and the drawn one. Where noise
    biases an estimator, as errors in the counts bias least squares, the mean of the draws lies off
    the estimate by about as much as the estimate lies off the truth, to the same side: the interval
    is moved by as much to the other (Efron and Tibshirani 1993, chapter 10). Rows that are
    resampled whole keep the noise that they have, and do not show such a bias.

    Args:
        draws: resampled estimates, [resamples, p].
        values: the estimates, [p].
        freedom: degrees of freedom of the spread of each, [p].
        corrected: which intervals to move, [p]; all by default. Where a bound cuts draws off, their
            mean says nothing about bias.
    """
    # "weibull": of few resamples too, 2.5 % more would lie outside each end
    lower, upper = np.quantile(draws, [0.025, 0.975], axis=0, method="weibull")
    centre = draws.mean(axis=0)
    if corrected is not None:
        centre = np.where(corrected, centre, values)
    stretch = np.array([t_quantile(0.975, float(own)) for own in freedom]) / _NORMAL
    unbiased = 2.0 * values - centre
    lower = unbiased + stretch * (lower - centre)
    upper = unbiased + stretch * (upper - centre)
    return [(float(lo), float(hi)) for lo, hi in zip(lower, upper, strict=True)]


@dataclass(frozen=True)
class _Alike:
    """Cells of one size, with the sum of every pair of replicates: a pair is one draw.

    Attributes:
        cells: which, [m].
        size: replicates of each.
        values: of each replicate, [m × size, columns].
        pairs: sums, [m × size², columns]; None where there would be too many.
    """

    cells: Integers
    size: int
    values: Floats
    pairs: Floats | None

    @classmethod
    def of(cls, cells: Integers, values: Floats) -> _Alike:
        """Take the values of cells of one size, [m, size, columns]."""
        _, size, columns = values.shape
        pairs = None
        if 2 < size <= _MOST_PAIRED:
            pairs = (values[:, :, None, :] + values[:, None, :, :]).reshape(-1, columns)
        return cls(cells, size, values.reshape(-1, columns), pairs)

    def means(self, resamples: int, rng: np.random.Generator) -> Floats:
        """Means of replicates drawn with replacement, one less than there are: [m, b, columns]."""
        drawn = max(self.size - 1, 1)
        pairs = 0 if self.pairs is None else drawn // 2
        sums = np.zeros((len(self.cells), resamples, self.values.shape[1]))
        for k in range(drawn - pairs):
            table = self.values if self.pairs is None or k >= pairs else self.pairs
            each = len(table) // len(self.cells)
            first = each * np.arange(len(self.cells))[:, None]
            picked = rng.integers(0, each, size=sums.shape[:2], dtype=np.min_scalar_type(each - 1))
            # cell by cell, so that a cell's table stays in the cache; "clip" takes no copy
            sums += table.take(np.add(picked, first, dtype=np.intp), axis=0, mode="clip")
        sums /= drawn
        return sums


@dataclass(frozen=True)
class _Single:
    """Cells of one replicate, with the relative deviations that the other cells' replicates show.

    Attributes:
        cells: which, [m].
        values: of their replicate, [m, columns].
        deviations: from the cell's mean, relative to it, of all other replicates, [k, columns].
    """

    cells: Integers
    values: Floats
    deviations: Floats

    def means(self, resamples: int, rng: np.random.Generator) -> Floats:
        """Values moved by deviations that are drawn whole, one for each: [m, b, columns]."""
        if not len(self.deviations):
            return np.repeat(self.values[:, None, :], resamples, axis=1)
        picked = rng.integers(0, len(self.deviations), size=(len(self.cells), resamples))
        moved: Floats = self.values[:, None, :] * (1.0 + self.deviations[picked])
        return moved


@dataclass(frozen=True)
class Replicates:
    """Replicates to draw from, within their cells."""

    count: int
    alike: Sequence[_Alike | _Single]

    @classmethod
    def of(cls, rows: Floats, cells: Groups) -> Replicates:
        """Take the values of each replicate, [n, columns], in the order of the table."""
        ordered = rows[cells.order]
        found: list[_Alike | _Single] = []
        for size in np.unique(cells.sizes):
            which = np.flatnonzero(cells.sizes == size)
            if size == 1:
                own = ordered[cells.starts[which]]
                found.append(_Single(which, own, relative_deviations(rows, cells)))
            else:
                found.append(_Alike.of(which, ordered[cells.starts[which, None] + np.arange(size)]))
        return cls(cells.count, found)

    def means(self, resamples: int, rng: np.random.Generator) -> Floats:
        """Means of each cell's drawn replicates, [b, cells, columns]."""
        if len(self.alike) == 1:
            return self.alike[0].means(resamples, rng).transpose(1, 0, 2)
        columns = self.alike[0].values.shape[-1]
        means = np.empty((self.count, resamples, columns))
        for part in self.alike:
            means[part.cells] = part.means(resamples, rng)
        return means.transpose(1, 0, 2)


def relative_deviations(rows: Floats, cells: Groups) -> Floats:
    """Deviations of replicates from their cell's mean, relative to it, [k, columns].

    Of cells with two replicates or more, each times √(n/(n − 1)): so their spread is that of one
    replicate. A column whose mean is zero has none.
    """
    sizes = np.repeat(cells.sizes, cells.sizes)
    means = np.repeat(cells.means(rows), cells.sizes, axis=0)
    several = sizes > 1
    off = (rows[cells.order] - means)[several]
    means, sizes = means[several], sizes[several]
    relative = np.divide(off, means, out=np.zeros_like(off), where=means != 0.0)
    deviations: Floats = relative * np.sqrt(sizes / (sizes - 1.0))[:, None]
    return deviations


#: How many resamples, and where their randomness comes from.
_Chunk = tuple[int, np.random.Generator]


def _chunks(most: int, resamples: int, rng: np.random.Generator) -> Sequence[_Chunk]:
    """Divide the resamples into parts of at most so many; each has a generator of its own.

    The parts depend on the data's size alone, so the same generator gives the same resamples on
    any machine and with any number of workers.
    """
    most = max(1, most)
    sizes = [min(most, resamples - first) for first in range(0, resamples, most)]
    return list(zip(sizes, rng.spawn(len(sizes)), strict=True))


def over_parts(
    parts: Sequence[Part], estimated: Callable[[Part], Floats], workers: int | Over
) -> Floats:
    """Estimates from each part in their order, whoever computes them."""
    if callable(workers):
        return np.concatenate(list(workers(estimated, parts)))
    if workers == 1 or len(parts) == 1:
        return np.concatenate([estimated(part) for part in parts])
    with ThreadPoolExecutor(workers) as threads:  # numpy works outside the interpreter's lock
        return np.concatenate(list(threads.map(estimated, parts)))


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
