# SPDX-License-Identifier: Apache-2.0
"""Summaries of the replicates of a cell: mean, standard deviation, t interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist


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
    replicates = [float(value) for value in values]
    if not replicates:
        raise ValueError("a cell without replicates has no summary")
    if not all(map(math.isfinite, replicates)):
        raise ValueError("a replicate is not a finite number")
    n = len(replicates)
    mean = math.fsum(replicates) / n
    if n == 1:
        return from_moments(1, mean, None)
    # the second sum corrects for the rounding of the mean
    squares = math.fsum((value - mean) ** 2 for value in replicates)
    rounding = math.fsum(value - mean for value in replicates)
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


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees_of_freedom: int) -> float:
    """Return the quantile of Student's t distribution.

    The tail probability is the regularised incomplete beta function I_x(df/2, 1/2) with
    x = df/(df + t²), halved (Abramowitz and Stegun 26.7.1); the quantile is found by bisection in
    t, which needs no derivative and cannot miss.

    Args:
        probability: between 0 and 1, both excluded.
        degrees_of_freedom: at least 1.
    """
    if not 0.0 < probability < 1.0:
        raise ValueError("a probability lies between 0 and 1")
    if degrees_of_freedom < 1:
        raise ValueError("there is at least one degree of freedom")
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -t_quantile(1.0 - probability, degrees_of_freedom)
    if degrees_of_freedom > 2000:
        return _t_quantile_near_normal(probability, degrees_of_freedom)
    tail = 1.0 - probability
    high = 1.0
    while _t_tail(high, degrees_of_freedom) > tail:
        high *= 2.0
    low = 0.0
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return middle
        if _t_tail(middle, degrees_of_freedom) > tail:
            low = middle
        else:
            high = middle


def _t_quantile_near_normal(probability: float, df: int) -> float:
    """Expand the quantile in 1/df about that of the normal distribution (Abramowitz 26.7.5)."""
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(df) ** power for power, term in enumerate(terms, start=1))


def _t_tail(t: float, df: int) -> float:
    """Return P(T > t) for t ≥ 0."""
    x = df / (df + t * t)
    complement = t * t / (df + t * t)  # 1 - x would lose digits
    if complement <= 0.0:
        return 0.5
    a, b = 0.5 * df, 0.5
    # x^a (1 - x)^b / B(a, b); log1p, for x is close to 1 when df is large
    front = math.exp(
        _log_gamma_step(a)
        - math.lgamma(0.5)
        - a * math.log1p(t * t / df)
        + b * math.log(complement)
    )
    if x < (a + 1.0) / (a + b + 2.0):  # where the continued fraction converges fast
        return 0.5 * front * _beta_fraction(a, b, x) / a
    return 0.5 * (1.0 - front * _beta_fraction(b, a, complement) / b)


def _log_gamma_step(a: float) -> float:
    """Return log(Γ(a + ½)/Γ(a)); for large a by its series, as the difference would cancel."""
    if a < 50.0:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of I_x(a, b) by Lentz's method (Abramowitz 26.5.8)."""
    tiny = 1e-300
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0), tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for step in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + step * d, tiny)
            c = _away_from_zero(1.0 + step / c, tiny)
            result *= c * d
        if abs(c * d - 1.0) < 1e-16:
            return result
    raise ArithmeticError("the continued fraction of the t distribution did not converge")


def _away_from_zero(value: float, tiny: float) -> float:
    return tiny if abs(value) < tiny else value
