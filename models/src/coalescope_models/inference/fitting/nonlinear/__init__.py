# SPDX-License-Identifier: Apache-2.0
"""Fits of any traced model by nonlinear least squares, plain or robust."""

from .fit import fit_nonlinear
from .search import most_work
from .task import Weighting

__all__ = ["Weighting", "fit_nonlinear", "most_work"]
