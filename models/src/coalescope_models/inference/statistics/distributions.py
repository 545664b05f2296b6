# SPDX-License-Identifier: Apache-2.0
"""Student's and Fisher's distributions, without a library: the page's Python needs them too."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees_of_freedom: float) -> float:
    """Return the quantile of Student's t distribution.

    The tail probability is the regularised incomplete beta function I_x(df/2, 1/2) with
    x = df/(df + t²), halved (Abramowitz and Stegun 26.7.1). For t ≥ 0 it falls and is convex, so
    that Newton's steps from 0 approach the quantile from the left and cannot miss.

    Args:
        probability: between 0 and 1, both excluded.
        degrees_of_freedom: at least 1; it need not be whole (Welch).
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
    t = 0.0
    while True:
        step = (_t_tail(t, degrees_of_freedom) - tail) / _t_density(t, degrees_of_freedom)
        if not step > 2e-16 * t:
            return t
        t += step


def _t_quantile_near_normal(probability: float, df: float) -> float:
    """Expand the quantile in 1/df about that of the normal distribution (Abramowitz 26.7.5)."""
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / df**power for power, term in enumerate(terms, start=1))


def _t_density(t: float, df: float) -> float:
    exponent = _log_gamma_step(0.5 * df) - 0.5 * (df + 1.0) * math.log1p(t * t / df)
    return math.exp(exponent) / math.sqrt(math.pi * df)


def _t_tail(t: float, df: float) -> float:
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


def t_two_sided(t: float, degrees_of_freedom: float) -> float:
    """Return the probability of |T| ≥ |t| under Student's t distribution.

    Args:
        t: any number.
        degrees_of_freedom: above 0; it need not be whole (Welch).
    """
    return 1.0 if t == 0.0 else 2.0 * _t_tail(abs(t), degrees_of_freedom)


def f_tail(f: float, between: float, within: float) -> float:
    """Return the probability of a larger value under Fisher's F distribution.

    I_x(within/2, between/2) at x = within/(within + between f) (Abramowitz and Stegun 26.6.2).

    Args:
        f: ratio of two variances, not negative.
        between: degrees of freedom of its numerator.
        within: of its denominator.
    """
    if f <= 0.0:
        return 1.0
    if math.isinf(between * f):
        return 0.0
    x = within / (within + between * f)
    complement = between * f / (within + between * f)
    if complement <= 0.0:  # f is so small that the product is below the smallest number
        return 1.0
    a, b = 0.5 * within, 0.5 * between
    front = math.exp(
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * math.log(complement)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, complement) / b


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
