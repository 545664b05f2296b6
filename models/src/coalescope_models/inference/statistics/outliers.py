# SPDX-License-Identifier: Apache-2.0
"""Replicates that do not belong with the others of their cell: flagged, never dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .distributions import t_quantile

#: Probability of flagging anything in a cell of normal replicates.
SIGNIFICANCE = 0.01


def outliers(
    values: Sequence[float], significance: float = SIGNIFICANCE, most: int | None = None
) -> tuple[int, ...]:
    """Return the indices of outlying replicates, in order.

    Rosner's generalised extreme Studentised deviate test (Technometrics 25, 1983): masked pairs are
    found, and a cell of normal replicates is flagged with about the given probability, of ten or
    fewer with up to two and a half times as much (simulated). Fewer than four replicates cannot
    show an outlier.

    Args:
        values: finite numbers.
        significance: of the test.
        most: how many it looks for; by default a third of the replicates. No test can look for more
            than less than half: the others would be the outliers.
    """
    n = len(values)
    if n < 4:
        return ()
    left = list(range(n))
    removed: list[int] = []
    found = 0
    for step in range(1, (n // 3 if most is None else most) + 1):
        mean = math.fsum(values[i] for i in left) / len(left)
        sd = math.sqrt(math.fsum((values[i] - mean) ** 2 for i in left) / (len(left) - 1))
        if sd <= 1e-12 * abs(mean):  # what rounding leaves of replicates that are alike
            break
        extreme = max(left, key=lambda i: abs(values[i] - mean))
        statistic = abs(values[extreme] - mean) / sd
        removed.append(extreme)
        left.remove(extreme)
        if statistic > _critical(n, step, significance):
            found = step
        if len(left) < 3:
            break
    return tuple(sorted(removed[:found]))


def _critical(n: int, step: int, significance: float) -> float:
    remaining = n - step
    probability = 1.0 - significance / (2.0 * (remaining + 1))
    t = t_quantile(probability, remaining - 1)
    return remaining * t / math.sqrt((remaining - 1 + t * t) * (remaining + 1))
