# SPDX-License-Identifier: Apache-2.0
"""Draws of what the means of all settings may be, from the scatter of their runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from . import neighbours
from .choice import DRAWS_AT_ONCE, in_parts
from .limits import kept, rivals
from .question import Constraint
from .scatter import Scatter
from .trade_off import Allowed, Floats, Score

_DRAWS = 4_000
Sampler = Callable[[int], Floats]
"""Draws so many times the means of all cells, [draws, cells, measures]."""


def sampler_of(
    scatter: Scatter,
    means: Floats,
    positions: Floats | None,
    able: Allowed,
    among: Allowed,
    rng: np.random.Generator,
) -> Sampler:
    """Return what draws the means.

    Args:
        scatter: of the runs.
        means: of the settings' logarithms, [settings, measures].
        positions: of the settings, [settings, factors]; None where each stands alone.
        able: settings that tell of each other, [settings]; others stand alone.
        among: those to choose from, [settings]; of too many able ones, these alone tell.
        rng: for the draws.
    """
    own = np.sqrt(scatter.errors)
    if positions is not None:
        able = able & ~np.isnan(positions).any(axis=1)
    if able.sum() > neighbours.MOST:
        able = able & among
    surfaces = _surfaces(scatter, means, positions, able)

    def sample(count: int) -> Floats:
        drawn: Floats = rng.normal(size=(count, *means.shape)) @ scatter.together
        drawn *= np.sqrt(scatter.freedom / rng.chisquare(scatter.freedom, size=drawn.shape))
        smooth = [
            surface.means + drawn[:, able, j] @ surface.root.T for j, surface in enumerate(surfaces)
        ]
        drawn *= own
        drawn += means
        for j, values in enumerate(smooth):
            drawn[:, able, j] = values
        return drawn

    return sample


def _surfaces(
    scatter: Scatter, means: Floats, positions: Floats | None, able: Allowed
) -> list[neighbours.Settled]:
    """Return what neighbours tell of each measure; nothing where they are few, or too many."""
    if positions is None or not neighbours.FEWEST <= able.sum() <= neighbours.MOST:
        return []
    return [
        neighbours.settle(means[able, j], scatter.errors[able, j], positions[able])
        for j in range(means.shape[1])
    ]


def from_0_to_1(positions: Sequence[Sequence[float] | None]) -> Floats | None:
    """Return positions with each factor from 0 to 1; None where no factor varies.

    Of a setting without a position, NaN.
    """
    width = max((len(own) for own in positions if own is not None), default=0)
    table = np.array([own or [math.nan] * width for own in positions], dtype=np.float64)
    if not width:
        return None
    lo, hi = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
    varied = hi > lo
    scaled: Floats = (table[:, varied] - lo[varied]) / (hi - lo)[varied]
    return scaled if varied.any() else None


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
    among: Allowed,
    admitted: Allowed,
) -> Drawn:
    """Draw in parts: of the measures of all draws, hundreds of megabytes, none is kept.

    Settings that are not admitted keep no constraints, [settings].
    """
    draws = sample(DRAWS_AT_ONCE)
    against = rivals(draws, names, constraints, among)
    all_draws = (_DRAWS, draws.shape[1])
    found = Drawn(np.empty(all_draws), np.empty(all_draws, dtype=np.bool_))
    for part in in_parts(_DRAWS):
        draws = sample(DRAWS_AT_ONCE)
        keeping = kept(draws, names, constraints, current, among, against) & admitted
        found.kept[part] = keeping
        found.scores[part] = score.of_settings(draws, keeping)
    return found
