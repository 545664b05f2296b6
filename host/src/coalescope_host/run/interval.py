# SPDX-License-Identifier: Apache-2.0
"""The mean over replicates, and its 95 % interval. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

#: The 97.5 % quantile of Student's t with 1 … 30 degrees of freedom.
_T = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL = 1.959964

#: What stands behind a mean that its interval is wider than.
UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class Interval:
    """A mean and half the width of its interval; None where a single replicate gives none.

    Attributes:
        step: what the counters behind it cannot tell apart, in its unit; 0 where that is nothing.
    """

    mean: float
    half: float | None
    step: float = 0.0

    def __str__(self) -> str:
        """The mean to the digits that its interval leaves, as the page shows it.

        Half of the interval ends at its first digit, or at its second where the first is a one.
        It is a step at least: counters that stood still between two steps are not that sure.
        """
        if self.half is None:
            return f"{_round(self.mean, 4):.15g}"
        if self.half > abs(self.mean):
            return f"{_round(self.mean, 2):.15g} {UNRESOLVED}"
        half = max(self.half, self.step)
        places = _places(half) if half > 0 else 3
        shown = min(max(places, 0), 8)
        return f"{round(self.mean, places):.{shown}f} ±{round(half, places):.{shown}f}"


def _places(half: float) -> int:
    """Decimals, negative before the point; as `digitsOfHalf` in frontend/src/plots/number.ts."""
    power = math.floor(math.log10(half))
    return 1 - power if half / 10.0**power < 2 else -power


def _round(value: float, digits: int) -> float:
    """To significant digits."""
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0


def interval_of(values: Sequence[float], step: float = 0.0) -> Interval:
    """The replicate is the sampling unit: n - 1 degrees of freedom."""
    if len(values) < 2:
        return Interval(fmean(values), None, step)
    half = t_quantile(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Interval(fmean(values), half, step)


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t."""
    if freedom <= len(_T):
        return _T[freedom - 1]
    return _NORMAL + (_NORMAL**3 + _NORMAL) / (4 * freedom)
