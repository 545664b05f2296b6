# SPDX-License-Identifier: Apache-2.0
"""Intervals of replicates that depend on when they were recorded: by cluster, or none.

What differs between blocks, sessions or rounds is in none of the deviations within one. The
estimates are therefore made again without each of the clusters in turn, and their scatter tells the
variance: the jackknife over clusters, whose t of G - 1 degrees of freedom holds for few clusters,
too (MacKinnon, Nielsen and Webb 2023, J. Econometrics 232, section 3: CV3). A drift over the
clusters is no scatter of theirs: where a line over their means shows one, what counts is how the
estimates scatter about a line, with one degree of freedom less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..statistics import Timeline, independence
from ..statistics.cluster_drift import drift_over_clusters
from .distributions import t_quantile
from .points import Floats
from .result import Estimate, FitResult
from .said_of_intervals import without_what_is_said_of_intervals

Rows = NDArray[np.intp]
#: From the rows that are left to the fit without intervals.
Refit = Callable[[Rows], FitResult]
Ends = tuple[float, float]

#: More clusters are left out several at once: their scatter is known well enough then.
_MOST_REFITS = 30


def in_view_of(
    when: Timeline,
    result: FitResult,
    values: Sequence[float],
    cells: Sequence[Hashable],
    refit: Refit,
    bounds: Mapping[str, Ends],
) -> FitResult:
    """Return the fit with what the sequence of its runs does to its intervals.

    Args:
        when: each row was recorded.
        result: the fit, with intervals that take the replicates for independent.
        values: of each row, the response over what the fit predicts.
        cells: label of each row.
        refit: fits some of the rows again.
        bounds: what no interval leaves, by parameter.
    """
    found = independence(values, cells, when, explained=True)
    if found is None:
        return result
    result = replace(result, independence=found)
    if found.verdict == "refused":
        return without_intervals(result, str(found.reason))
    if found.reason is None or not any(own.ci95 for own in result.estimates.values()):
        return result  # none were asked for, or none can be given: nothing is said of them
    if found.by_cluster and when.clusters is not None:
        drift = drift_over_clusters(values, cells, when)
        reason = " ".join(filter(None, (found.reason, drift.sentence)))
        return _by_cluster(result, reason, when, drift.shown, refit, bounds)
    if found.verdict == "not_known":  # no finding: what was found is said first
        return _with_message(result, result.message, found.reason)
    return _saying(result, found.reason)


def _saying(result: FitResult, reason: str) -> FitResult:
    return _with_message(result, reason, result.message)


def _with_message(result: FitResult, *sentences: str | None) -> FitResult:
    return replace(result, message=" ".join(filter(None, sentences)))


def without_intervals(result: FitResult, reason: str) -> FitResult:
    """Return the estimates alone, with the reason before what the message says of others."""
    bare = {
        name: Estimate(own.value, own.unit, None, None, None, None)
        for name, own in result.estimates.items()
    }
    result = replace(result, message=without_what_is_said_of_intervals(result.message))
    return replace(_saying(result, reason), estimates=bare, covariance=None)


def _by_cluster(
    result: FitResult,
    reason: str,
    when: Timeline,
    drifts: bool,
    refit: Refit,
    bounds: Mapping[str, Ends],
) -> FitResult:
    groups = _left_out_together(when)
    draws = _left_out_in_turn(groups, refit)
    if draws is None:
        return without_intervals(
            result,
            f"{reason[:-1]}, and without one of them the rest does not determine the parameters: "
            "no interval is given.",
        )
    covariance, freedom = _scatter(draws, _places(groups, when) if drifts else None)
    errors = np.sqrt(np.diag(covariance))
    half = t_quantile(0.975, freedom) * errors
    misfit = result.diagnostics.lack_of_fit
    rejected = misfit is not None and misfit.rejected
    estimates = {
        name: _widened(own, float(half[k]), float(errors[k]), bounds[name], rejected)
        for k, (name, own) in enumerate(result.estimates.items())
    }
    return replace(
        _saying(result, reason),
        estimates=estimates,
        covariance=covariance.tolist(),
        bootstrap=replace(result.bootstrap, unit="clusters"),
    )


def _scatter(draws: Floats, places: Floats | None) -> tuple[Floats, int]:
    """Covariance of the estimates by the jackknife, and its degrees of freedom.

    Args:
        draws: estimates without each of the clusters, [clusters, p].
        places: of the clusters in the sequence, if they drift: the scatter is then about a line.
    """
    count = len(draws)
    off = draws - draws.mean(axis=0)
    freedom = count - 1
    if places is not None:
        line = places - places.mean()
        off = off - np.outer(line, line @ off / (line @ line))
        freedom -= 1
    covariance: Floats = (count - 1) ** 2 / (count * freedom) * (off.T @ off)
    return covariance, freedom


def _widened(own: Estimate, half: float, error: float, bounds: Ends, rejected: bool) -> Estimate:
    """Give the interval by cluster; where the replicates reject the model, the wider one."""
    if own.value is None:
        return own
    low, high = max(bounds[0], own.value - half), min(bounds[1], own.value + half)
    alone = own.ci95_if_model_holds
    if rejected and own.ci95 is not None:
        alone = None if alone is None else (low, high)
        low, high = min(low, own.ci95[0]), max(high, own.ci95[1])
        error = max(error, own.standard_error or 0.0)
    return Estimate(own.value, own.unit, (low, high), error, alone, None)


def _left_out_together(when: Timeline) -> Rows:
    """Number of the cluster of each row, or of the successive ones that are left out at once."""
    clusters = when.clusters or ()
    places = when.positions or range(len(clusters))
    in_sequence = [clusters[row] for row in sorted(range(len(clusters)), key=lambda r: places[r])]
    number = {label: k for k, label in enumerate(dict.fromkeys(in_sequence))}
    together = math.ceil(len(number) / _MOST_REFITS)
    return np.array([number[label] // together for label in clusters])


def _places(groups: Rows, when: Timeline) -> Floats:
    positions = np.array(when.positions, dtype=np.float64)
    found: Floats = np.bincount(groups, weights=positions) / np.bincount(groups)
    return found


def _left_out_in_turn(groups: Rows, refit: Refit) -> Floats | None:
    """Estimates without each group, [groups, p]; None where one of them determines none."""
    draws = []
    for label in np.unique(groups):
        left = refit(np.flatnonzero(groups != label)).estimates.values()
        draws.append([np.nan if own.value is None else own.value for own in left])
    found = np.array(draws, dtype=np.float64)
    return found if np.isfinite(found).all() else None
