# SPDX-License-Identifier: Apache-2.0
"""How much replicates scatter in each setting, where each has few of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST_FREEDOM = 1e6
_CAUTION = 0.75
_FEWEST = 10


def moderated_variances(variances: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Return the variance of a run in each setting, and its degrees of freedom.

    Settings of one experiment scatter more or less alike. How alike they are is estimated from
    their variances (the prior of Smyth, Statistical Applications in Genetics and Molecular Biology
    3(1), 2004, https://doi.org/10.2202/1544-6115.1027, section 6.2): where they differ no more than
    chance would have it, all of them count as one, and where they differ a lot, each counts alone.
    Fewer than ten variances tell too little of that: then each counts alone, a single run has the
    pooled one, and two or three runs have at least that.

    Args:
        variances: of the runs of each setting, [settings]; not read where the freedom is 0.
        freedom: degrees of freedom of each, 0 for a single run; one of them is positive.

    Returns:
        Variances and freedom, both [settings].
    """
    known = (freedom > 0) & (variances > 0)
    if not known.any():  # nothing scatters
        return np.zeros_like(variances), np.full_like(freedom, max(float(freedom.sum()), 1.0))
    own = np.where(freedom > 0, freedom, 0.0)
    pooled = float(np.sum(own * variances, where=freedom > 0) / own.sum())
    if known.sum() < _FEWEST:
        single = freedom == 0
        # two or three equal values that were rounded tell no spread of 0
        few = np.where(own <= 2.0, np.maximum(variances, pooled), variances)
        none = single | (variances == 0.0)
        return np.where(none, pooled, few), np.where(single, own.sum(), freedom)
    prior, prior_freedom = _prior(variances[known], freedom[known])
    if math.isinf(prior_freedom):
        return np.full_like(variances, pooled), np.full_like(freedom, own.sum())
    total = np.minimum(prior_freedom + own, _MOST_FREEDOM)
    mixed = (prior_freedom * prior + np.where(freedom > 0, own * variances, 0.0)) / total
    return mixed, total


def _prior(variances: Floats, freedom: Floats) -> tuple[float, float]:
    """Moments of log s²: the variance that all share, and how many degrees it counts for."""
    from scipy import special  # noqa: PLC0415  not at start-up

    half = freedom / 2.0
    centred = np.log(variances) - special.digamma(half) + np.log(half)
    mean = float(centred.mean())
    # few settings tell little of how alike they are: the upper end of a one-sided interval
    left = len(centred) - 1
    spread = float(centred.var()) * len(centred) / float(special.chdtri(left, _CAUTION))
    excess = spread - float(special.polygamma(1, half).mean())
    if not excess > 0.0:
        return math.exp(mean), math.inf
    prior_half = _inverse_trigamma(excess)
    shared = mean + float(special.digamma(prior_half)) - math.log(prior_half)
    return math.exp(shared), 2.0 * prior_half


def _inverse_trigamma(value: float) -> float:
    """Newton's method on 1/ψ′, which is convex; Smyth 2004, appendix."""
    from scipy import special  # noqa: PLC0415  not at start-up

    root = 0.5 + 1.0 / value
    for _ in range(50):
        here = float(special.polygamma(1, root))
        step = here * (1.0 - here / value) / float(special.polygamma(2, root))
        root += step
        if abs(step) < 1e-8 * root:
            break
    return root


def cell_variances(values: Floats, rows: Sequence[NDArray[np.intp]]) -> tuple[Floats, Floats]:
    """Return the moderated variance of one run in each setting, and its freedom, [settings]."""
    freedom = np.array([len(r) - 1.0 for r in rows])
    own = np.array([float(values[r].var(ddof=1)) if len(r) > 1 else 0.0 for r in rows])
    return moderated_variances(own, freedom)
