# SPDX-License-Identifier: Apache-2.0
"""Whether runs that do not belong with the others of their cell spoil the intervals of a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .dependence import without_intervals
from .points import Floats, Groups
from .result import Estimate, FitResult
from .robust import outlying, told_of_outliers
from .said_of_intervals import ALIKE_WITHOUT_OUTLIERS, BUT_OF_A_MODEL_THAT_HOLDS

#: Standard errors by which outlying runs may move an estimate: 95 % are 94.3 % then.
_MOVED = 0.25
#: Factor by which they may change a standard error.
_WIDENED = 1.25
_STANDARD_ERRORS = 3.92


def in_view_of_outliers(
    result: FitResult,
    deviations: Floats,
    cells: Groups,
    refit: Callable[[NDArray[np.intp]], FitResult],
) -> FitResult:
    """Return the fit without the intervals that outlying runs spoil, and with a word of them.

    Where replicates reject the model, the intervals of their spread alone can be spoiled while
    those that include the misfit, which are far longer, are not.

    Args:
        result: the fit of all runs.
        deviations: of it from each run, as `outlying` takes them.
        cells: groups of replicates.
        refit: from the rows that are left out to a fit with intervals of the same kind.
    """
    rows = outlying(deviations, cells)
    if not len(rows):
        return result
    runs = told_of_outliers(len(rows))
    if all(own.ci95 is None for own in result.estimates.values()):
        return _saying(result, f"{runs}: compare the method robust.")
    others = refit(rows).estimates
    if _spoiled(result.estimates, others):
        return without_intervals(
            result,
            f"{runs}, and without them the fit is another: no interval is given; compare the "
            "method robust, leave them out, or measure again.",
        )
    words = ALIKE_WITHOUT_OUTLIERS
    if _spoiled(_if_model_holds(result.estimates), _if_model_holds(others)):
        words += BUT_OF_A_MODEL_THAT_HOLDS
        bare = {
            name: replace(own, ci95_if_model_holds=None) for name, own in result.estimates.items()
        }
        result = replace(result, estimates=bare)
    return _saying(result, f"{runs}{words}. Compare the method robust.")


def _saying(result: FitResult, words: str) -> FitResult:
    return replace(result, message=" ".join(filter(None, (result.message, words))))


def _if_model_holds(estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {
        name: replace(own, ci95=own.ci95_if_model_holds, standard_error=None)
        for name, own in estimates.items()
    }


def _spoiled(estimates: Mapping[str, Estimate], others: Mapping[str, Estimate]) -> bool:
    return any(_apart(own, others[name]) for name, own in estimates.items())


def _apart(own: Estimate, other: Estimate) -> bool:
    """Whether the other is off by more, or known less or better, than an interval bears."""
    if own.ci95 is None:
        return False
    if own.value is None or other.value is None or other.ci95 is None:
        return True
    error, of_other = _standard_error(own), _standard_error(other)
    moved = abs(own.value - other.value) > _MOVED * min(error, of_other)
    return moved or max(error, of_other) > _WIDENED * min(error, of_other)


def _standard_error(own: Estimate) -> float:
    """That of the estimate, or of an interval of its length: costs held at 0 have none."""
    if own.standard_error is not None:
        return own.standard_error
    lo, hi = own.ci95 or (0.0, 0.0)
    return (hi - lo) / _STANDARD_ERRORS
