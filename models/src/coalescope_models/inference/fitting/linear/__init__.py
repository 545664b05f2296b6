# SPDX-License-Identifier: Apache-2.0
"""Fits of models that are linear in their parameters."""

from .fit import fit_linear

__all__ = ["fit_linear"]
