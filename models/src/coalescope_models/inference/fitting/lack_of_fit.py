# SPDX-License-Identifier: Apache-2.0
"""Whether replicates reject a model: its misfit beside the spread within cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .distributions import f_tail
from .points import Floats, Groups, Integers
from .result import LackOfFit

#: Probability below which a model is called rejected.
SIGNIFICANCE = 0.01
#: Relative deviation that rounding alone explains.
_ROUNDING = 1e-12


def lack_of_fit(
    deviations: Floats, cells: Groups, parameters: int, weights: Floats | None = None
) -> LackOfFit | None:
    """Test the model against the replicates; None where that is not possible.

    F = [Σ n d̄²/(m − p)] / [Σ Σ (d − d̄)²/(N − m)], with m cells of n replicates, N in all, p
    parameters, and d what the model deviates from each replicate (Draper and Smith 1998, section
    2.1). Cells of one replicate count above, not below. Where runs are weighed by their variance,
    both sums are: the weights of the test are those of the fit.

    Where the variances of cells differ, few cells decide over both sums. The p-value then takes
    fewer degrees of freedom, (Σ v)²/Σ v² in the place of their number (Box 1954, Annals of
    Mathematical Statistics 25, theorem 3.1); those that are returned are the numbers.

    Args:
        deviations: of the model from each replicate, relative to its cell's mean response, in the
            order of the table, [N].
        cells: groups of replicates.
        parameters: how many were estimated.
        weights: of each replicate, alike within a cell, [N]; None where all are alike.
    """
    between = cells.count - parameters
    within = len(deviations) - cells.count
    if between < 1 or within < 1:
        return None
    own = deviations[cells.order]
    means = np.add.reduceat(own, cells.starts) / cells.sizes
    apart = (own - np.repeat(means, cells.sizes)) ** 2
    noise = float(np.sum(apart)) / within
    if noise <= _ROUNDING**2:
        return None
    each = np.ones(len(own)) if weights is None else weights[cells.order]
    misfit = float(np.sum(cells.sizes * each[cells.starts] * means**2)) / between
    f = misfit / (float(np.sum(each * apart)) / within)
    shares = _effective(np.add.reduceat(each * apart, cells.starts), cells.sizes)
    return _judged(f, (between, within), shares, (float(np.sum(means**2)) / between, noise))


@dataclass(frozen=True)
class Stated:
    """What a table of means says of the runs behind each of its rows.

    Attributes:
        numbers: of runs, [n].
        spread: standard deviation of a run, by column, [n]; NaN where nothing is said.
    """

    numbers: Integers
    spread: Mapping[str, Floats]


def lack_of_fit_of_means(
    deviations: Floats,
    numbers: Integers,
    spread: Floats,
    parameters: int,
    *,
    bounded: bool = False,
) -> LackOfFit | None:
    """Test the model against what is said of replicates that are not there themselves.

    As `lack_of_fit`, with (n - 1)s² in the place of the sum of squares within a cell. The fit
    counts each mean once, so that all count as the one of the fewest runs: if anything, the test
    says too seldom that the model is rejected.

    Args:
        deviations: of the model from each mean, relative to it, [m].
        numbers: of runs behind each, [m].
        spread: standard deviation of a run, relative to its mean, [m]; NaN where nothing is said.
        parameters: how many were estimated.
        bounded: whether the spread is only at most that.
    """
    told = np.isfinite(spread) & (numbers > 1)
    between = len(deviations) - parameters
    freedom = numbers[told] - 1
    within = int(freedom.sum())
    if between < 1 or within < 1:
        return None
    squares = freedom * spread[told] ** 2
    noise = float(squares.sum()) / within
    if noise <= _ROUNDING**2:
        return None
    misfit = float(np.sum(deviations**2)) / between
    return _judged(
        numbers.min() * misfit / noise,
        (between, within),
        _effective(squares, numbers[told]),
        (misfit, noise),
        bounded=bounded,
    )


def _judged(
    f: float,
    freedoms: tuple[int, int],
    shares: tuple[float, float],
    squares: tuple[float, float],
    *,
    bounded: bool = False,
) -> LackOfFit:
    """Judge F by degrees of freedom and what unequal variances leave of them; mean squares of 1."""
    between, within = freedoms
    p_value = f_tail(f, max(1.0, shares[0] * between), max(1.0, shares[1] * within))
    return LackOfFit(
        f=float(f),
        model_degrees_of_freedom=between,
        noise_degrees_of_freedom=within,
        p_value=p_value,
        rejected=p_value < SIGNIFICANCE,
        misfit_percent=100.0 * float(np.sqrt(squares[0])),
        noise_percent=100.0 * float(np.sqrt(squares[1])),
        bounded=bounded,
    )


def _effective(squares: Floats, sizes: Integers) -> tuple[float, float]:
    """Shares of the degrees of freedom between and within cells that unequal variances leave.

    Args:
        squares: sum of squared deviations from its mean within each cell, [m].
        sizes: replicates of each, [m]; what a single one would show is not known.
    """
    freedom = (sizes - 1.0)[sizes > 1]
    variances = squares[sizes > 1] / freedom
    # of normal values; the square of the estimated variance is too large by (f + 2)/f
    fourth = variances**2 * freedom / (freedom + 2.0)
    between = np.sum(variances) ** 2 / (len(freedom) * np.sum(fourth))
    within = np.sum(freedom * variances) ** 2 / (np.sum(freedom) * np.sum(freedom * fourth))
    return min(1.0, float(between)), min(1.0, float(within))


def chance(found: LackOfFit) -> str:
    """The probability of such an F where the model is right, in words."""
    if found.p_value < 0.001:
        return "p < 0.001"
    return f"p {'≤' if found.bounded else '='} {found.p_value:.2g}"


def statistic(found: LackOfFit) -> str:
    """F and its degrees of freedom, in words."""
    degrees = f"{found.model_degrees_of_freedom}, {found.noise_degrees_of_freedom}"
    return f"F({degrees}) {'≥' if found.bounded else '='} {found.f:,.4g}"


def rejection(found: LackOfFit) -> str:
    """Say that the model is rejected, and by how much."""
    return (
        f"The replicates reject the model: cells deviate from it by {found.misfit_percent:.2g} %, "
        f"runs from their cell by {'at most ' if found.bounded else ''}{found.noise_percent:.2g} % "
        f"({statistic(found)})."
    )
