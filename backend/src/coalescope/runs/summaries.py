# SPDX-License-Identifier: Apache-2.0
"""A cell's summary of one measure from the values of its current runs. Pure."""

from collections.abc import Sequence
from math import fsum, sqrt

import numpy as np

try:
    from coalescope_models.statistics import from_moments, summarise
except ImportError:  # TEMPORARY
    from types import SimpleNamespace

    from scipy.stats import t

    def from_moments(n, mean, sd):
        h = None if sd is None or n < 2 else t.ppf(0.975, n - 1) * sd / sqrt(n)
        return SimpleNamespace(
            n=n, mean=mean, sd=sd, ci95=None if h is None else (float(mean - h), float(mean + h))
        )

    def summarise(v):
        return from_moments(len(v), float(v.mean()), float(v.std(ddof=1)) if len(v) > 1 else None)


from coalescope.experiments.records import SummaryRecord
from coalescope.runs.records import MeasuredValue


def summarise_values(values: Sequence[MeasuredValue]) -> SummaryRecord:
    """n, mean, sd and 95 % t interval with n − 1 degrees of freedom.

    The replicate is the sampling unit. Rows that are means of several replicates are pooled
    exactly: the squares within them, (nᵢ − 1)sᵢ², and between them, nᵢ(mᵢ − m)², add up. If a
    row of several replicates has no deviation, the cell's deviation is not known.
    """
    if all(value.n == 1 for value in values):
        found = summarise(np.array([value.value for value in values]))
    else:
        found = from_moments(*_pooled(values))
    return SummaryRecord(found.n, found.mean, found.sd, found.ci95)


def _pooled(values: Sequence[MeasuredValue]) -> tuple[int, float, float | None]:
    total = sum(value.n for value in values)
    mean = fsum(value.n * value.value for value in values) / total
    if len(values) == 1:
        return total, values[0].value, values[0].sd
    if any(value.n > 1 and value.sd is None for value in values):
        return total, mean, None
    within = fsum((value.n - 1) * (value.sd or 0.0) ** 2 for value in values)
    between = fsum(value.n * (value.value - mean) ** 2 for value in values)
    return total, mean, sqrt((within + between) / (total - 1))
