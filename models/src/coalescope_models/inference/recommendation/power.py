# SPDX-License-Identifier: Apache-2.0
"""How many runs would be enough to choose a setting, where those that there are choose none."""

from __future__ import annotations

import math

import numpy as np

from .choice import GUARD_RISK, LOSS_RISK, MOST_RIVALS, risks
from .trade_off import Allowed, Floats

_POWER = 0.8


def more_runs(scores: Floats, kept: Allowed, freedom: float, tolerance: float) -> float:
    """Return how many times as many runs of each setting choose one, in four of five tries.

    If means and deviations stay as they are. How many deviations of its draws a setting lies within
    a limit follows from the share of draws that keep it, and grows with the root of the number of
    runs. Infinite where no setting lies within all of them.

    Args:
        scores: logarithmic scores, [draws, settings].
        kept: whether the setting keeps the guards, [draws, settings].
        freedom: degrees of freedom of the t distribution that was drawn from.
        tolerance: loss, as a share, that does not matter.
    """
    share = kept.mean(axis=0)
    able = np.flatnonzero(share > 0.5)
    able = able[np.argsort(-np.nanmedian(scores[:, able], axis=0))[:MOST_RIVALS]]
    risk = risks(scores, kept, able, tolerance)
    guarded, near = _deviations(share[able], freedom), _deviations(1.0 - risk, freedom)
    with np.errstate(divide="ignore"):
        needed = np.maximum(_enough(GUARD_RISK) / guarded, _enough(LOSS_RISK) / near) ** 2
    return float(needed.min(initial=math.inf))


def _deviations(share: Floats, freedom: float) -> Floats:
    """How many deviations lie between the middle of the draws and a limit that a share keeps."""
    from scipy import stats  # noqa: PLC0415  not at start-up

    found: Floats = np.maximum(stats.t.ppf(share, freedom), 0.0)
    return found


def _enough(risk: float) -> float:
    """How many must, for the limit to be kept but for that risk in four of five tries."""
    from scipy import stats  # noqa: PLC0415  not at start-up

    return float(stats.norm.isf(risk) + stats.norm.ppf(_POWER))
