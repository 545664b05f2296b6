# SPDX-License-Identifier: Apache-2.0
"""How the spread of replicates grows with the response: one power for all cells.

The variance of a single cell is too little known to weigh by: of three replicates, a 95 % interval
of it spans a factor of 146. A function with one parameter takes all replicates together (Carroll
and Ruppert 1988, chapter 3).
"""

from __future__ import annotations

import numpy as np

from .points import Floats, Groups

#: Replicates beyond the first of each cell below which the power is not estimated.
FEWEST = 10
#: The powers that are searched: beyond, a few cells would decide over everything.
_LARGEST = 3.0
_ROUNDING = 1e-12


def power_of_spread(deviations: Floats, response: Floats, cells: Groups) -> float:
    """Estimate θ of sd(T)/T = s Tᶿ by pseudo-likelihood of the deviations within cells.

    0 is a constant relative spread, −1 a constant absolute one, −½ that of counts.

    Args:
        deviations: of each replicate from the model, relative to its cell's response, [N].
        response: mean of each cell, positive, [cells].
        cells: groups of replicates.
    """
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  not at start-up

    own = deviations[cells.order]
    means = np.add.reduceat(own, cells.starts) / cells.sizes
    squares = np.add.reduceat((own - np.repeat(means, cells.sizes)) ** 2, cells.starts)
    freedom = cells.sizes - 1.0
    levels = np.log(response)
    levels = levels - freedom @ levels / freedom.sum()
    if np.ptp(levels[freedom > 0]) <= _ROUNDING or squares.sum() <= _ROUNDING**2:
        return 0.0

    def spread(power: float) -> float:
        return float(np.log(squares @ np.exp(-2.0 * power * levels)))

    found = minimize_scalar(spread, bounds=(-_LARGEST, _LARGEST), options={"xatol": 1e-10})
    return float(found.x)


def relative_variance(power: float, response: Floats) -> Floats:
    """Variance of a replicate relative to its squared response, up to a factor, [cells]."""
    variance: Floats = np.exp(2.0 * power * (np.log(response) - np.log(response).mean()))
    return variance


def why_no_power(cells: Groups) -> str | None:
    """Say why the power cannot be estimated, None when it can."""
    freedom = int(len(cells.order) - cells.count)
    if freedom >= FEWEST and np.count_nonzero(cells.sizes > 1) > 1:
        return None
    return (
        f"Weighing by variance needs {FEWEST} replicates beyond the first of each cell, in at "
        f"least two cells, and there are {freedom}. Measure settings again, or use ols."
    )


def told(power: float) -> str:
    """Say what the weights follow."""
    return (
        "Cells are weighed by their number of runs, and by a standard deviation that goes with the "
        f"response to the power of {1.0 + power:.2f}."
    )
