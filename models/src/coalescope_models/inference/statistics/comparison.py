# SPDX-License-Identifier: Apache-2.0
"""Two settings, two experiments, two driver versions: ratios of means with intervals."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from .distributions import t_quantile, t_two_sided
from .holm import holm
from .summary import CellSummary

#: Of the upper end of an interval.
_LARGEST_LOG = 700.0


@dataclass(frozen=True)
class Difference:
    """How a cell of B stands to the same cell of A.

    Attributes:
        ratio: mean of B over mean of A.
        ci95: of the ratio, for this cell alone; None where neither has replicates.
        simultaneous_ci95: the same, such that all cells of the comparison are covered together with
            95 %.
        p_value: probability of a ratio this far from 1 if the means were equal, adjusted for the
            number of cells (Holm 1979).
        resolved: whether the adjusted p-value is below 5 %.
    """

    ratio: float
    ci95: tuple[float, float] | None
    simultaneous_ci95: tuple[float, float] | None
    p_value: float | None
    resolved: bool


@dataclass(frozen=True)
class Spread:
    """How well logarithms of ratios are known, where replicates alone would not tell it.

    Attributes:
        cells: variance and degrees of freedom by cell; None, or no entry, where there is no
            interval.
        overall: of their mean; None where there is no interval.
    """

    cells: Mapping[Hashable, tuple[float, float] | None]
    overall: tuple[float, float] | None


@dataclass(frozen=True)
class Comparison:
    """B against A over the cells that both have.

    Attributes:
        cells: by cell.
        overall_ratio: geometric mean of the ratios; each cell weighs alike.
        overall_ci95: its interval; None where some cell has no replicates.
        overall_p_value: probability of a ratio this far from 1 if the means were equal; None as is
            the interval.
        unmatched: cells that only one of the two has.
        spread: how well the logarithms of the ratios are known.
    """

    cells: Mapping[Hashable, Difference]
    overall_ratio: float
    overall_ci95: tuple[float, float] | None
    overall_p_value: float | None
    unmatched: tuple[Hashable, ...]
    spread: Spread


@dataclass(frozen=True)
class _LogRatio:
    value: float
    variance: float | None
    freedom: float


def compare(
    a: Mapping[Hashable, CellSummary],
    b: Mapping[Hashable, CellSummary],
    spread: Spread | None = None,
) -> Comparison:
    """Compare two sets of cells, ratio B over A.

    Ratios are compared on the logarithmic scale: its variance is the sum of the squared relative
    standard errors, its degrees of freedom are Welch's (Biometrika 34, 1947). The intervals of all
    cells together are Bonferroni's, the p-values Holm's.

    Args:
        a: summaries by cell. Means must be positive.
        b: the same for what is compared with it.
        spread: of the ratios, in the place of what independent replicates would give (`contrast`).

    Raises:
        ValueError: they have no cell in common, or a mean is not positive.
    """
    common = [cell for cell in a if cell in b]
    if not common:
        raise ValueError("the two have no cell in common: compare experiments of equal settings")
    ratios = {cell: _log_ratio(cell, a[cell], b[cell]) for cell in common}
    if spread is not None:
        ratios = {c: _known_to(own.value, spread.cells.get(c)) for c, own in ratios.items()}
    raw = {cell: _p_value(ratio) for cell, ratio in ratios.items()}
    adjusted = holm({cell: p for cell, p in raw.items() if p is not None})
    cells = {
        cell: Difference(
            ratio=math.exp(ratio.value),
            ci95=_interval(ratio, 0.05),
            simultaneous_ci95=_interval(ratio, 0.05 / len(common)),
            p_value=adjusted.get(cell),
            resolved=adjusted.get(cell, 1.0) < 0.05,
        )
        for cell, ratio in ratios.items()
    }
    overall = _mean(list(ratios.values()))
    if spread is not None:
        overall = _known_to(overall.value, spread.overall)
    unmatched = tuple(c for c in (*a, *b) if (c in a) != (c in b))
    known = Spread({cell: _known(ratio) for cell, ratio in ratios.items()}, _known(overall))
    return Comparison(
        cells=cells,
        overall_ratio=math.exp(overall.value),
        overall_ci95=_interval(overall, 0.05),
        overall_p_value=_p_value(overall),
        unmatched=unmatched,
        spread=known,
    )


@dataclass(frozen=True)
class Beyond:
    """How surely ratios lie beyond a limit, on one side of it.

    Each p-value is the largest level at which the two-sided interval reaches the limit: below
    0.05, the 95 % interval lies wholly beyond.

    Attributes:
        overall: of the overall ratio; None without an interval.
        cells: of each cell, with Bonferroni's factor for their number; None without an interval.
    """

    overall: float | None
    cells: Mapping[Hashable, float | None]

    @property
    def p_value(self) -> float:
        """That any of them is called beyond though none is: the smallest. 1 where none is known.

        Each is of two sides, and only one counts: overall and cells together make no more than it.
        """
        known = [p for p in (self.overall, *self.cells.values()) if p is not None]
        return min(known, default=1.0)


def beyond(comparison: Comparison, limit: float, *, above: bool) -> Beyond:
    """How surely the ratios are above, or below, this limit (a ratio, above 0 or at it)."""
    log_limit = math.log(limit) if limit > 0.0 else -math.inf
    sign = 1.0 if above else -1.0

    def p_value(ratio: float, known: tuple[float, float] | None) -> float | None:
        if known is None:
            return None
        past, (variance, freedom) = sign * (math.log(ratio) - log_limit), known
        if variance == 0.0 or math.isinf(past):
            return 0.0 if past > 0.0 else 1.0
        return t_two_sided(past / math.sqrt(variance), freedom) if past > 0.0 else 1.0

    count = len(comparison.cells)
    cells = {
        cell: p_value(difference.ratio, comparison.spread.cells[cell])
        for cell, difference in comparison.cells.items()
    }
    return Beyond(
        p_value(comparison.overall_ratio, comparison.spread.overall),
        {cell: None if p is None else min(1.0, count * p) for cell, p in cells.items()},
    )


def _log_ratio(cell: Hashable, a: CellSummary, b: CellSummary) -> _LogRatio:
    for summary in (a, b):
        if summary.mean <= 0.0:
            raise ValueError(f"cell {cell}: a ratio needs positive means, not {summary.mean:g}")
    value = math.log(b.mean / a.mean)
    parts = [(s.sd / s.mean) ** 2 / s.n for s in (a, b) if s.sd is not None]
    freedoms = [s.n - 1 for s in (a, b) if s.sd is not None]
    if len(parts) < 2:
        return _LogRatio(value, None, 0.0)
    variance = sum(parts)
    if variance <= 0.0:
        return _LogRatio(value, 0.0, float(sum(freedoms)))
    freedom = max(1.0, variance**2 / sum(p * p / f for p, f in zip(parts, freedoms, strict=True)))
    return _LogRatio(value, variance, freedom)


def _known(ratio: _LogRatio) -> tuple[float, float] | None:
    return None if ratio.variance is None else (ratio.variance, ratio.freedom)


def _known_to(value: float, known: tuple[float, float] | None) -> _LogRatio:
    return _LogRatio(value, None, 0.0) if known is None else _LogRatio(value, *known)


def _mean(ratios: list[_LogRatio]) -> _LogRatio:
    count = len(ratios)
    value = math.fsum(ratio.value for ratio in ratios) / count
    parts = [ratio.variance for ratio in ratios if ratio.variance is not None]
    if len(parts) < count:
        return _LogRatio(value, None, 0.0)
    total = math.fsum(parts)
    if total <= 0.0:
        return _LogRatio(value, 0.0, sum(ratio.freedom for ratio in ratios))
    weights = [p * p / r.freedom for p, r in zip(parts, ratios, strict=True)]
    return _LogRatio(value, total / count**2, max(1.0, total**2 / math.fsum(weights)))


def _interval(ratio: _LogRatio, outside: float) -> tuple[float, float] | None:
    if ratio.variance is None:
        return None
    half = t_quantile(1.0 - outside / 2.0, ratio.freedom) * math.sqrt(ratio.variance)
    # with one degree of freedom and many cells, the upper end can exceed any number
    return math.exp(ratio.value - half), math.exp(min(ratio.value + half, _LARGEST_LOG))


def _p_value(ratio: _LogRatio) -> float | None:
    if ratio.variance is None:
        return None
    if ratio.variance == 0.0:
        return 1.0 if ratio.value == 0.0 else 0.0
    return t_two_sided(ratio.value / math.sqrt(ratio.variance), ratio.freedom)
