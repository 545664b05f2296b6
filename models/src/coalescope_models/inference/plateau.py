# SPDX-License-Identifier: Apache-2.0
"""How far settings lie below the best, where several may be exactly as good.

A measure that more is wanted of saturates: many settings reach what the link, the processor or the
senders bound. If each setting's value were its own, the best of forty measured values would lie
two standard errors above what all of them reach, and hardly any would be sure to lie within one
percent of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Floats = NDArray[np.float64]

#: Shares of the settings that are as good as the best, each as likely before anything is measured.
_SHARES = np.linspace(0.05, 0.95, 10)
#: Mean losses of the others, as logarithms: from one percent to a factor of twenty, each as likely.
_LOSSES = np.geomspace(0.01, 3.0, 10)
_LEVELS = 160
#: A level further above a setting than this, in standard errors, is as good as excluded.
_FAR = 6.0
_TAIL = 0.99


def draw(
    means: Floats, variances: Floats, freedom: Floats, count: int, rng: np.random.Generator
) -> Floats:
    """Draw what settings are worth: each lies at the best level, or an exponential loss below it.

    Of the mixture of a point and a continuous part (Mitchell and Beauchamp, Journal of the American
    Statistical Association 83, 1988, https://doi.org/10.1080/01621459.1988.10478694) level, share
    and mean loss are summed over a grid, and settings are independent given these: nothing is
    iterated. Standard errors are widened by the t distribution's 99 % point.

    Args:
        means: of each setting's runs, logarithms of which more is wanted, [settings].
        variances: of these means, [settings]; positive.
        freedom: degrees of freedom of the variances, [settings].
        count: draws.
        rng: for the draws.

    Returns:
        True values of the settings, [draws, settings].
    """
    errors = np.sqrt(variances) * stats.t.ppf(_TAIL, freedom) / stats.norm.ppf(_TAIL)
    levels = np.linspace(
        (means - _FAR * errors).max(), (means + _FAR / 2.0 * errors).max(), _LEVELS
    )
    away = (levels[:, None] - means) / errors  # [levels, settings]
    ratio = errors / _LOSSES[:, None, None]  # [losses, 1, settings]
    at_best = -0.5 * away**2 - np.log(errors) - 0.5 * math.log(2.0 * math.pi)
    below = (
        0.5 * ratio**2
        - away * ratio
        + special.log_ndtr(away - ratio)
        - np.log(_LOSSES)[:, None, None]
    )
    likely = np.stack(
        [np.logaddexp(math.log(s) + at_best, math.log1p(-s) + below).sum(axis=-1) for s in _SHARES]
    )  # [shares, losses, levels]
    weights = np.exp(likely - likely.max())
    picked = rng.choice(weights.size, size=count, p=weights.ravel() / weights.sum())
    share, loss, level = np.unravel_index(picked, weights.shape)
    odds = special.logit(_SHARES)[share][:, None] + at_best[level] - below[loss, level]
    is_best = rng.random(odds.shape) < special.expit(odds)
    # a normal variable about `middle`, cut off below 0, in standard errors
    middle = away[level] - ratio[loss, 0]
    chance = np.maximum(rng.random(odds.shape) * special.ndtr(middle), np.finfo(np.float64).tiny)
    lost = np.where(is_best, 0.0, np.maximum(middle - special.ndtri(chance), 0.0))
    drawn: Floats = levels[level][:, None] - errors * lost
    return drawn
