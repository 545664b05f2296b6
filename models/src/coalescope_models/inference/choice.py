# SPDX-License-Identifier: Apache-2.0
"""Of the settings that are as good as the best, the one that changes least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Allowed = NDArray[np.bool_]

#: How often a setting that is set may break a guard, and how often it may lose more than it should.
_GUARD_RISK = 0.01
_LOSS_RISK = 0.05


@dataclass(frozen=True)
class Choice:
    """What to set.

    Attributes:
        answer: index of the setting; None where nothing is sure enough.
        choices: indices of all settings that keep the guards with 99 % and lose no more than the
            tolerance against the best that keeps them with 95 %.
        guarded: indices of the settings that keep the guards with 99 %.
    """

    answer: int | None
    choices: tuple[int, ...]
    guarded: tuple[int, ...]


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
    guarded = np.flatnonzero(kept.mean(axis=0) >= 1.0 - _GUARD_RISK)
    best = np.where(kept, scores, -np.inf).max(axis=1, keepdims=True)
    some = np.isfinite(best[:, 0])
    if not len(guarded) or not some.any():
        return Choice(None, (), ())
    loss = best[some] - scores[some][:, guarded]
    enough = np.mean(loss <= -np.log1p(-tolerance), axis=0) >= 1.0 - _LOSS_RISK
    choices = tuple(int(k) for k in guarded[enough])
    answer = min(choices, key=intrusion, default=None)
    return Choice(answer, choices, tuple(map(int, guarded)))
