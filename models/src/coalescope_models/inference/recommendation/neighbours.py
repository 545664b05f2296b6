# SPDX-License-Identifier: Apache-2.0
"""What neighbouring settings tell of each other: a Gaussian process over the factors.

Replicates of forty settings say more of each than its own two or ten do, where the measure changes
smoothly with the factors. How smoothly is estimated, and how much each setting differs from what
its neighbours say is estimated with it: on a rough surface each setting stands alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]

#: Fewer settings tell little of how smooth a surface is; more take long.
FEWEST, MOST = 12, 300
_STARTS = (0.3, 1.0)
_LENGTHS = (0.03, 10.0)
_JITTER = 1e-9


@dataclass(frozen=True)
class Settled:
    """What is known of the settings' true values together.

    Attributes:
        means: [settings].
        root: the symmetric root of their covariance, [settings, settings], so that what is drawn
            for a setting is mostly its own.
    """

    means: Floats
    root: Floats


def settle(means: Floats, variances: Floats, positions: Floats) -> Settled:
    """Return what all settings say of each.

    The prior is a constant plus a Matérn 5/2 process with a length for each factor plus an effect
    of each setting alone (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
    equations 2.23, 2.24 and 4.17, http://gaussianprocess.org/gpml/). Lengths and variances maximise
    the restricted likelihood with weak priors.

    Args:
        means: of each setting's runs, [settings].
        variances: of these means, [settings].
        positions: of the settings, [settings, factors], each factor from 0 to 1.
    """
    # matrices of a few dozen rows: threads wait for each other longer than they work
    with threadpool_limits(1, "blas"):
        return _settled(means, variances, positions)


def _settled(means: Floats, variances: Floats, positions: Floats) -> Settled:
    spread = max(float(np.var(means)), 0.01 * float(variances.mean()), 1e-24)
    prior = _Prior(means, variances, positions, spread)
    own = prior.covariance(prior.most_likely())
    known = own + 100.0 * spread  # the constant is free
    gain = np.linalg.solve(known + np.diag(variances), known).T
    centre = float(means.mean())
    after = known - gain @ known
    values, vectors = np.linalg.eigh((after + after.T) / 2.0)
    return Settled(
        centre + gain @ (means - centre), (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    )


@dataclass(frozen=True)
class _Prior:
    means: Floats
    variances: Floats
    positions: Floats
    spread: float

    def most_likely(self) -> Floats:
        """Return logarithms of the lengths, of the process's variance and of the own effects'."""
        from scipy import optimize  # noqa: PLC0415  not at start-up

        factors = self.positions.shape[1]
        level = math.log(self.spread)
        bounds = [
            *[(math.log(_LENGTHS[0]), math.log(_LENGTHS[1]))] * factors,
            (level - 9.0, level + 5.0),
            (level - 16.0, level + 2.0),
        ]
        found = [
            optimize.minimize(
                self._unlikeliness,
                np.array([*[math.log(start)] * factors, level, level - 4.6]),
                method="L-BFGS-B",
                bounds=bounds,
            )
            for start in _STARTS
        ]
        best: Floats = min(found, key=lambda each: float(each.fun)).x
        return best

    def covariance(self, parameters: Floats) -> Floats:
        """Return the covariance of the true values, without the constant."""
        factors = self.positions.shape[1]
        scaled = self.positions / np.exp(parameters[:factors])
        away = math.sqrt(5.0) * np.sqrt(
            ((scaled[:, None, :] - scaled[None, :, :]) ** 2).sum(axis=-1)
        )
        matern = (1.0 + away + away**2 / 3.0) * np.exp(-away)
        alone = math.exp(parameters[factors + 1]) + _JITTER * self.spread
        covariance: Floats = math.exp(parameters[factors]) * matern + alone * np.eye(len(away))
        return covariance

    def _unlikeliness(self, parameters: Floats) -> float:
        from scipy import linalg  # noqa: PLC0415  not at start-up

        factors = self.positions.shape[1]
        together = self.covariance(parameters) + np.diag(self.variances)
        try:
            root = np.linalg.cholesky(together)
        except np.linalg.LinAlgError:
            return 1e10
        sides = np.column_stack([self.means, np.ones_like(self.means)])
        own, one = linalg.solve_triangular(root, sides, lower=True).T
        left = own - one * (own @ one) / (one @ one)
        level = math.log(self.spread)
        doubt = (
            np.sum((parameters[:factors] - math.log(0.5)) ** 2)
            + ((parameters[factors] - level) / 2.0) ** 2
            + ((parameters[factors + 1] - level + 4.6) / 2.5) ** 2
        )
        return float(
            0.5 * (left @ left + math.log(one @ one) + doubt) + np.log(np.diag(root)).sum()
        )
