# SPDX-License-Identifier: Apache-2.0
"""What measured settings say of all: a Gaussian process over their levels."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean, pvariance

from coalescope_host.newer_python import zip_strict

from .matrices import Matrix, NotPositiveError, Vector, dot, root_of, solved
from .positions import Position

#: Lengths over which a factor, from 0 to 1, changes a measure; the first is where a search begins.
_LENGTHS = (0.5, 0.12, 0.25, 1.0, 2.0, 4.0)
#: Variances of the process, as parts of what the measured settings show.
_SCALES = (1.0, 0.1, 0.3, 3.0, 10.0, 30.0)
#: Variances of what each setting has for itself, as parts of the process's.
_ALONE = (0.01, 1e-5, 1e-3, 0.1)
_PASSES = 2
_JITTER = 1e-9
#: The process's mean is free: this much more variance, of what the settings show.
_FREE = 100.0

Positions = tuple[Position, ...]


@dataclass(frozen=True)
class Known:
    """What is known of one measure at all settings: its mean, and a root of the covariance."""

    means: Vector
    root: Matrix


@dataclass(frozen=True)
class _Prior:
    """Of the process.

    Attributes:
        lengths: of each factor.
        variance: of the process.
        alone: of what each setting has for itself, as a part of it.
    """

    lengths: tuple[float, ...]
    variance: float
    alone: float

    def covariance(self, positions: Positions, some: Sequence[int], free: float) -> Matrix:
        """Of some settings with each other; `free`: of what all share."""
        own = self.alone + _JITTER
        rows = _likeness(positions, self.lengths)
        found = [[self.variance * rows[j][k] + free for k in some] for j in some]
        for k, row in enumerate(found):
            row[k] += self.variance * own
        return found


@dataclass(frozen=True)
class _Means:
    """What was measured: settings, means of their runs and variances of these, in one order."""

    settings: Sequence[int]
    means: Vector
    variances: Vector
    positions: Positions

    @property
    def spread(self) -> float:
        """The scale of what settings change."""
        return max(pvariance(self.means), 0.01 * fmean(self.variances), 1e-12)


def settle(measured: Mapping[int, tuple[float, float]], positions: Positions) -> Known:
    """Return what the measured settings say of all.

    The prior is that of the server's recommendations (Rasmussen and Williams, Gaussian Processes
    for Machine Learning, 2006, equations 2.23, 2.24 and 4.17, http://gaussianprocess.org/gpml/): a
    constant, a Matérn 5/2 process with a length for each factor, and an effect of each setting
    alone. Its parameters are the likeliest of a coarse grid, found along one at a time.

    Args:
        measured: setting → mean of its runs, and variance of that mean.
        positions: of all settings.
    """
    shown = _Means(
        list(measured),
        [mean for mean, _ in measured.values()],
        [variance for _, variance in measured.values()],
        positions,
    )
    prior = _likeliest(shown)
    every = prior.covariance(positions, range(len(positions)), _FREE * shown.spread)
    own = [[every[j][k] for k in shown.settings] for j in shown.settings]
    root = root_of(_noisy(own, shown.variances))
    centre = fmean(shown.means)
    whitened = solved(root, [mean - centre for mean in shown.means])
    columns = [solved(root, [row[k] for k in shown.settings]) for row in every]
    left = [
        [row[k] - dot(columns[j], columns[k]) for k in range(j + 1)] for j, row in enumerate(every)
    ]
    means = [centre + dot(column, whitened) for column in columns]
    return Known(means, _safe_root(left, shown.spread))


@lru_cache(maxsize=256)
def _likeness(positions: Positions, lengths: tuple[float, ...]) -> Matrix:
    """Matérn 5/2 of each two settings, 0 where they differ in a word; the same in every round."""
    return [[_alike(a, b, lengths) for b in positions] for a in positions]


def _alike(a: Position, b: Position, lengths: Sequence[float]) -> float:
    if a.words != b.words:
        return 0.0
    parts = zip_strict(a.numbers, b.numbers, lengths)
    away = math.sqrt(5.0 * sum(((x - y) / length) ** 2 for x, y, length in parts))
    return (1.0 + away + away * away / 3.0) * math.exp(-away)


def _likeliest(shown: _Means) -> _Prior:
    factors = len(shown.positions[0].numbers)
    best = _Prior((_LENGTHS[0],) * factors, _SCALES[0] * shown.spread, _ALONE[0])
    least = _unlikeliness(best, shown)
    for _ in range(_PASSES):
        before = best
        for axis in range(factors + 2):
            for other in _along(best, axis, shown.spread):
                if (found := _unlikeliness(other, shown)) < least:
                    best, least = other, found
        if best == before:
            break
    return best


def _along(prior: _Prior, axis: int, spread: float) -> Iterator[_Prior]:
    """The grid along one parameter, without where it is."""
    factors = len(prior.lengths)
    if axis < factors:
        before, after = prior.lengths[:axis], prior.lengths[axis + 1 :]
        all_along = [replace(prior, lengths=(*before, each, *after)) for each in _LENGTHS]
    elif axis == factors:
        all_along = [replace(prior, variance=scale * spread) for scale in _SCALES]
    else:
        all_along = [replace(prior, alone=alone) for alone in _ALONE]
    return (other for other in all_along if other != prior)


def _unlikeliness(prior: _Prior, shown: _Means) -> float:
    """Minus the logarithm of the restricted likelihood, with weak priors of the parameters."""
    covariance = prior.covariance(shown.positions, shown.settings, 0.0)
    try:
        root = root_of(_noisy(covariance, shown.variances))
    except NotPositiveError:
        return math.inf
    own, one = solved(root, shown.means), solved(root, [1.0] * len(shown.means))
    squares = dot(one, one)
    left = dot(own, own) - dot(own, one) ** 2 / squares
    doubt = (
        sum(math.log(length / _LENGTHS[0]) ** 2 for length in prior.lengths)
        + (math.log(prior.variance / shown.spread) / 2.0) ** 2
        + (math.log(prior.alone / _ALONE[0]) / 2.5) ** 2
    )
    return 0.5 * (left + math.log(squares) + doubt) + sum(math.log(row[-1]) for row in root)


def _noisy(matrix: Matrix, variances: Sequence[float]) -> Matrix:
    for k, variance in enumerate(variances):
        matrix[k][k] += variance
    return matrix


def _safe_root(matrix: Matrix, spread: float) -> Matrix:
    """The root of what rounding may have made a little less than positive definite."""
    added = _JITTER * spread
    while True:
        try:
            return root_of([[*row[:-1], row[-1] + added] for row in matrix])
        except NotPositiveError:
            added *= 10.0
