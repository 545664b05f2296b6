# SPDX-License-Identifier: Apache-2.0
"""Which setting to choose for a goal, and which are as good.

Chance is drawn on logarithms of the measures, with the scatter that `noise` tells; what aims are
worth together, `trade_off` says; which of those that are good enough to set, `choice`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..statistics import Timeline, independence
from .answer import Recommendation, as_answer
from .choice import Choice, choose
from .contenders import contenders
from .draws import Sampler, draw, from_0_to_1, sampler_of
from .limits import kept
from .power import more_runs
from .question import Aim, Constraint, Goal, RecommendationError, check, logs_of, rows_of
from .ranking import candidates_of, frontier_of, runs_to_resolve, variances_of_runs
from .scatter import scatter_of
from .trade_off import Allowed, Balanced, Floats, Score, Weighed


def recommend(
    table: Mapping[str, ArrayLike],
    cells: Sequence[Hashable],
    aims: Sequence[Aim],
    constraints: Sequence[Constraint] = (),
    *,
    among: Collection[Hashable] | None = None,
    excluded: Collection[Hashable] = (),
    goal: Goal = "trade",
    tolerance: float | None = None,
    exact: bool = False,
    when: Timeline | None = None,
    current: Hashable | None = None,
    intrusion: Callable[[Hashable], Any] = lambda _cell: 0,
    position: Callable[[Hashable], Sequence[float] | None] | None = None,
    rng: np.random.Generator | int = 0,
) -> Recommendation:
    """Choose a setting.

    A trade weighs the aims; a balance is the knee of the curve between two (`trade_off`), drawn
    anew for the ends and all else that the replicates leave open. That is drawn from the t
    distribution of each cell's mean. A cell's variance is moderated by those of all others
    (`noise`): two runs hardly tell a spread, but forty pairs do. A cell with one run has that of
    the others. Measures of a run vary together as they do over all runs.

    Args:
        table: each measure that is asked about, one value for each run.
        cells: label of each run's setting.
        aims: at least one; two, without weights, for a balance.
        constraints: bounds on measures, which need not be aims.
        among: settings to choose from; None for all. The others tell how smooth the measures are
            and, where they do so alike, how runs scatter; one of them may be what is set now.
        excluded: settings that are not allowed for what the table does not have.
        goal: what the aims are worth together.
        tolerance: loss, as a share, that does not matter; by default what suits the goal.
        exact: whether values are a model's, which do not scatter.
        when: each run was recorded. Where the spread of replicates does not show what else differs
            between settings, there are no probabilities, and the message says why. What all
            settings share, as those of one session do, is in no difference between them.
        current: the cell that is set now, which bounds "within current" refer to.
        intrusion: what setting a cell would change, smallest first; by default the order of cells.
        position: of a cell, one number per factor, on scales on which measures change evenly. With
            it a dozen cells or more tell of their neighbours (`neighbours`). A cell that has none,
            None, stands alone.
        rng: generator or seed for the draws; the same seed gives the same answer.

    Raises:
        RecommendationError: a measure is missing or not positive and finite, there is no aim, a
            measure is aimed at twice, a weight is not positive, there are fewer than two settings,
            a balance is asked of other than two aims, or of weighed ones, or a bound refers to a
            current setting that is none of the cells.
    """
    names = list(dict.fromkeys([*(a.measure for a in aims), *(c.measure for c in constraints)]))
    order = list(dict.fromkeys(cells))
    listed = np.array([k for k, c in enumerate(order) if among is None or c in among], np.intp)
    check(aims, listed, goal)
    logs = logs_of(table, names, len(cells))
    rows = rows_of(cells)
    means = np.array([logs[r].mean(axis=0) for r in rows])
    bounded = any(c.limit in ("at most", "at least") for c in constraints)
    if current not in order and any(c.limit == "within current" for c in constraints):
        raise RecommendationError("current", "the current setting was not measured")
    now = order.index(current) if current in order else 0
    dependent = None if when is None else _dependence(logs, names, cells, when, bounded)
    candidate: Allowed = np.isin(np.arange(len(order)), listed)
    admitted: Allowed = candidate & [cell not in excluded for cell in order]
    allowed: Allowed = kept(means, names, constraints, now, candidate) & admitted
    score, note = _score(aims, names, goal, means, allowed)
    tolerance = score.tolerance if tolerance is None else tolerance
    scores = score.of_settings(means, allowed)
    best = _best(scores, allowed)
    sampler: Sampler | None = None
    scatter = scatter_of(logs, rows, means, candidate) if dependent is None else None
    if scatter is not None:
        positions = None if position is None else from_0_to_1([position(c) for c in order])
        able = contenders(scatter, means, names, constraints, now, candidate)
        generator = np.random.default_rng(rng)
        sampler = sampler_of(scatter, means, positions, able, candidate, generator)
    drawn = None
    if sampler is not None:
        drawn = draw(sampler, names, constraints, now, score, candidate, admitted)
    values = np.exp(logs)
    measured = {n: np.array([values[r, j].mean() for r in rows]) for j, n in enumerate(names)}
    found = candidates_of(order, rows, measured, scores, allowed, best, drawn, score, listed)
    choice, more = Choice(None, ()), math.inf
    if drawn is not None or exact or not constraints:
        choice = choose(
            *((scores[None], allowed[None]) if drawn is None else (drawn.scores, drawn.kept)),
            tolerance,
            lambda k: intrusion(order[k]),
        )
    if scatter is not None and drawn is not None and choice.answer is None:
        freedom = float(np.median(scatter.freedom))
        more = more_runs(drawn.scores, drawn.kept, freedom, tolerance)
    if best is not None and sampler is not None:
        cell = np.empty(len(logs), dtype=np.intp)
        for k, own in enumerate(rows):
            cell[own] = k
        variances = variances_of_runs(score.of_runs(logs, cell), rows)
        needed = runs_to_resolve(scores, variances, best, listed)
        runs = dict(zip(order, needed, strict=True))
        found = [c if c.resolved else replace(c, runs_to_resolve=runs[c.cell]) for c in found]
    frontier = frontier_of(order, means, names, aims, allowed)
    answer = as_answer(
        found, choice, best, order, frontier, tolerance, drawn is not None, more, note
    )
    if dependent is None or best is None:
        return answer
    message = f"The means as they are, without probabilities, and nothing to set. {dependent}"
    return replace(answer, answer=None, choices=(), message=message)


def _dependence(
    logs: Floats,
    names: Sequence[str],
    cells: Sequence[Hashable],
    when: Timeline,
    bounded: bool,
) -> str | None:
    """Say why the spread of the replicates is not that of the means, None where it is.

    What all settings of a session share is in no difference between them, but in each value: it
    matters where a bound is on the value itself.
    """
    for name, column in zip(names, np.exp(logs).T, strict=True):
        found = independence(column.tolist(), cells, when)
        if found is not None and (found.dependent if bounded else found.verdict == "refused"):
            return found.reason if len(names) == 1 else f"{name}: {found.reason}"
    return None


def _score(
    aims: Sequence[Aim], names: Sequence[str], goal: Goal, means: Floats, allowed: Allowed
) -> tuple[Score, str | None]:
    """Return what the aims are worth together, and what to know of it.

    Where there is nothing to balance, they count alike.
    """
    columns = [names.index(aim.measure) for aim in aims]
    signs = [1.0 if aim.sense == "more" else -1.0 for aim in aims]
    note = None
    if goal == "balance":
        balanced = Balanced(columns, signs, means, allowed)
        if balanced.has_two_ends:
            return balanced, None
        note = "One setting is best in both aims, so there is nothing to balance."
    weights = np.zeros(len(names))
    weights[columns] = [sign * aim.weight for sign, aim in zip(signs, aims, strict=True)]
    return Weighed(weights, aims[0].sense), note


def _best(scores: Floats, allowed: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(np.where(allowed, scores, -np.inf))) if allowed.any() else None
