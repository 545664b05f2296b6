# SPDX-License-Identifier: Apache-2.0
"""What is said of a fit whose data tell a parameter, or the model, hardly at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .diagnostics import RELATIVE_ERROR_LIMIT
from .result import Estimate, FitResult


def nothing_left(points: int, parameters: int) -> str | None:
    """Say that a fit passes through all its points; None where some are left to judge it by."""
    if points > parameters:
        return None
    return (
        "There are as many points as parameters: the fit passes through all, whatever the model, "
        "and nothing is left to judge it by. Measure further settings."
    )


def naming_hardly_known(result: FitResult) -> FitResult:
    """The fit, whose message also names the parameters that are hardly known."""
    message = " ".join(filter(None, (result.message, hardly_known(result.estimates)))) or None
    return replace(result, message=message)


def hardly_known(estimates: Mapping[str, Estimate]) -> str | None:
    """Name the parameters whose standard error is too large a share of the estimate, if any.

    However well the columns are told apart: noise alone can leave a parameter unknown.
    """
    shares = {
        name: own.standard_error / abs(own.value)
        for name, own in estimates.items()
        if own.value and own.standard_error is not None
    }
    found = {name: share for name, share in shares.items() if share > RELATIVE_ERROR_LIMIT}
    if not found:
        return None
    named = " and ".join(
        f"{name} (standard error {100.0 * share:.3g} % of its estimate)"
        for name, share in found.items()
    )
    return f"Hardly known: {named}. Measure further settings, or each more often."
