# SPDX-License-Identifier: Apache-2.0
"""Which settings are as good as the best, and which of those to set: the server's rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .belief import Draw

#: How often what is set may break a limit, and how often it may lose more than it should.
_LIMIT_RISK = 0.01
_LOSS_RISK = 0.05
#: Nobody sets what was measured less often.
FEWEST_RUNS = 3

Intrusion = Callable[[int], Any]
"""What setting it would change, smallest first."""


@dataclass(frozen=True)
class Choice:
    """What to set.

    Attributes:
        answer: of `choices` the one that changes least; None where there are none.
        choices: settings measured often enough that keep the limits with 99 %, and lose no more
            than the tolerance against the best that keeps them with 95 %.
    """

    answer: int | None
    choices: frozenset[int]


def choose(
    draws: Sequence[Draw], runs: Counter[int], tolerance_percent: float, intrusion: Intrusion
) -> Choice:
    """Choose from what is believed of all settings, measured or not."""
    known = [(draw, best) for draw in draws if (best := draw.best) is not None]
    if not known:
        return Choice(None, frozenset())
    most = loss_of(tolerance_percent)
    choices = frozenset(
        k
        for k, count in runs.items()
        if count >= FEWEST_RUNS
        and sum(draw.kept[k] for draw in draws) >= (1.0 - _LIMIT_RISK) * len(draws)
        and sum(draw.scores[best] - draw.scores[k] <= most for draw, best in known)
        >= (1.0 - _LOSS_RISK) * len(known)
    )
    return Choice(min(choices, key=intrusion, default=None), choices)


def decision(draw: Draw, tolerance_percent: float, intrusion: Intrusion) -> int | None:
    """What would be set if things were as in one draw."""
    best = draw.best
    if best is None:
        return None
    least = draw.scores[best] - loss_of(tolerance_percent)
    return min(
        (k for k, keeps in enumerate(draw.kept) if keeps and draw.scores[k] >= least),
        key=intrusion,
    )


def loss_of(percent: float) -> float:
    """A loss in percent as a difference of scores."""
    return -math.log1p(-percent / 100.0)
