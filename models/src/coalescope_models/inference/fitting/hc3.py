# SPDX-License-Identifier: Apache-2.0
"""Least squares with standard errors that hold where variances differ (HC3)."""

from __future__ import annotations

import numpy as np

from .points import Floats, Groups, K
from .robust import RobustFit

#: Distance of a leverage from 1 below which the deviation of its row is rounding alone.
_ALONE = 1e-9


def hc3_fit(rows: Floats, cells: Groups) -> RobustFit | None:
    """Fit all runs by least squares, with covariances HC3 (MacKinnon and White 1985; statsmodels).

    Runs are scaled so that the mean response of their cell is K. By cells, HC3 is that of the
    cells' means, each weighted by its number of runs.

    Args:
        rows: counts and response of each run, [N, p + 1].
        cells: groups of replicates.

    Returns:
        The fit. `by_cells` is infinite where one cell alone determines a parameter; None where one
        run does.
    """
    means = cells.means(rows)
    of_each_run = np.empty(len(rows))
    of_each_run[cells.order] = np.repeat(means[:, -1], cells.sizes)
    found = _least_squares(rows * (K / of_each_run)[:, None], np.ones(len(rows)))
    of_cells = _least_squares(means * (K / means[:, -1:]), cells.sizes.astype(np.float64))
    if found is None:
        return None
    values, by_runs = found
    by_cells = np.full_like(by_runs, np.inf) if of_cells is None else of_cells[1]
    return RobustFit(values, np.ones(len(rows)), by_runs, by_cells)


def _least_squares(scaled: Floats, weights: Floats) -> tuple[Floats, Floats] | None:
    """Estimates, [p], and their HC3, [p, p]; None where a row alone determines a parameter."""
    from statsmodels.regression.linear_model import WLS  # noqa: PLC0415  takes a second

    lengths = np.linalg.norm(scaled[:, :-1], axis=0)
    unit = scaled[:, :-1] / lengths
    own, _ = np.linalg.qr(unit * np.sqrt(weights)[:, None])
    if np.max(np.sum(own**2, axis=1)) > 1.0 - _ALONE:
        return None
    found = WLS(scaled[:, -1], unit, weights).fit()
    return found.params / lengths, found.cov_HC3 / np.outer(lengths, lengths)
