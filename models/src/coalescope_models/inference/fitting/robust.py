# SPDX-License-Identifier: Apache-2.0
"""Fits that single outlying runs do not move, and which runs those are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..statistics import outliers
from .distributions import chi_square_median
from .points import Floats, Groups, K

#: Largest cell whose runs are tested: the test takes time with the square of their number.
_LARGEST_CELL = 200
#: Probability of flagging any run of an experiment without outliers.
_SIGNIFICANCE = 0.01
_ITERATIONS = 500
#: Of the bisquare, in standard deviations: 95 % efficient where runs are normal.
_TUNING = 4.685
#: Median of the absolute value of a normal deviate.
_NORMAL_MEDIAN = 0.6744897501960817
_FINE = 1e-12
#: Weight of a run below which a robust fit counts it as an outlier.
OUTLIER = 0.1
#: Standard deviations of a run in a usual cell that make a run far from the others of its own, and
#: of two, far from the other; fewer of these make the others near to the model.
_FAR, _FAR_OF_TWO, _NEAR = 12.0, 9.0, 4.0
#: Runs of a cell from which on they tell among themselves which is far; with this probability of
#: naming one of normal runs.
_TELLING = 4
_SIGNIFICANCE_OF_FAR = 0.05


@dataclass(frozen=True)
class RobustFit:
    """Estimates, and their covariance by runs and by cells.

    Attributes:
        values: [p].
        weights: of each run, from 1 to 0 for one that does not count, [N].
        by_runs: covariance if runs scatter independently about the model, [p, p].
        by_cells: the same if the deviations of a cell's runs go together, [p, p].
    """

    values: Floats
    weights: Floats
    by_runs: Floats
    by_cells: Floats


def robust_fit(rows: Floats, cells: Groups) -> RobustFit | None:
    """Fit all runs by Tukey's bisquare (statsmodels' RLM), from Huber's estimate.

    Runs are scaled so that the median response of their cell is K. The covariances are sandwiches
    A⁻¹BA⁻¹ of the scores (Huber 1981, section 7.6), B summed over runs or over cells, each with
    its correction for few of them.

    Args:
        rows: counts and response of each run, [N, p + 1].
        cells: groups of replicates.

    Returns:
        None where the search does not converge, or most runs deviate in no way from the fit.
    """
    from statsmodels.robust import norms  # noqa: PLC0415  takes a second
    from statsmodels.robust.robust_linear_model import RLM  # noqa: PLC0415

    scaled = rows * (K / _medians(rows[:, -1], cells))[:, None]
    counts, response = scaled[:, :-1], scaled[:, -1]
    lengths = np.linalg.norm(counts, axis=0)
    unit = counts / lengths
    tukey = norms.TukeyBiweight()
    try:
        start = RLM(response, unit, M=norms.HuberT()).fit(maxiter=200)
        found = RLM(response, unit, M=tukey).fit(
            maxiter=_ITERATIONS,
            tol=1e-10,
            conv="weights",
            start_params=start.params,
            start_scale=start.scale,
        )
    except (np.linalg.LinAlgError, ValueError, ZeroDivisionError):
        return None
    off = (response - unit @ found.params) / found.scale
    settled = found.fit_history["iteration"] < _ITERATIONS
    if not (settled and np.isfinite(off).all() and found.scale > 0.0):
        return None
    return _with_covariances(found.params / lengths, counts, off, float(found.scale), cells)


def robust_nonlinear_fit(
    residuals: Callable[[Floats], Floats],
    slopes: Callable[[Floats], Floats],
    start: Floats,
    bounds: tuple[Floats, Floats],
    cells: Groups,
) -> RobustFit | None:
    """Fit a model by Tukey's bisquare from where least squares end.

    By scipy's least_squares: first with the loss soft_l1, which has no minimum of its own far from
    the start, then with the bisquare, in turns with the scale (median absolute residual/0.6745).

    Args:
        residuals: of all runs, from parameters [p] to [N], in what runs of all cells scatter alike.
        slopes: their derivatives, [N, p].
        start: [p].
        bounds: of the parameters.
        cells: groups of replicates.

    Returns:
        None where the search does not settle, or most runs deviate in no way from the fit.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  not at start-up

    values = np.asarray(start, dtype=np.float64)
    scale = _scale(residuals(values))
    for step in range(_ITERATIONS):
        if not (np.isfinite(scale) and scale > 0.0):
            return None
        found = least_squares(
            residuals,
            np.clip(values, *bounds),
            slopes,
            bounds,
            "trf",
            x_scale="jac",
            loss="soft_l1" if step == 0 else _bisquare,
            f_scale=scale if step == 0 else _TUNING * scale,
            ftol=_FINE,
            xtol=_FINE,
            gtol=_FINE,
        )
        settled = np.allclose(found.x, values, rtol=1e-8, atol=0.0)
        values, last = found.x, scale
        scale = _scale(residuals(values))
        if step > 0 and settled and abs(scale - last) <= 1e-6 * last:
            off = residuals(values) / scale
            return _with_covariances(values, slopes(values), off, scale, cells)
    return None


def _bisquare(squares: Floats) -> Floats:
    """Tukey's loss and its two derivatives, of squared residuals over the tuning constant."""
    left = np.maximum(1.0 - squares, 0.0)
    return np.array([(1.0 - left**3) / 3.0, left**2, -2.0 * left])


def _scale(residuals: Floats) -> float:
    return float(np.median(np.abs(residuals))) / _NORMAL_MEDIAN


def _with_covariances(
    values: Floats, slopes: Floats, off: Floats, scale: float, cells: Groups
) -> RobustFit:
    """Estimates with the covariances that the scores of the runs give, by runs and by cells.

    Args:
        values: [p].
        slopes: of the residuals, [N, p].
        off: residuals over their scale, [N].
        scale: of the residuals.
        cells: groups of replicates.
    """
    from statsmodels.robust import norms  # noqa: PLC0415  takes a second

    tukey = norms.TukeyBiweight()
    lengths = np.linalg.norm(slopes, axis=0)
    unit = slopes / lengths
    curvature = unit.T @ (tukey.psi_deriv(off)[:, None] * unit) / scale
    scores = tukey.psi(off)[:, None] * unit
    sums = np.add.reduceat(scores[cells.order], cells.starts, axis=0)
    bread = np.linalg.pinv(curvature) / lengths[:, None]
    return RobustFit(
        values=np.asarray(values),
        weights=np.asarray(tukey.weights(off)),
        by_runs=_sandwich(bread, scores),
        by_cells=_sandwich(bread, sums),
    )


def _sandwich(bread: Floats, scores: Floats) -> Floats:
    count, columns = scores.shape
    enough = count / max(count - columns, 1)
    covariance: Floats = enough * bread @ (scores.T @ scores) @ bread.T
    return covariance


def told_of_weights(counting: NDArray[np.bool_]) -> str | None:
    """Say how many runs hardly count, None where all do."""
    few = int(np.count_nonzero(~counting))
    if not few:
        return None
    runs_count = "1 run counts" if few == 1 else f"{few} of {len(counting)} runs count"
    return f"{runs_count} for less than a tenth."


def told_of_outliers(found: int) -> str:
    """Say how many runs are outlying, as the beginning of a sentence."""
    runs = "1 run does" if found == 1 else f"{found} runs do"
    return f"{runs} not belong with the others of their cell"


def _medians(response: Floats, cells: Groups) -> Floats:
    medians = np.empty_like(response)
    for start, size in zip(cells.starts, cells.sizes, strict=True):
        own = cells.order[start : start + size]
        medians[own] = np.median(response[own])
    return medians


def outlying(deviations: Floats, cells: Groups) -> NDArray[np.intp]:
    """Rows of runs that do not belong with the others of their cell.

    With a probability of 1 to 2 % any is named by its cell alone where all are normal, however many
    cells there are: the test means 1 %, and is approximate for few runs.
    Cells of few runs cannot tell so: there, one is also named that lies nine or twelve times as far
    from the others as the runs of a usual cell do, in cells of two or three if these are near to
    the model, and in cells of four or more stands out among its own, alone or with as many others
    as are less than half. Of halves that lie so far apart, the cell cannot tell which is off: the
    one farther from the model is named, where each is as near together as the runs of a usual cell,
    or the other one is, and near to the model.

    Args:
        deviations: of the model from each run, in what runs of all cells scatter alike in: relative
            to their cell's response or, of a fit to absolute deviations, in its unit, [N].
        cells: groups of replicates.
    """
    found: set[int] = set()
    usual = _usual_spread(deviations, cells)
    for start, size in zip(cells.starts, cells.sizes, strict=True):
        if not 2 <= size <= _LARGEST_CELL:
            continue
        rows = cells.order[start : start + size]
        own = deviations[rows]
        flagged = outliers(own.tolist(), _SIGNIFICANCE / cells.count)
        found.update(rows[list(flagged)].tolist())
        apart = np.abs(own - own.mean()) * np.sqrt(size / (size - 1.0))
        # of two, the one that the model is farther from
        farthest = int(np.argmax(apart if size > 2 else np.abs(own)))
        if size < _TELLING:
            alone = bool(abs(np.median(np.delete(own, farthest))) < _NEAR * usual)
        else:
            # as many as can be in the minority: two of five hide each other from a test of one
            alone = farthest in outliers(own.tolist(), _SIGNIFICANCE_OF_FAR, (size - 1) // 2)
        if alone and apart[farthest] > (_FAR if size > 2 else _FAR_OF_TWO) * usual:
            found.add(int(rows[farthest]))
        if size >= _TELLING and size % 2 == 0:
            found.update(rows[_half_apart(own, usual)].tolist())
    return np.array(sorted(found), dtype=np.intp)


def _half_apart(own: Floats, usual: float) -> NDArray[np.intp]:
    """Places of the half of a cell's runs that is off, far from the other half; else none."""
    order = np.argsort(own)
    low, high = np.split(order, 2)
    if own[high[0]] - own[low[-1]] > _FAR * usual:
        near, off = sorted((low, high), key=lambda half: float(abs(np.median(own[half]))))
        together, too = (np.ptp(own[half]) < _NEAR * usual for half in (near, off))
        if together and (too or abs(np.median(own[near])) < _NEAR * usual):
            return off
    return order[:0]


def _usual_spread(deviations: Floats, cells: Groups) -> float:
    """Return the median over cells of the standard deviation of a run, right if all are normal."""
    spreads = [
        float(np.std(deviations[cells.order[start : start + size]], ddof=1))
        / np.sqrt(chi_square_median(int(size) - 1) / (size - 1))
        for start, size in zip(cells.starts, cells.sizes, strict=True)
        if size > 1
    ]
    return float(np.median(spreads)) if spreads else np.inf
