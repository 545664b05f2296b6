# SPDX-License-Identifier: Apache-2.0
"""Whether the data can tell the parameters apart, and if not, why."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...catalogue import LinearFit
from ...vocabulary.quantity import QUANTITIES
from .points import Floats, Integers, K

#: Largest condition number of the scaled columns at which estimates are named whatever replicates
#: say. It bounds how much a relative error of the data grows in an estimate, so at 100 an error of
#: 1 %, which is what CPU time measured in ticks has, can be as large as the estimate itself.
#: Belsley, Kuh and Welsch (1980) call 30 strong and 100 severe. The 27 rows of the 2005 study have
#: 6.6, two of its MTUs 9 and 15, a single MTU 37,000.
CONDITION_LIMIT = 100.0
#: Condition number beyond which rounding decides over the estimates.
RANK_LIMIT = 1e10
#: Error over the size of the estimate beyond which parameters that rise and fall together are not
#: named: the 95 % interval then spans from nothing to twice the estimate.
RELATIVE_ERROR_LIMIT = 0.5
#: Share of an estimate that errors of the counts may displace. Intervals are corrected for that,
#: but at a fifth they cover in 80 % only (simulated).
DISPLACED_LIMIT = 0.1

#: Largest standard error of the direction of the plane's normal, in radians. Beyond it a 95 %
#: interval spans more than half of all directions. The 2005 study has 0.01.
DIRECTION_LIMIT = 0.5

#: Relative spread below which a normalised column counts as constant.
_CONSTANT = 1e-9
#: Relative deviation between replicates that rounding alone explains.
_ROUNDING = 1e-13
#: Share of a column in the dependency from which on it is named; each is at most 1.
_INVOLVED = 0.2


def condition_number(points: Floats) -> float | None:
    """Return the condition number of the columns scaled to unit length, None if it is infinite."""
    singular = np.linalg.svd(_unit_columns(points), compute_uv=False)
    if len(singular) < points.shape[1] or singular[-1] == 0.0:
        return None
    return float(singular[0] / singular[-1])


def variance_inflation(points: Floats) -> list[float | None]:
    """Return 1/(1 − R²) of each column regressed on the others, without an intercept."""
    _, singular, right = np.linalg.svd(_unit_columns(points), full_matrices=False)
    if len(singular) < points.shape[1] or singular[-1] == 0.0:
        return [None] * points.shape[1]
    inverse = (right.T**2) @ (1.0 / singular**2)
    return [float(value) for value in inverse]


def why_no_points(counts: Floats, response: Floats, fit: LinearFit) -> str | None:
    """Say what makes the rows useless before any fit, None when nothing does.

    Args:
        counts: [n, p].
        response: [n].
        fit: names of the columns.
    """
    bad = np.flatnonzero(~np.isfinite(counts).all(axis=1) | ~np.isfinite(response))
    if len(bad):
        return f"{_rows(bad)} not a finite number in every column: leave out or measure again."
    bad = np.flatnonzero(response <= 0.0)
    if len(bad):
        return f"{_rows(bad)} not a positive response: rows are scaled to a common response."
    if len(counts) < len(fit.parameters):
        return (
            f"{len(counts)} rows cannot determine {len(fit.parameters)} parameters: "
            f"measure at least {len(fit.parameters)} settings."
        )
    empty = [name for name, column in zip(fit.columns, counts.T, strict=True) if not column.any()]
    if empty:
        return f"{_labels(empty)} is zero in every row, so nothing is known of its cost."
    return None


def relative_errors(points: Floats, sizes: Integers, noise: Floats) -> Floats:
    """Return how far least squares may be off, over the size of each estimate, [2, p].

    First the standard error that the deviations of cells from the model give, misfit included, or
    those of runs within their cells where these are larger. Then what errors of the counts would
    displace an estimate by, (XᵀX)⁻¹Wβ (Fuller 1987, Measurement Error Models, section 2.2), if all
    were errors that the counts of a cell's runs differ by.

    Args:
        points: normalised means of cells, [n, p], more than p.
        sizes: runs of each, [n].
        noise: covariance of counts and response of a run within its cell, [p + 1, p + 1].
    """
    root = np.sqrt(sizes)[:, None]
    lengths = np.linalg.norm(root * points, axis=0)
    unit = root * points / lengths
    left, singular, right = np.linalg.svd(unit, full_matrices=False)
    with np.errstate(divide="ignore", invalid="ignore"):  # columns may depend on each other
        turned = right.T / singular
        response = K * root[:, 0]
        values = turned @ (left.T @ response)
        off = response - unit @ values
        of_run = np.append(values / lengths, -1.0)
        variance = max(off @ off / (len(points) - len(values)), of_run @ noise @ of_run)
        of_counts = len(points) * (noise[:-1, :-1] @ of_run[:-1]) / lengths
        displaced = turned @ (turned.T @ of_counts)
        errors = np.sqrt(variance * np.sum(turned**2, axis=1))
        return np.where(values != 0.0, np.abs([errors, displaced] / values), np.inf)


def why_not_identifiable(
    points: Floats, fit: LinearFit, errors_of: Callable[[], Floats | None]
) -> str | None:
    """Say which parameters the points cannot tell apart, None when they can.

    Args:
        points: normalised points, [n, p].
        fit: names of columns and parameters.
        errors_of: gives `relative_errors`, [2, p]; None without replicates.
    """
    condition = condition_number(points)
    if condition is not None and condition <= CONDITION_LIMIT:
        return None
    involved = _involved(points)
    size = "infinite" if condition is None else f"{condition:,.0f}"
    why = f"condition number {size}, limit {CONDITION_LIMIT:.0f}"
    determined = condition is not None and condition <= RANK_LIMIT
    relative = errors_of() if determined else None
    if relative is not None:
        error, displaced = relative[:, involved].max(axis=1)
        if error <= RELATIVE_ERROR_LIMIT and displaced <= DISPLACED_LIMIT:
            return None
        why = (
            f"a standard error is {_percent(error)} of its estimate"
            if error > RELATIVE_ERROR_LIMIT
            else f"if the counts err, that displaces one by {_percent(displaced)}"
        )
        why += f"; condition number {size}"
    columns = {fit.columns[i] for i in involved}
    remedies = [what for needs, what in fit.remedies if needs <= columns]
    advice = f" Measure also {' and '.join(remedies)}." if remedies else ""
    return (
        f"{_listed([fit.parameters[i] for i in involved])} cannot be told apart: "
        f"{_labels([fit.columns[i] for i in involved])} rise and fall together in these rows "
        f"({why}).{advice}"
    )


def caution(points: Floats, fit: LinearFit) -> str | None:
    """Say which parameters small differences tell; None where all are told by large ones."""
    condition = condition_number(points)
    if condition is not None and condition <= CONDITION_LIMIT:
        return None
    return (
        f"{_listed([fit.parameters[i] for i in _involved(points)])} are told by small differences "
        f"of these rows (condition number {condition or np.inf:,.0f}): an error that all runs "
        "share would move them by many times as much."
    )


def _involved(points: Floats) -> list[int]:
    """Columns of the nearest to a dependency."""
    nearest = nearest_dependency(_unit_columns(points))
    return [i for i, share in enumerate(np.abs(nearest)) if share > _INVOLVED]


def nearest_dependency(points: Floats) -> Floats:
    """Return the combination of columns that comes nearest to nothing, [p], of length 1.

    Args:
        points: columns of length 1, [n, p]. Fewer rows than columns leave one that is nothing.
    """
    _, _, right = np.linalg.svd(points, full_matrices=len(points) < points.shape[1])
    nearest: Floats = right[-1]
    return nearest


def _percent(share: float) -> str:
    return f"{100.0 * share:,.0f} %" if share < 1e4 else "far more"


def why_no_plane(points: Floats, fit: LinearFit) -> str | None:
    """Say why total least squares finds no plane of its own, None when it does.

    The standard error of the normal's direction is that of the eigenvector of the smallest
    eigenvalue, √(Σ λ₁λⱼ/(n(λⱼ − λ₁)²)) (Anderson 1963).
    """
    spread = points.std(axis=0) / np.abs(points.mean(axis=0))
    constant = [n for n, s in zip(fit.columns, spread, strict=True) if s < _CONSTANT]
    if constant:
        return (
            f"{_labels(constant)} is the same multiple of the response in every row, so total "
            "least squares would put the whole cost on it. Measure settings that differ in it, "
            "or use least squares."
        )
    centred = points - points.mean(axis=0)
    smallest, *others = np.linalg.svd(centred, compute_uv=False)[::-1] ** 2
    gaps = [larger - smallest for larger in others]
    if min(gaps) > 0.0:
        terms = [smallest * o / g**2 for o, g in zip(others, gaps, strict=True)]
        if np.sqrt(sum(terms) / len(points)) <= DIRECTION_LIMIT:
            return None
    return (
        "The points scatter as much across their plane as within it, so total least squares "
        "cannot tell its direction. Measure settings that differ more, or use least squares."
    )


NO_REPLICATES = (
    "Whitening needs the deviations between replicates, and these rows are means or single runs. "
    "Measure each setting at least twice, or use another method."
)


def why_no_whitening(noise: Floats, freedom: int, points: Floats) -> str | None:
    """Say why there is nothing to whiten by, None when there is.

    Args:
        noise: covariance within cells of the columns and the response, [p + 1, p + 1].
        freedom: its degrees of freedom.
        points: normalised points, [n, p].
    """
    needed = len(noise)
    if freedom < needed:
        return (
            f"Whitening needs at least {needed} replicates beyond the first of each cell, and "
            f"there are {freedom}. Measure settings again, or use another method."
        )
    sizes = np.append(points.mean(axis=0), K)
    if np.all(np.sqrt(np.diag(noise)) <= _ROUNDING * sizes):
        return "The replicates of each cell are all alike: there is no noise to whiten by."
    return None


def _unit_columns(points: Floats) -> Floats:
    scaled: Floats = points / np.linalg.norm(points, axis=0)
    return scaled


def _rows(indices: NDArray[np.intp]) -> str:
    """Name rows as a reader counts them, from 1."""
    shown = ", ".join(str(index + 1) for index in indices[:5])
    more = f" and {len(indices) - 5} more" if len(indices) > 5 else ""
    return f"Row {shown} has" if len(indices) == 1 else f"Rows {shown}{more} have"


def _labels(columns: Sequence[str]) -> str:
    labels = [QUANTITIES[name].label for name in columns]
    return _listed([labels[0], *(label[0].lower() + label[1:] for label in labels[1:])])


def _listed(words: Sequence[str]) -> str:
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} and {words[-1]}"
