# SPDX-License-Identifier: Apache-2.0
"""Several tests at once: p-values such that any false alarm is as rare as one alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return adjusted p-values: the smallest times their number, the next times one less, …

    Holm, Scandinavian Journal of Statistics 6 (1979). No independence of the tests is needed.
    """
    adjusted: dict[K, float] = {}
    largest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda of: p_values[of])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = largest
    return adjusted


def holm_levels(p_values: Mapping[K, float], level: float) -> dict[K, float]:
    """Return the level that each is tested at, so that any false alarm is as rare as `level`.

    The smallest p-value is tested at `level` over their number, the next at `level` over one less,
    … until one is not below. What follows has that one's level, and so is not below it either.
    """
    levels: dict[K, float] = {}
    share, open_still = level, True
    for rank, name in enumerate(sorted(p_values, key=lambda of: p_values[of])):
        if open_still:
            share = level / (len(p_values) - rank)
        open_still = open_still and p_values[name] < share
        levels[name] = share
    return levels
