# SPDX-License-Identifier: Apache-2.0
"""Student's, Fisher's and the χ² distribution by scipy.

Fits are made on the server alone. What copies of the page work out in the browser uses
`..statistics.distributions`, which needs no library; a test holds that the two agree.
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees_of_freedom: float) -> float:
    """Return the quantile of Student's t distribution.

    Args:
        probability: between 0 and 1, both excluded.
        degrees_of_freedom: above 0; it need not be whole.
    """
    from scipy.special import stdtrit  # noqa: PLC0415  not at start-up

    return float(stdtrit(degrees_of_freedom, probability))


def f_tail(f: float, between: float, within: float) -> float:
    """Return the probability of a larger value under Fisher's F distribution.

    Args:
        f: ratio of two variances, not negative.
        between: degrees of freedom of its numerator.
        within: of its denominator.
    """
    from scipy.special import fdtrc  # noqa: PLC0415  not at start-up

    return float(fdtrc(between, within, f))


@lru_cache(maxsize=4096)
def chi_square_median(degrees_of_freedom: int) -> float:
    """Return the median of the χ² distribution with that many degrees of freedom, at least 1.

    As `scipy.stats.chi2` has it, whose import takes longer than the fit of a thousand runs.
    """
    from scipy.special import gammaincinv  # noqa: PLC0415  not at start-up

    return 2.0 * float(gammaincinv(degrees_of_freedom / 2, 0.5))
