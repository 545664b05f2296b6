# SPDX-License-Identifier: Apache-2.0
"""The search for the minimum: from several starts at once, the best ends refined."""

from __future__ import annotations

import numpy as np

from ....catalogue import Model, Parameter
from ..least_squares import ITERATIONS, Minimum
from ..points import Floats
from .task import Task

_STARTS = 24
#: Steps of a resample's search, which starts at the estimate; most take 5 to 15.
RESAMPLE_ITERATIONS = 60
#: Ends of the searches that are refined, and relative differences of cost within which two are one.
_REFINED = 3
_SAME_MINIMUM = 1e-6
#: Steps of a refinement, and the relative change at which it ends: what doubles can tell.
_MOST_STEPS = 1000
_FINEST = 1e-15
#: What stands for a deviation that is not finite.
_FAR = 1e150
#: Ends of a slider from whose ratio on the page moves it in logarithms (frontend/src/state/fit.ts).
_DECADES = 50.0


def best(task: Task, near: Floats | None = None) -> Floats | None:
    """Search from several starts at once, then refine the best ends; return the best, [p].

    `near`: the estimates, [p], of a fit of nearly the same data. The search then starts there,
    as that of a resample does, and elsewhere only if it finds no minimum.
    """
    refined = None if near is None else _refined(task, near)
    return _anywhere(task) if refined is None else refined[1]


def _anywhere(task: Task) -> Floats | None:
    spread = evenly_spread(_STARTS, len(task.free))
    columns = [_spread_over(p, own) for p, own in zip(task.free, spread.T, strict=True)]
    starts = np.vstack([[p.default for p in task.free], np.column_stack(columns)])
    observed = np.broadcast_to(task.observed, (len(starts), len(task.observed)))
    found = task.solve(observed, starts, ITERATIONS)
    best: tuple[float, Floats] | None = None
    default = [] if found.converged[0] else [starts[0]]
    for start in (*_distinct(found), *default):
        refined = _refined(task, start)
        if refined is not None and (best is None or refined[0] < best[0]):
            best = refined
    return None if best is None else best[1]


def most_work(model: Model, points: int, free: int, resamples: int) -> int:
    """Return how many numbers a fit computes at most.

    Each node of the graph and its derivatives, at each point, in each step of each search; besides
    what is fitted again without outlying runs, or clusters.
    """
    searches = ITERATIONS * (1 + _STARTS) + _MOST_STEPS * (1 + _REFINED)
    steps = searches + RESAMPLE_ITERATIONS * resamples
    return steps * points * len(model.graph.nodes) * (1 + free)


def _distinct(found: Minimum) -> list[Floats]:
    """The best end of a search, and others that may come below it, as they had not settled."""
    chosen: list[int] = []
    for k in np.argsort(found.cost, kind="stable"):
        cost = found.cost[k]
        alike = [c for c in chosen if cost <= found.cost[c] * (1.0 + _SAME_MINIMUM)]
        open_still = not chosen or not found.converged[k]
        if np.isfinite(cost) and open_still and not alike and len(chosen) < _REFINED:
            chosen.append(int(k))
    return [found.values[k] for k in chosen]


def _refined(task: Task, start: Floats) -> tuple[float, Floats] | None:
    """Cost and values of the minimum by scipy from a start, [p]; None where there is none.

    MINPACK's Levenberg-Marquardt where nothing is bounded, else dogleg steps in a box, which end on
    a bound and not close to it.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  not at start-up

    lo, hi = task.bounds
    bounded = bool(np.isfinite(lo).any() or np.isfinite(hi).any())
    scale = task.scales(task.observed)

    def residuals(values: Floats) -> Floats:
        off: Floats = (task.predicted(values) - task.observed) / scale
        return off if np.isfinite(off).all() else np.nan_to_num(off, True, _FAR, _FAR, -_FAR)

    def slopes(values: Floats) -> Floats:
        found = task.scaled_jacobian(values)
        return found if np.isfinite(found).all() else np.nan_to_num(found, True, 0.0, _FAR, -_FAR)

    try:
        found = least_squares(
            residuals,
            np.clip(start, lo, hi),
            slopes,
            (lo, hi),
            "dogbox" if bounded or len(scale) < len(start) else "lm",
            ftol=_FINEST,
            xtol=_FINEST,
            gtol=_FINEST,
            x_scale="jac",
            max_nfev=_MOST_STEPS,
        )
    except (ValueError, np.linalg.LinAlgError):
        return None
    settled = found.status > 0 and np.isfinite(found.x).all() and found.cost < _FAR
    return (float(found.cost), np.asarray(found.x)) if settled else None


def _spread_over(parameter: Parameter, shares: Floats) -> Floats:
    """From shares of 1 to values of the slider, by ratios where it spans decades."""
    lo, hi = parameter.lo, parameter.hi
    if lo > 0.0 and hi / lo >= _DECADES:
        by_ratio: Floats = lo * (hi / lo) ** shares
        return by_ratio
    return lo + (hi - lo) * shares


def evenly_spread(count: int, dimensions: int) -> Floats:
    """Return points of Halton's sequence, the same every time, [count, dimensions] from 0 to 1."""
    from scipy.stats import qmc  # noqa: PLC0415  not at start-up

    sequence = qmc.Halton(dimensions, scramble=False)
    sequence.fast_forward(1)  # the first is a corner
    points: Floats = sequence.random(count)
    return points
