# SPDX-License-Identifier: Apache-2.0
"""Every setting beside the best: what it loses, and whether the data tell them apart."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from .choice import in_parts, surely
from .draws import Drawn
from .question import Aim, Sense
from .trade_off import Floats, Score

#: Runs of one setting that anybody would measure.
MOST_RUNS = 1_000
_UNRESOLVED = 0.05
_POWER = 0.8


@dataclass(frozen=True)
class Candidate:
    """What is known of one setting.

    Attributes:
        cell: its label.
        n: replicates.
        means: of each measure that was asked about. What is good enough is told on logarithms,
            of which the means can be in another order.
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


def candidates_of(
    order: Sequence[Hashable],
    rows: Sequence[NDArray[np.intp]],
    measured: Mapping[str, Floats],
    scores: Floats,
    allowed: NDArray[np.bool_],
    best: int | None,
    drawn: Drawn | None,
    score: Score,
    listed: NDArray[np.intp],
) -> list[Candidate]:
    """Return the listed settings, the best first, those not allowed last.

    `measured` has each measure's mean in all of them.
    """
    top = scores[listed].max() if best is None else scores[best]
    gains = dict(zip(listed, _gains(scores[listed], float(top), score.sense), strict=True))
    sure = resolved = None
    if drawn is not None:
        sure = surely(drawn.kept)
        if best is not None:
            resolved = _resolved(drawn.scores, best, _level(listed))
    found = [
        Candidate(
            cell=order[k],
            n=len(rows[k]),
            means={name: float(means[k]) for name, means in measured.items()},
            loss_percent=0.0 - float(100.0 * math.expm1(min(scores[k] - top, 700.0))),
            gain_percent=float(gains[k]),
            allowed=bool(allowed[k]),
            surely_allowed=None if sure is None else bool(sure[k]),
            resolved=k != best and (resolved is None or bool(resolved[k])),
            runs_to_resolve=None,
        )
        for k in map(int, listed)
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


def _level(listed: NDArray[np.intp]) -> float:
    """Of one comparison with the best: 5 % over all together (Bonferroni)."""
    return _UNRESOLVED / max(len(listed) - 1, 1)


def _resolved(scores: Floats, best: int, level: float) -> NDArray[np.bool_]:
    """Which cells lie below the best in all but a level of the draws."""
    ahead = np.zeros(scores.shape[1])
    for part in in_parts(len(scores)):
        behind = scores[part, best : best + 1] - scores[part]
        # a draw in which nothing is allowed has no scores, and tells nothing apart
        ahead += np.sum(~(behind > 0.0), axis=0)
    resolved: NDArray[np.bool_] = ahead / len(scores) < level
    return resolved


def variances_of_runs(scores: Floats, rows: Sequence[NDArray[np.intp]]) -> Floats:
    """Return the variance of one run's score in each cell; of a single run, that of all others."""
    freedom = sum(len(r) - 1 for r in rows)
    squares = [float(np.sum((scores[r] - scores[r].mean()) ** 2)) for r in rows]
    pooled = sum(squares) / freedom
    return np.array(
        [s / (len(r) - 1) if len(r) > 1 else pooled for s, r in zip(squares, rows, strict=True)]
    )


def runs_to_resolve(
    scores: Floats, variances: Floats, best: int, listed: NDArray[np.intp]
) -> list[int | None]:
    """Return how many runs, of each cell and of the best, tell them apart in four of five tries."""
    normal = NormalDist()
    quantiles = normal.inv_cdf(1.0 - _level(listed)) + normal.inv_cdf(_POWER)
    found: list[int | None] = []
    for score, variance in zip(scores, variances, strict=True):
        behind = float(scores[best] - score)
        spread = quantiles * math.sqrt(variance + variances[best])
        enough = behind > 0.0 and spread <= behind * math.sqrt(MOST_RUNS)
        found.append(max(2, math.ceil((spread / behind) ** 2)) if enough else None)
    return found


def frontier_of(
    order: Sequence[Hashable],
    means: Floats,
    names: Sequence[str],
    aims: Sequence[Aim],
    allowed: NDArray[np.bool_],
) -> list[Hashable]:
    """Return the allowed settings that no other beats in every aim, by falling first aim."""
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
