# SPDX-License-Identifier: Apache-2.0
"""Analysis of variance of two factors with interaction, and the allocation of variation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .distributions import f_tail

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Effect:
    """One line of the table.

    Attributes:
        name: of the factor, "A × B" for their interaction, "replicates" for what is left.
        sum_of_squares: in the squared unit of the response.
        degrees_of_freedom: of that sum.
        share_percent: of the total variation. The shares add up to 100 only where all cells
            have the same number of replicates.
        f: mean square over that of the replicates; None for the replicates, or without any.
        p_value: of F.
    """

    name: str
    sum_of_squares: float
    degrees_of_freedom: int
    share_percent: float
    f: float | None
    p_value: float | None


def analyse_variance(
    response: ArrayLike, first: ArrayLike, second: ArrayLike, names: tuple[str, str]
) -> list[Effect]:
    """Analyse the variance of replicated cells of two factors.

    Sums of squares of type II: each factor given the other, the interaction given both. With equal
    numbers of replicates they are the textbook's.

    Args:
        response: one value for each run, [n].
        first: level of the first factor, [n].
        second: level of the second factor, [n].
        names: of the factors.

    Returns:
        Both factors, their interaction, and the replicates.

    Raises:
        ValueError: arrays of different lengths, values that are not finite, a factor with one
            level, a cell without a run, or no spread at all.
    """
    values = np.asarray(response, dtype=np.float64)
    _check(values, (np.asarray(first), np.asarray(second)), names)
    a, b = _codes(first), _codes(second)
    levels = int(a.max()) + 1, int(b.max()) + 1
    combinations = levels[0] * levels[1]
    _, cells = np.unique(a * levels[1] + b, return_inverse=True)
    missing = combinations - (int(cells.max()) + 1)
    if missing:
        raise ValueError(
            f"{missing} of the {combinations} combinations of {names[0]} and {names[1]} have no "
            "run: measure them, or leave out levels"
        )
    centred = values - values.mean()
    total = float(centred @ centred)
    if total <= 1e-24 * max(float(values @ values), 1e-300):
        raise ValueError("all values are alike: there is no variation to allocate")
    left_a, left_b = _left(centred, a), _left(centred, b)
    left_both = (
        _left_of_both(centred, a, b) if levels[0] >= levels[1] else _left_of_both(centred, b, a)
    )
    left = _left(centred, cells)
    freedom = len(values) - combinations
    rows = [
        (names[0], left_b - left_both, levels[0] - 1),
        (names[1], left_a - left_both, levels[1] - 1),
        (f"{names[0]} × {names[1]}", left_both - left, (levels[0] - 1) * (levels[1] - 1)),
    ]
    effects = [_effect(*row, total=total, left=left, freedom=freedom) for row in rows]
    noise = Effect("replicates", left, freedom, 100.0 * left / total, None, None)
    return [*effects, noise]


def _check(values: Floats, factors: Sequence[NDArray[np.generic]], names: tuple[str, str]) -> None:
    if values.ndim != 1 or any(levels.shape != values.shape for levels in factors):
        raise ValueError("response and factors must be arrays of one length")
    if not np.isfinite(values).all():
        raise ValueError(f"row {np.flatnonzero(~np.isfinite(values))[0] + 1} is not finite")
    for name, levels in zip(names, factors, strict=True):
        if len(np.unique(levels)) < 2:
            raise ValueError(f"{name} has one level only: there is nothing to compare")


def _codes(levels: ArrayLike) -> Codes:
    return np.unique(np.asarray(levels), return_inverse=True)[1]


def _left(centred: Floats, groups: Codes) -> float:
    """Return the sum of squares that the means of groups leave."""
    residual = centred - _means(centred, groups)[groups]
    return float(residual @ residual)


def _left_of_both(centred: Floats, many: Codes, few: Codes) -> float:
    """Return the sum of squares that a sum of two effects leaves.

    What is left of the means over the factor of many levels is fitted by the levels of the other,
    also less their means over it: one small matrix, however many runs and levels there are.
    """
    counts = np.zeros((int(many.max()) + 1, int(few.max()) + 1))
    np.add.at(counts, (many, few), 1.0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    matrix = np.diag(counts.sum(axis=0)) - counts.T @ shares
    residual = centred - _means(centred, many)[many]
    sums = np.bincount(few, weights=residual)
    effects = np.linalg.lstsq(matrix, sums, rcond=None)[0]
    residual = residual - (effects[few] - (shares @ effects)[many])
    return float(residual @ residual)


def _means(values: Floats, groups: Codes) -> Floats:
    means: Floats = np.bincount(groups, weights=values) / np.bincount(groups)
    return means


def _effect(
    name: str, squares: float, degrees: int, *, total: float, left: float, freedom: int
) -> Effect:
    squares = max(squares, 0.0)
    share = 100.0 * squares / total
    if freedom < 1 or left <= 1e-12 * total:
        return Effect(name, squares, degrees, share, None, None)
    f = (squares / degrees) / (left / freedom)
    return Effect(name, squares, degrees, share, f, f_tail(f, degrees, freedom))
