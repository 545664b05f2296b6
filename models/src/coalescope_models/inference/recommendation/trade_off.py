# SPDX-License-Identifier: Apache-2.0
"""What several aims are worth together: weighed against each other, or balanced.

Both score settings, and compare scores by differences: a loss of 0.01 is one percent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Allowed = NDArray[np.bool_]

#: Share of what there is to gain below which a score does not fall.
_LEAST = 1e-300
#: Logarithm of the most that a run, or what is not allowed, is of the largest that is.
_MOST = 100.0


class Score(Protocol):
    """How good settings are."""

    @property
    def sense(self) -> Literal["more", "less"]:
        """Whether scores are logarithms of what is wanted, or of its inverse: a cost."""

    @property
    def tolerance(self) -> float:
        """Loss against the best that a reader would not care about."""

    def of_settings(self, logs: Floats, allowed: Allowed) -> Floats:
        """Score logarithms of measures [..., settings, measures]: [..., settings]."""

    def of_runs(self, logs: Floats, cells: NDArray[np.intp]) -> Floats:
        """Score runs [n, measures] of settings `cells` [n], to first order about their means."""


@dataclass(frozen=True)
class Weighed:
    """Σ ± weight × log(measure): a weight says what a relative change is worth against another's.

    Attributes:
        weights: of each measure, negative where less is wanted, [measures].
        sense: of the first aim, in which a loss is told.
    """

    weights: Floats
    sense: Literal["more", "less"]

    @property
    def tolerance(self) -> float:
        """Two percent of a measure."""
        return 0.02

    def of_settings(self, logs: Floats, allowed: Allowed) -> Floats:
        """Score settings; what is allowed makes no difference."""
        scores: Floats = logs @ self.weights
        return scores

    def of_runs(self, logs: Floats, cells: NDArray[np.intp]) -> Floats:
        """Score runs."""
        scores: Floats = logs @ self.weights
        return scores


@dataclass(frozen=True)
class Balanced:
    """The knee of the trade-off curve between two aims.

    The curve goes from the setting that is best in the first aim to the one that is best in the
    second. Each aim's way between these ends counts as one, and a setting scores the mean of the
    shares of them that it reaches. Of all settings that is the one furthest from the straight line
    between the ends (Das 1999): from there, either way loses a larger share of one aim than it
    gains of the other. It is also the one nearest to the ideal by the sum of both shortfalls
    (Zeleny 1973). Nothing has to be chosen, and units do not matter, but the ends are those of the
    settings that there are.

    Attributes:
        columns: of both aims.
        signs: of both, 1 where more is wanted and −1 where less is.
        means: logarithms of the settings' measures, [settings, measures].
        allowed: which settings count, [settings].
    """

    columns: list[int]
    signs: list[float]
    means: Floats
    allowed: Allowed

    @property
    def sense(self) -> Literal["more", "less"]:
        """Shares are wanted."""
        return "more"

    @property
    def tolerance(self) -> float:
        """Five percent of the share: of what choosing can change, and not of a measure.

        Where choosing moves a measure by a third of itself this is one to three percent of it. A
        knee is the flat top of a curve, where settings differ little: one percent of the share,
        half a percent of a measure, would leave the choice to chance.
        """
        return 0.05

    @property
    def has_two_ends(self) -> bool:
        """Whether no setting is best in both aims."""
        largest = self._largest(self.means, self.allowed)
        ideal, nadir = _ends(self._worth(self.means, largest), self.allowed)
        return bool(np.all(ideal > nadir))

    def of_settings(self, logs: Floats, allowed: Allowed) -> Floats:
        """Score settings between the ends of their own curve: log of the mean share."""
        worth = self._worth(logs, self._largest(logs, allowed))
        scores: Floats = np.log(np.maximum(_share(worth, *_ends(worth, allowed)), _LEAST))
        return scores

    def of_runs(self, logs: Floats, cells: NDArray[np.intp]) -> Floats:
        """Score runs between the ends of the settings' curve."""
        largest = self._largest(self.means, self.allowed)
        settings = self._worth(self.means, largest)
        ends = _ends(settings, self.allowed)
        shares = _share(settings, *ends)[cells]
        scores = np.zeros_like(shares)  # of settings that reach no share there is nothing to tell
        of_runs = _share(self._worth(logs, largest[0]), *ends)
        return np.divide(of_runs, shares, out=scores, where=shares > _LEAST)

    def _largest(self, logs: Floats, allowed: Allowed) -> Floats:
        """The largest of each aim among what is allowed, [..., 1, 2]: shares need no unit."""
        kept = np.where(allowed[..., None], logs[..., self.columns], -np.inf)
        largest: Floats = kept.max(axis=-2, keepdims=True)
        largest[~np.isfinite(largest)] = 0.0
        return largest

    def _worth(self, logs: Floats, largest: Floats) -> Floats:
        """Both aims as parts of the largest, such that more is better, [..., 2]."""
        parts = np.exp(np.minimum(logs[..., self.columns] - largest, _MOST))
        worth: Floats = parts * np.array(self.signs)
        return worth


def _ends(worth: Floats, allowed: Allowed) -> tuple[Floats, Floats]:
    """Return the best of each aim, and what is left of it where the other is best, [..., 2]."""
    kept = np.where(allowed[..., None], worth, -np.inf)
    ideal = kept.max(axis=-2)
    at_best = kept == ideal[..., None, :]
    # of several that are best in an aim, the one that gives up least of the other
    nadir = np.where(at_best[..., ::-1], kept, -np.inf).max(axis=-2)
    return ideal, nadir


def _share(worth: Floats, ideal: Floats, nadir: Floats) -> Floats:
    """Return the mean share of the way from the nadir to the ideal, [..., settings].

    Where one setting is best in both aims there is no way: it has all, and the others nothing.
    Where none is allowed there is no share.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        way = np.maximum(ideal - nadir, np.finfo(np.float64).tiny)[..., None, :]
        shares: Floats = 1.0 - ((ideal[..., None, :] - worth) / way).mean(axis=-1)
    return shares
