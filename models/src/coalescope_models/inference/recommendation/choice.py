# SPDX-License-Identifier: Apache-2.0
"""Of the settings that are as good as the best, the one that changes least.

Which is the best is not known, and the best of many values with noise lies above the best. So a
setting is compared with each other one alone: what is surely no worse than each is no worse than
the best, whichever that is (an intersection-union test; Berger, Technometrics 24(4), 1982,
https://doi.org/10.1080/00401706.1982.10487790).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Allowed = NDArray[np.bool_]

#: How often a setting that is set may break a guard, and how often it may lose more than it should.
GUARD_RISK = 0.01
LOSS_RISK = 0.05
#: Settings that others are compared with: of more, those that may be the best.
MOST_RIVALS = 64
#: Draws that are worked on at once: of thousands of settings, each copy of all takes 80 MB.
DRAWS_AT_ONCE = 500


def in_parts(draws: int) -> Iterator[slice]:
    """Places of draws, as many as are worked on at once."""
    return (slice(k, k + DRAWS_AT_ONCE) for k in range(0, draws, DRAWS_AT_ONCE))


@dataclass(frozen=True)
class Choice:
    """What to set.

    Attributes:
        answer: index of the setting; None where nothing is sure enough.
        choices: indices of all settings that keep the guards with 99 %, and of which no other that
            keeps them is better by more than the tolerance, with 95 % for each other.
    """

    answer: int | None
    choices: tuple[int, ...]


def choose(
    scores: Floats, kept: Allowed, tolerance: float, intrusion: Callable[[int], Any]
) -> Choice:
    """Choose from draws of what each setting does.

    Args:
        scores: logarithmic scores, [draws, settings]; a difference of 0.01 is one percent.
        kept: whether the setting keeps the guards, [draws, settings].
        tolerance: loss, as a share, that does not matter.
        intrusion: what setting it would change, smallest first.
    """
    guarded = np.flatnonzero(surely(kept))
    choices = tuple(int(k) for k in guarded[risks(scores, kept, guarded, tolerance) <= LOSS_RISK])
    return Choice(min(choices, key=intrusion, default=None), choices)


def risks(scores: Floats, kept: Allowed, settings: NDArray[np.intp], tolerance: float) -> Floats:
    """How often each of the settings loses more than the tolerance, [settings].

    Against the one other that keeps the guards and is that much better the most often.
    """
    risk = np.zeros(len(settings))
    for rival in _rivals(scores, kept):
        beaten = np.zeros(len(settings))
        for part in in_parts(len(scores)):
            ahead = scores[part, rival, None] - scores[part][:, settings] > -np.log1p(-tolerance)
            beaten += np.sum(ahead[kept[part, rival]], axis=0)
        risk = np.maximum(risk, beaten / len(scores))
    return risk


def surely(kept: Allowed) -> Allowed:
    """Whether a setting keeps the guards in so many draws that it may be set, [settings]."""
    found: Allowed = kept.mean(axis=0) >= 1.0 - GUARD_RISK
    return found


def _rivals(scores: Floats, kept: Allowed) -> NDArray[np.intp]:
    """Return the settings that may keep the guards; of many, those with the highest scores."""
    able = np.flatnonzero(kept.mean(axis=0) > LOSS_RISK)
    if len(able) <= MOST_RIVALS:
        return able
    high = np.array([np.quantile(scores[kept[:, k], k], 1.0 - LOSS_RISK) for k in able])
    return able[np.argsort(-high)[:MOST_RIVALS]]
