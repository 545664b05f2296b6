# SPDX-License-Identifier: Apache-2.0
"""Fits of model parameters to tables of observations, with intervals and diagnostics.

Needs numpy, so nothing that runs in the browser imports it.
"""

from .bootstrap import Over
from .diagnostics import CONDITION_LIMIT
from .errors import FitInputError
from .linear import METHODS, fit_linear
from .nonlinear import Weighting, fit_nonlinear, most_work
from .result import Bootstrap, Diagnostics, Estimate, FitResult, LackOfFit, Residual

__all__ = [
    "CONDITION_LIMIT",
    "METHODS",
    "Bootstrap",
    "Diagnostics",
    "Estimate",
    "FitInputError",
    "FitResult",
    "LackOfFit",
    "Over",
    "Residual",
    "Weighting",
    "fit_linear",
    "fit_nonlinear",
    "most_work",
]
