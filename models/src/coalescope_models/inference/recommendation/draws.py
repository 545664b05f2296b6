# SPDX-License-Identifier: Apache-2.0
"""Draws of what the means of all settings may be, from the scatter of their runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import neighbours
from .choice import DRAWS_AT_ONCE, in_parts
from .limits import kept, rivals
from .noise import cell_variances
from .question import Constraint
from .trade_off import Allowed, Floats, Score

_DRAWS = 4_000
Sampler = Callable[[int], Floats]
"""Draws so many times the means of all cells, [draws, cells, measures]."""


def sampler_of(
    logs: Floats,
    rows: Sequence[NDArray[np.intp]],
    means: Floats,
    positions: Floats | None,
    rng: np.random.Generator,
) -> Sampler | None:
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


def from_0_to_1(positions: Sequence[Sequence[float]]) -> Floats | None:
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
class Drawn:
    """What every draw says of every setting, [draws, settings]."""

    scores: Floats
    kept: Allowed


def draw(
    sample: Sampler,
    names: Sequence[str],
    constraints: Sequence[Constraint],
    current: int,
    score: Score,
) -> Drawn:
    """Draw in parts: of the measures of all draws, hundreds of megabytes, none is kept."""
    draws = sample(DRAWS_AT_ONCE)
    against = rivals(draws, names, constraints)
    all_draws = (_DRAWS, draws.shape[1])
    found = Drawn(np.empty(all_draws), np.empty(all_draws, dtype=np.bool_))
    for part in in_parts(_DRAWS):
        draws = sample(DRAWS_AT_ONCE)
        keeping = kept(draws, names, constraints, current, against)
        found.kept[part] = keeping
        found.scores[part] = score.of_settings(draws, keeping)
    return found
