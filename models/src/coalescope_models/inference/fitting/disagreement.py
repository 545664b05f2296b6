# SPDX-License-Identifier: Apache-2.0
"""Whether other methods contradict a fit beyond the intervals of both."""

from __future__ import annotations

from collections.abc import Sequence

from .result import Estimate, FitResult


def disagreement(result: FitResult, others: Sequence[FitResult]) -> str | None:
    """Say of which parameter methods disagree by more than their intervals; None if of none.

    All methods estimate the same costs. Where the model holds, intervals that do not meet cannot
    both be right. Where replicates reject it, each method bears the misfit in its own way: then an
    estimate outside of the other's interval shows that this interval is too short.

    Args:
        result: the fit that is told.
        others: of the same data by other methods.
    """
    misfit = result.diagnostics.lack_of_fit
    rejected = misfit is not None and misfit.rejected
    told = []
    for name, own in result.estimates.items():
        found = [other for other in others if _apart(own, other.estimates[name], rejected)]
        if found:
            by = [f"{_shown(other.estimates[name])} by {other.method}" for other in found]
            told.append(f"{name} is {_shown(own)} by {result.method}, {' and '.join(by)}")
    if not told:
        return None
    how = "one is outside of another's interval" if rejected else "beyond their intervals"
    return f"Methods disagree, {how}: {'; '.join(told)}."


def _apart(one: Estimate, other: Estimate, rejected: bool) -> bool:
    if one.ci95 is None or other.ci95 is None or one.value is None or other.value is None:
        return False
    if rejected:
        return not (_within(one.value, other.ci95) and _within(other.value, one.ci95))
    return one.ci95[1] < other.ci95[0] or other.ci95[1] < one.ci95[0]


def _within(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= value <= ends[1]


def _shown(own: Estimate) -> str:
    lo, hi = own.ci95 or (0.0, 0.0)
    return f"{own.value:.3g} ({lo:.3g} to {hi:.3g})"
