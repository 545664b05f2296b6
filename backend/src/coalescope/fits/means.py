# SPDX-License-Identifier: Apache-2.0
"""What rows of means say of the runs behind them."""

from collections.abc import Mapping, Sequence

import numpy as np
from coalescope_models.inference.fitting import Stated

from coalescope.runs.records import RunValues


def stated(
    rows: Sequence[RunValues], response: str, counted: Mapping[str, tuple[str, float]]
) -> Stated | None:
    """Numbers and deviations of the runs behind rows; None where no row says so of the response.

    `counted` holds the measure of each other column, and by what it is multiplied there.
    """
    if not any(response in run.means for run in rows):
        return None
    numbers = [run.means[response].n if response in run.means else 1 for run in rows]
    columns = {**counted, response: (response, 1.0)}
    spread = {
        column: scale * np.array([_deviation(run, measure) for run in rows])
        for column, (measure, scale) in columns.items()
    }
    return Stated(np.array(numbers), spread)


def _deviation(run: RunValues, measure: str) -> float:
    sd = run.means[measure].sd if measure in run.means else None
    return float("nan") if sd is None else sd
