# SPDX-License-Identifier: Apache-2.0
"""Intervals that hold only if what scatters is independent are given under that condition."""

from __future__ import annotations

from dataclasses import replace

from .result import FitResult


def conditional_where_doubtful(result: FitResult) -> FitResult:
    """Return the fit whose doubtful intervals are `ci95_if_independent`, and `ci95` None.

    Doubtful are those of a model that its replicates reject: settings that are near each other may
    share what the model misses. So are those of runs or blocks that are too few to show whether
    one resembles the one before it. Standard errors and covariance stay.
    """
    misfit, sequence = result.diagnostics.lack_of_fit, result.independence
    rejected = misfit is not None and misfit.rejected
    if not (rejected or (sequence is not None and sequence.doubtful)):
        return result
    conditional = {
        name: replace(own, ci95=None, ci95_if_independent=own.ci95)
        for name, own in result.estimates.items()
    }
    return replace(result, estimates=conditional)
