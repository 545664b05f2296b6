# SPDX-License-Identifier: Apache-2.0
"""Fits of model parameters to tables of observations, with intervals and diagnostics.

Needs numpy, so nothing that runs in the browser imports it.
"""

from ..methods import DEFAULT_METHOD, METHODS
from .bootstrap import Over
from .diagnostics import CONDITION_LIMIT
from .errors import FitInputError
from .lack_of_fit import Stated, chance, rejection, statistic
from .linear import fit_linear
from .nonlinear import Weighting, fit_nonlinear, most_work
from .result import Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual

__all__ = [
    "CONDITION_LIMIT",
    "DEFAULT_METHOD",
    "METHODS",
    "Bootstrap",
    "Diagnostics",
    "Estimate",
    "FitInputError",
    "FitResult",
    "LackOfFit",
    "Over",
    "Residual",
    "Stated",
    "Weighting",
    "chance",
    "fit_linear",
    "fit_nonlinear",
    "most_work",
    "rejection",
    "statistic",
]
