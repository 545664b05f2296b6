# SPDX-License-Identifier: Apache-2.0
"""Summaries of the replicates of a cell: mean, standard deviation, t interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from .distributions import t_quantile


@dataclass(frozen=True)
class CellSummary:
    """What n replicates say.

    Attributes:
        n: number of replicates.
        mean: their mean.
        sd: their standard deviation with n − 1; None for one replicate, or when it is not known.
        ci95: mean ± t(0.975, n − 1) sd/√n; None without a standard deviation.
    """

    n: int
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None


def summarise(values: Iterable[float]) -> CellSummary:
    """Summarise replicates.

    Sums are exact before they are rounded, so the order of the replicates does not matter.

    Args:
        values: finite numbers, at least one.

    Raises:
        ValueError: there is none, or one is not finite.
    """
    replicates = list(map(float, values))
    if not replicates:
        raise ValueError("a cell without replicates has no summary")
    if not all(map(math.isfinite, replicates)):
        raise ValueError("a replicate is not a finite number")
    n = len(replicates)
    mean = math.fsum(replicates) / n
    if n == 1:
        return from_moments(1, mean, None)
    # the second sum corrects for the rounding of the mean
    deviations = [value - mean for value in replicates]
    squares = math.fsum([deviation**2 for deviation in deviations])
    rounding = math.fsum(deviations)
    return from_moments(n, mean, math.sqrt(max(squares - rounding**2 / n, 0.0) / (n - 1)))


def from_moments(n: int, mean: float, sd: float | None) -> CellSummary:
    """Summarise a cell of which only the moments are known, as published tables give them.

    Args:
        n: number of replicates.
        mean: their mean.
        sd: their standard deviation with n − 1, None when it is not known.

    Raises:
        ValueError: n is not positive, sd is negative, or a number is not finite.
    """
    if n < 1:
        raise ValueError("a cell has at least one replicate")
    if not math.isfinite(mean):
        raise ValueError("the mean is not a finite number")
    if sd is None or n == 1:
        return CellSummary(n, mean, None, None)
    if not math.isfinite(sd) or sd < 0.0:
        raise ValueError("a standard deviation is a finite number and not negative")
    half = t_quantile(0.975, n - 1) * sd / math.sqrt(n)
    return CellSummary(n, mean, sd, (mean - half, mean + half))


def interval_by_cluster(
    values: Sequence[float], clusters: Sequence[Hashable], *, about_a_line: bool = False
) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of values that share what differs between clusters.

    Mean ± t(0.975, G - 1) s with s² = G/(G - 1) Σ (n_g (m_g - m)/n)², G clusters of n_g values
    with mean m_g. With one value in each it is that of independent values.

    Args:
        values: finite numbers, [n].
        clusters: label of each, [n].
        about_a_line: a line over the clusters was taken out of the values: G - 2 stands in the
            place of G - 1.

    Returns:
        None for one cluster, or two about a line, which do not tell how clusters differ.
    """
    mean = math.fsum(values) / len(values)
    off: dict[Hashable, float] = {}
    for value, label in zip(values, clusters, strict=True):
        off[label] = off.get(label, 0.0) + (value - mean) / len(values)
    count = len(off)
    freedom = count - 2 if about_a_line else count - 1
    if freedom < 1:
        return None
    error = math.sqrt(count / freedom * math.fsum(own * own for own in off.values()))
    half = t_quantile(0.975, freedom) * error
    return mean - half, mean + half
