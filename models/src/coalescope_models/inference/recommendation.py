# SPDX-License-Identifier: Apache-2.0
"""Which setting to choose for a goal, and which are as good.

Chance is drawn on logarithms of the measures, with the scatter that `noise` tells; what aims are
worth together, `trade_off` says; which of those that are good enough to set, `choice`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import neighbours
from .choice import DRAWS_AT_ONCE, Choice, choose, in_parts, surely
from .noise import cell_variances
from .statistics import Timeline, independence
from .trade_off import Allowed, Balanced, Floats, Score, Weighed

Sense = Literal["more", "less"]
Limit = Literal["at most", "at least", "within", "within current"]
#: Of several aims: their weighed sum, or the knee of the trade-off curve between two.
Goal = Literal["trade", "balance"]

#: Runs of one setting that anybody would measure.
MOST_RUNS = 1_000
_DRAWS = 4_000
_UNRESOLVED = 0.05
_POWER = 0.8
_LEAST_APART = 1e-12
#: Settings that are held against all others at once: of thousands, all pairs take gigabytes.
_SETTINGS_AT_ONCE = 256


class RecommendationError(ValueError):
    """What was asked cannot be answered from this data. `name` is the measure or argument."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.name, str(self)))


@dataclass(frozen=True)
class Aim:
    """One measure of a goal.

    Attributes:
        measure: its name.
        sense: whether more or less of it is wanted.
        weight: what a relative change of it is worth; positive.
    """

    measure: str
    sense: Sense
    weight: float = 1.0


@dataclass(frozen=True)
class Constraint:
    """A bound that the setting must keep.

    Attributes:
        measure: its name.
        limit: "at most", "at least"; "within": no further than so many percent from the best;
            "within current": no more than so many percent worse than what is set now.
        value: in the measure's unit; percent where the limit is "within" something.
        sense: whether more or less of it is better; of the last two only.
    """

    measure: str
    limit: Limit
    value: float
    sense: Sense = "more"


@dataclass(frozen=True)
class Candidate:
    """What is known of one setting.

    Attributes:
        cell: its label.
        n: replicates.
        means: geometric mean of each measure that was asked about.
        loss_percent: how far its score lies below the best's, in percent: of what is traded, or of
            the mean share that is balanced.
        gain_percent: how much of what choosing can gain it gains: 0 for the worst setting, 100 for
            the best; where little is left beyond it, this is near 100.
        allowed: whether its means keep the constraints.
        surely_allowed: whether it keeps them so surely that it may be set (`choice`); None where
            nothing is known of the spread. How probable it is otherwise is not said: the best of
            many means with noise lies above the best, so what is drawn says too little.
        resolved: False where the data cannot tell it from the best.
        runs_to_resolve: how many runs of it, and of the best, would tell them apart in four of five
            tries if means and deviations stay as they are; None where they are told apart, where
            nothing is known of the spread, and above `MOST_RUNS`.
    """

    cell: Hashable
    n: int
    means: Mapping[str, float]
    loss_percent: float
    gain_percent: float
    allowed: bool
    surely_allowed: bool | None
    resolved: bool
    runs_to_resolve: int | None


@dataclass(frozen=True)
class Recommendation:
    """The answer.

    Attributes:
        answer: the setting to choose: of `choices` the one that changes least; None where the data
            are not enough to choose any. Of single values, which tell no spread, it is the one that
            changes least of those within the tolerance.
        choices: settings that keep the constraints with 99 %, and of which no other that keeps them
            is better by more than the tolerance, with 95 % for each other.
        best: the setting with the best mean, None where none keeps the constraints.
        candidates: all settings, the best first, then by loss; those not allowed last.
        indistinguishable: allowed settings that the data cannot tell from the best.
        good_enough: allowed settings within the tolerance of it.
        tolerance: loss, as a share, that does not matter.
        frontier: settings that no other beats in every aim, by falling first aim.
        message: what limits the answer and what to measure; None where nothing does.
        note: what to know of the goal; None where nothing.
    """

    answer: Hashable | None
    choices: Sequence[Hashable]
    best: Hashable | None
    candidates: Sequence[Candidate]
    indistinguishable: Sequence[Hashable]
    good_enough: Sequence[Hashable]
    tolerance: float
    frontier: Sequence[Hashable]
    message: str | None
    note: str | None


def recommend(
    table: Mapping[str, ArrayLike],
    cells: Sequence[Hashable],
    aims: Sequence[Aim],
    constraints: Sequence[Constraint] = (),
    *,
    goal: Goal = "trade",
    tolerance: float | None = None,
    exact: bool = False,
    when: Timeline | None = None,
    current: Hashable | None = None,
    intrusion: Callable[[Hashable], Any] = lambda _cell: 0,
    position: Callable[[Hashable], Sequence[float]] | None = None,
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
        goal: what the aims are worth together.
        tolerance: loss, as a share, that does not matter; by default what suits the goal.
        exact: whether values are a model's, which do not scatter.
        when: each run was recorded. Where the spread of replicates does not show what else differs
            between settings, there are no probabilities, and the message says why. What all
            settings share, as those of one session do, is in no difference between them.
        current: the cell that is set now, which bounds "within current" refer to.
        intrusion: what setting a cell would change, smallest first; by default the order of cells.
        position: of a cell, one number per factor, on scales on which measures change evenly. With
            it a dozen cells or more tell of their neighbours (`neighbours`).
        rng: generator or seed for the draws; the same seed gives the same answer.

    Raises:
        RecommendationError: a measure is missing or not positive and finite, there is no aim, a
            measure is aimed at twice, a weight is not positive, there are fewer than two settings,
            a balance is asked of other than two aims, or of weighed ones, or a bound refers to a
            current setting that is none of the cells.
    """
    names = list(dict.fromkeys([*(a.measure for a in aims), *(c.measure for c in constraints)]))
    order = list(dict.fromkeys(cells))
    _check(aims, order, goal)
    logs = _logs(table, names, len(cells))
    rows = _rows(cells)
    means = np.array([logs[r].mean(axis=0) for r in rows])
    bounded = any(c.limit in ("at most", "at least") for c in constraints)
    if current not in order and any(c.limit == "within current" for c in constraints):
        raise RecommendationError("current", "the current setting was not measured")
    now = order.index(current) if current in order else 0
    dependent = None if when is None else _dependence(logs, cells, when, bounded)
    allowed = _kept(means, names, constraints, now)
    score, note = _score(aims, names, goal, means, allowed)
    tolerance = score.tolerance if tolerance is None else tolerance
    scores = score.of_settings(means, allowed)
    best = _best(scores, allowed)
    sampler = None
    if dependent is None:
        positions = None if position is None else _from_0_to_1([position(c) for c in order])
        sampler = _sampler(logs, rows, means, positions, np.random.default_rng(rng))
    drawn = None if sampler is None else _drawn(sampler, names, constraints, now, score)
    found = _candidates(order, rows, names, means, scores, allowed, best, drawn, score)
    choice = Choice(None, (), ())
    if drawn is not None or exact or not constraints:
        choice = choose(
            *((scores[None], allowed[None]) if drawn is None else (drawn.scores, drawn.kept)),
            tolerance,
            lambda k: intrusion(order[k]),
        )
    if best is not None and sampler is not None:
        cell = np.empty(len(logs), dtype=np.intp)
        for k, own in enumerate(rows):
            cell[own] = k
        needed = _runs_to_resolve(scores, _variances(score.of_runs(logs, cell), rows), best)
        runs = dict(zip(order, needed, strict=True))
        found = [c if c.resolved else replace(c, runs_to_resolve=runs[c.cell]) for c in found]
    frontier = _frontier(order, means, names, aims, allowed)
    answer = _answer(found, choice, best, order, frontier, tolerance, drawn is not None, note)
    if dependent is None or best is None:
        return answer
    message = f"The means as they are, without probabilities, and nothing to set. {dependent}"
    return replace(answer, answer=None, choices=(), message=message)


def _dependence(
    logs: Floats, cells: Sequence[Hashable], when: Timeline, bounded: bool
) -> str | None:
    """Say why the spread of the replicates is not that of the means, None where it is.

    What all settings of a session share is in no difference between them, but in each value: it
    matters where a bound is on the value itself.
    """
    verdicts = ("refused", "by_cluster") if bounded else ("refused",)
    for column in np.exp(logs).T:
        found = independence(column.tolist(), cells, when)
        if found is not None and found.verdict in verdicts:
            return found.reason
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


def _rows(cells: Sequence[Hashable]) -> list[NDArray[np.intp]]:
    """Return the rows of each cell, in the order in which the cells first appear."""
    found: dict[Hashable, list[int]] = {}
    for index, cell in enumerate(cells):
        found.setdefault(cell, []).append(index)
    return [np.array(own, dtype=np.intp) for own in found.values()]


def _check(aims: Sequence[Aim], order: Sequence[Hashable], goal: Goal) -> None:
    if not aims:
        raise RecommendationError("aims", "say what is wanted: at least one measure")
    for aim in aims:
        if not (aim.weight > 0.0 and math.isfinite(aim.weight)):
            raise RecommendationError("weight", f"the weight of {aim.measure} must be positive")
    names = [aim.measure for aim in aims]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RecommendationError("aims", f"{twice} is wanted twice: name it once, with a weight")
    if goal == "balance" and len(aims) != 2:
        raise RecommendationError(
            "goal", f"a balance is between two aims, not {len(aims)}: make the others bounds"
        )
    if goal == "balance" and any(aim.weight != 1.0 for aim in aims):
        raise RecommendationError("goal", "a balance takes no weights: ask for a trade to weigh")
    if len(order) < 2:
        raise RecommendationError("cells", "one setting leaves no choice")


def _logs(table: Mapping[str, ArrayLike], names: Sequence[str], count: int) -> Floats:
    columns = []
    for name in names:
        if name not in table:
            raise RecommendationError(name, f"no run has {name}: measure it, or ask for another")
        column = np.asarray(table[name], dtype=np.float64)
        if column.shape != (count,):
            raise RecommendationError(name, f"{name} has not one value for each run")
        known = np.isfinite(column) & (column > 0.0)
        if not known.all():
            where = "at some settings: leave those out" if known.any() else "everywhere"
            raise RecommendationError(name, f"{name} is missing, zero or negative {where}")
        columns.append(np.log(column))
    return np.stack(columns, axis=1) if columns else np.empty((count, 0))


_Sampler = Callable[[int], Floats]
"""Draws so many times the means of all cells, [draws, cells, measures]."""


def _sampler(
    logs: Floats,
    rows: Sequence[NDArray[np.intp]],
    means: Floats,
    positions: Floats | None,
    rng: np.random.Generator,
) -> _Sampler | None:
    """Return what draws the means; None without any replicates."""
    if all(len(r) == 1 for r in rows):
        return None
    variances, freedom = np.array(
        [cell_variances(logs[:, j], rows) for j in range(logs.shape[1])]
    ).transpose(1, 2, 0)  # [cells, measures]
    errors = variances / np.array([len(r) for r in rows])[:, None]
    together = _together(logs, rows, means).T
    known = None
    if positions is not None and neighbours.FEWEST <= len(rows) <= neighbours.MOST:
        columns = range(means.shape[1])
        known = [neighbours.settle(means[:, j], errors[:, j], positions) for j in columns]

    def sample(count: int) -> Floats:
        drawn: Floats = rng.normal(size=(count, *means.shape)) @ together
        drawn *= np.sqrt(freedom / rng.chisquare(freedom, size=drawn.shape))
        if known is None:
            drawn *= np.sqrt(errors)
            drawn += means
            return drawn
        for j, settled in enumerate(known):
            drawn[:, :, j] = settled.means + drawn[:, :, j] @ settled.root.T
        return drawn

    return sample


def _from_0_to_1(positions: Sequence[Sequence[float]]) -> Floats | None:
    """Return positions with each factor from 0 to 1; None where no factor varies."""
    table = np.array(positions, dtype=np.float64)
    lo, hi = table.min(axis=0), table.max(axis=0)
    varied = hi > lo
    scaled: Floats = (table[:, varied] - lo[varied]) / (hi - lo)[varied]
    return scaled if varied.any() else None


def _together(logs: Floats, rows: Sequence[NDArray[np.intp]], means: Floats) -> Floats:
    """Return a root of the correlation of the measures over all runs, [measures, measures]."""
    deviations = np.concatenate([logs[r] - m for r, m in zip(rows, means, strict=True)])
    lengths = np.linalg.norm(deviations, axis=0)
    units = deviations / np.where(lengths > 0.0, lengths, 1.0)
    correlation = units.T @ units
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


@dataclass(frozen=True)
class _Drawn:
    """What every draw says of every setting, [draws, settings]."""

    scores: Floats
    kept: Allowed


def _drawn(
    sample: _Sampler,
    names: Sequence[str],
    constraints: Sequence[Constraint],
    current: int,
    score: Score,
) -> _Drawn:
    """Draw in parts: of the measures of all draws, hundreds of megabytes, none is kept."""
    draws = sample(DRAWS_AT_ONCE)
    rivals = _rivals(draws, names, constraints)
    all_draws = (_DRAWS, draws.shape[1])
    found = _Drawn(np.empty(all_draws), np.empty(all_draws, dtype=np.bool_))
    for part in in_parts(_DRAWS):
        draws = sample(DRAWS_AT_ONCE)
        kept = _kept(draws, names, constraints, current, rivals)
        found.kept[part] = kept
        found.scores[part] = score.of_settings(draws, kept)
    return found


_Rivals = Mapping[Constraint, NDArray[np.intp]]
"""Of bounds "within" the best: the setting that each is held against."""


def _rivals(draws: Floats, names: Sequence[str], constraints: Sequence[Constraint]) -> _Rivals:
    """Return for each setting the one that most probably lies too far above it (`choice`)."""
    found = {}
    for constraint in constraints:
        if constraint.limit == "within":
            away = _away(draws[..., names.index(constraint.measure)], constraint)
            found[constraint] = _rivals_beyond(away, math.log1p(-constraint.value / 100.0))
    return found


def _rivals_beyond(away: Floats, allowed: float) -> NDArray[np.intp]:
    """Return each setting's rival; pairs of thousands of settings are worked on in parts."""
    mean = away.mean(axis=0)
    centred = (away - mean) / math.sqrt(max(len(away) - 1, 1))
    own = np.sum(centred**2, axis=0)
    found = np.empty(len(mean), dtype=np.intp)
    for first in range(0, len(mean), _SETTINGS_AT_ONCE):
        part = slice(first, first + _SETTINGS_AT_ONCE)
        together = centred[:, part].T @ centred
        apart = np.sqrt(np.maximum(own[part, None] + own - 2.0 * together, 0.0))
        beyond = mean - mean[part, None] + allowed
        found[part] = np.argmax(beyond / np.maximum(apart, _LEAST_APART), axis=1)
    return found


def _away(value: Floats, constraint: Constraint) -> Floats:
    return -value if constraint.sense == "less" else value


def _kept(
    values: Floats,
    names: Sequence[str],
    constraints: Sequence[Constraint],
    current: int,
    rivals: _Rivals | None = None,
) -> NDArray[np.bool_]:
    """Whether logarithms [..., settings, measures] keep every constraint.

    `current` is the place of the setting that bounds "within current" refer to. Bounds "within" the
    best are held against `rivals`, without these against the best of the values.
    """
    kept = np.ones(values.shape[:-1], dtype=np.bool_)
    for constraint in constraints:
        value = values[..., names.index(constraint.measure)]
        if constraint.limit == "within":
            away = _away(value, constraint)
            if rivals is None:
                best = away.max(axis=-1, keepdims=True)
            else:
                best = away[..., rivals[constraint]]
            kept &= away >= best + math.log1p(-constraint.value / 100.0)
            continue
        if constraint.limit == "within current":
            change = value - value[..., current : current + 1]
            share = constraint.value / 100.0
            less = constraint.sense == "less"
            kept &= change <= math.log1p(share) if less else change >= math.log1p(-share)
            continue
        bound = math.log(constraint.value) if constraint.value > 0.0 else -math.inf
        kept &= value <= bound if constraint.limit == "at most" else value >= bound
    return kept


def _best(scores: Floats, allowed: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(np.where(allowed, scores, -np.inf))) if allowed.any() else None


def _candidates(
    order: Sequence[Hashable],
    rows: Sequence[NDArray[np.intp]],
    names: Sequence[str],
    means: Floats,
    scores: Floats,
    allowed: NDArray[np.bool_],
    best: int | None,
    drawn: _Drawn | None,
    score: Score,
) -> list[Candidate]:
    top = scores.max() if best is None else scores[best]
    gains = _gains(scores, float(top), score.sense)
    sure = resolved = None
    if drawn is not None:
        sure = surely(drawn.kept)
        if best is not None:
            resolved = _resolved(drawn.scores, best)
    found = [
        Candidate(
            cell=cell,
            n=len(rows[k]),
            means={name: float(np.exp(means[k, j])) for j, name in enumerate(names)},
            loss_percent=0.0 - float(100.0 * math.expm1(min(scores[k] - top, 700.0))),
            gain_percent=float(gains[k]),
            allowed=bool(allowed[k]),
            surely_allowed=None if sure is None else bool(sure[k]),
            resolved=k != best and (resolved is None or bool(resolved[k])),
            runs_to_resolve=None,
        )
        for k, cell in enumerate(order)
    ]
    return sorted(found, key=lambda c: (not c.allowed, c.loss_percent))


def _gains(scores: Floats, top: float, sense: Sense) -> Floats:
    """Return the share of the way from the worst score to the top, in percent.

    Linear in what the first aim counts: a measure of which more is wanted, or a cost.
    """
    relative = np.clip(scores - top, -700.0, 700.0)
    worth = np.exp(relative) if sense == "more" else -np.exp(-relative)
    of_top = 1.0 if sense == "more" else -1.0
    span = of_top - worth.min()
    if not span > 0.0:
        return np.full_like(worth, 100.0)
    gains: Floats = np.minimum(100.0 * ((worth - worth.min()) / span), 100.0)
    return gains


def _resolved(scores: Floats, best: int) -> NDArray[np.bool_]:
    """Which cells lie below the best in all but 5 % of the draws, over all cells together."""
    level = _UNRESOLVED / max(scores.shape[1] - 1, 1)
    ahead = np.zeros(scores.shape[1])
    for part in in_parts(len(scores)):
        behind = scores[part, best : best + 1] - scores[part]
        # a draw in which nothing is allowed has no scores, and tells nothing apart
        ahead += np.sum(~(behind > 0.0), axis=0)
    resolved: NDArray[np.bool_] = ahead / len(scores) < level
    return resolved


def _variances(scores: Floats, rows: Sequence[NDArray[np.intp]]) -> Floats:
    """Return the variance of one run's score in each cell; of a single run, that of all others."""
    freedom = sum(len(r) - 1 for r in rows)
    squares = [float(np.sum((scores[r] - scores[r].mean()) ** 2)) for r in rows]
    pooled = sum(squares) / freedom
    return np.array(
        [s / (len(r) - 1) if len(r) > 1 else pooled for s, r in zip(squares, rows, strict=True)]
    )


def _runs_to_resolve(scores: Floats, variances: Floats, best: int) -> list[int | None]:
    """Return how many runs, of each cell and of the best, tell them apart in four of five tries."""
    level = _UNRESOLVED / max(len(scores) - 1, 1)
    normal = NormalDist()
    quantiles = normal.inv_cdf(1.0 - level) + normal.inv_cdf(_POWER)
    found: list[int | None] = []
    for score, variance in zip(scores, variances, strict=True):
        behind = float(scores[best] - score)
        spread = quantiles * math.sqrt(variance + variances[best])
        enough = behind > 0.0 and spread <= behind * math.sqrt(MOST_RUNS)
        found.append(max(2, math.ceil((spread / behind) ** 2)) if enough else None)
    return found


def _frontier(
    order: Sequence[Hashable],
    means: Floats,
    names: Sequence[str],
    aims: Sequence[Aim],
    allowed: NDArray[np.bool_],
) -> list[Hashable]:
    signs = [1.0 if aim.sense == "more" else -1.0 for aim in aims]
    gains = np.stack(
        [sign * means[:, names.index(a.measure)] for sign, a in zip(signs, aims, strict=True)],
        axis=1,
    )
    rivals = gains[allowed]
    kept = [
        k
        for k in map(int, np.flatnonzero(allowed))
        if not np.any(np.all(rivals >= gains[k], axis=1) & np.any(rivals > gains[k], axis=1))
    ]
    return [order[k] for k in sorted(kept, key=lambda k: -gains[k, 0])]


def _answer(
    candidates: Sequence[Candidate],
    choice: Choice,
    best: int | None,
    order: Sequence[Hashable],
    frontier: Sequence[Hashable],
    tolerance: float,
    replicated: bool,
    note: str | None,
) -> Recommendation:
    allowed = [c for c in candidates if c.allowed]
    unresolved = [c.cell for c in allowed[1:] if replicated and not c.resolved]
    good = [c.cell for c in allowed if c.loss_percent <= 100.0 * tolerance]
    return Recommendation(
        answer=None if choice.answer is None else order[choice.answer],
        choices=[order[k] for k in choice.choices],
        best=None if best is None else order[best],
        candidates=candidates,
        indistinguishable=unresolved,
        good_enough=good,
        tolerance=tolerance,
        frontier=frontier,
        message=_message(candidates, choice, best, replicated, tolerance),
        note=None if best is None else note,
    )


def _how_often(candidates: Sequence[Candidate]) -> str:
    runs = [c.runs_to_resolve for c in candidates if c.runs_to_resolve is not None]
    return f" (about {max(runs)} runs of each tell most apart)" if runs else ""


def _message(
    candidates: Sequence[Candidate],
    choice: Choice,
    best: int | None,
    replicated: bool,
    tolerance: float,
) -> str | None:
    if best is None:
        return "No setting that was measured keeps the constraints: loosen one, or measure others."
    if not replicated:
        return (
            "Each setting has one value only, without its spread: this ranks the values as they "
            "are. Measure each setting at least three times for probabilities."
        )
    if choice.answer is None:
        return (
            "Not enough to recommend a setting: none keeps the limits with 99 % and loses at most "
            f"{100.0 * tolerance:g} % with 95 %. Measure each setting more often"
            f"{_how_often(candidates)}, or loosen a limit."
        )
    single = sum(c.n == 1 for c in candidates)
    if single:
        return f"{single} settings have one run and borrow the spread of the others."
    pairs = sum(c.n == 2 for c in candidates)
    if pairs:
        return (
            f"{pairs} settings have two runs, which hardly tell a spread: a third narrows it most."
        )
    return None
