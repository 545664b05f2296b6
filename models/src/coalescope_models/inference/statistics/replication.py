# SPDX-License-Identifier: Apache-2.0
"""Which cells to measure again, and how often, for intervals of a wanted width."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from .distributions import t_quantile
from .summary import CellSummary

_MOST = 10_000


@dataclass(frozen=True)
class Plan:
    """What one cell needs.

    Attributes:
        relative_half_width: of its 95 % interval now, over its mean; None where it has none.
        needed: replicates in all for the wanted width; 10,000 where they may not suffice.
        more: replicates to add.
        borrowed: whether its own deviation is unknown and that of the other cells was taken.
    """

    relative_half_width: float | None
    needed: int
    more: int
    borrowed: bool


def plan_replicates(
    cells: Mapping[Hashable, CellSummary], relative_half_width: float
) -> dict[Hashable, Plan]:
    """Plan replicates so that each mean is known to ± the wanted share of it, with 95 %.

    The smallest n with t(0.975, n − 1) s/√n ≤ width × mean, s as measured. A cell without a
    deviation of its own takes the root mean square relative deviation of the others.

    Args:
        cells: summaries by cell; means must not be zero.
        relative_half_width: wanted, as a share of the mean.

    Returns:
        A plan for each cell, the most needy first.

    Raises:
        ValueError: the width is not positive, a mean is zero, or no cell has a deviation.
    """
    if not relative_half_width > 0.0:
        raise ValueError("the wanted width must be positive")
    relative = {cell: _relative_sd(cell, summary) for cell, summary in cells.items()}
    known = [(cells[c].n - 1, s) for c, s in relative.items() if s is not None]
    if not known and any(summary.n > 1 for summary in cells.values()):
        raise ValueError(
            "means of several runs came without their deviation, so nothing is known of the spread"
        )
    if not known:
        raise ValueError(
            "no cell has two replicates, so nothing is known of the spread: measure some twice"
        )
    pooled = math.sqrt(sum(f * s * s for f, s in known) / sum(f for f, _ in known))
    plans = {
        cell: _plan(summary, relative[cell], pooled, relative_half_width)
        for cell, summary in cells.items()
    }
    return dict(sorted(plans.items(), key=lambda item: -item[1].more))


def _relative_sd(cell: Hashable, summary: CellSummary) -> float | None:
    if summary.mean == 0.0:
        raise ValueError(f"cell {cell}: a relative width needs a mean that is not zero")
    return None if summary.sd is None else summary.sd / abs(summary.mean)


def _plan(summary: CellSummary, own: float | None, pooled: float, wanted: float) -> Plan:
    sd = pooled if own is None else own
    now = None
    if own is not None:
        now = t_quantile(0.975, summary.n - 1) * own / math.sqrt(summary.n)
    needed = _smallest(sd, wanted)
    # chance may have made few replicates agree: what is known already is never taken back
    if now is not None and now <= wanted:
        needed = min(needed, summary.n)
    return Plan(now, needed, max(needed - summary.n, 0), own is None)


def _smallest(relative_sd: float, wanted: float) -> int:
    """Return the smallest n ≥ 2 whose interval is narrow enough, by bisection."""

    def wide(n: int) -> bool:
        return t_quantile(0.975, n - 1) * relative_sd / math.sqrt(n) > wanted

    low, high = 1, 2
    while wide(high) and high < _MOST:
        low, high = high, min(2 * high, _MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high
