# SPDX-License-Identifier: Apache-2.0
"""Which settings keep the limits that they must keep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .question import Constraint
from .trade_off import Allowed, Floats

#: Settings that are held against all others at once: of thousands, all pairs take gigabytes.
_SETTINGS_AT_ONCE = 256
_LEAST_APART = 1e-12
Rivals = Mapping[Constraint, NDArray[np.intp]]
"""Of bounds "within" the best: the setting that each is held against."""


def rivals(
    draws: Floats, names: Sequence[str], constraints: Sequence[Constraint], among: Allowed
) -> Rivals:
    """Return for each setting the one to choose from that most probably lies too far above it."""
    found = {}
    for constraint in constraints:
        if constraint.limit == "within":
            away = _away(draws[..., names.index(constraint.measure)], constraint)
            found[constraint] = rivals_beyond(away, math.log1p(-constraint.value / 100.0), among)
    return found


def rivals_beyond(away: Floats, allowed: float, among: Allowed) -> NDArray[np.intp]:
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
        surely = beyond / np.maximum(apart, _LEAST_APART)
        found[part] = np.argmax(np.where(among, surely, -np.inf), axis=1)
    return found


def _away(value: Floats, constraint: Constraint) -> Floats:
    return -value if constraint.sense == "less" else value


def kept(
    values: Floats,
    names: Sequence[str],
    constraints: Sequence[Constraint],
    current: int,
    among: Allowed,
    rivals: Rivals | None = None,
) -> Allowed:
    """Whether logarithms [..., settings, measures] keep every constraint.

    `current` is the place of the setting that bounds "within current" refer to. Bounds "within" the
    best are held against `rivals`, without these against the best of the settings `among` which is
    chosen.
    """
    kept = np.ones(values.shape[:-1], dtype=np.bool_)
    for constraint in constraints:
        value = values[..., names.index(constraint.measure)]
        if constraint.limit == "within":
            away = _away(value, constraint)
            if rivals is None:
                best = away.max(axis=-1, keepdims=True, initial=-np.inf, where=among)
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
