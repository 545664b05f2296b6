# SPDX-License-Identifier: Apache-2.0
"""What a fit says of parameters, or a model, that its data hardly determine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .diagnostics import RELATIVE_ERROR_LIMIT
from .result import Estimate, FitResult


def saturated(points: int, parameters: int) -> str | None:
    """Say that a fit passes through all its points; None where some are left to judge it by."""
    if points > parameters:
        return None
    return (
        "There are as many points as parameters: the fit passes through all, whatever the model, "
        "and nothing is left to judge it by. Measure further settings."
    )


def with_poorly_determined(result: FitResult) -> FitResult:
    """The fit, whose message also names the parameters that are poorly determined."""
    message = " ".join(filter(None, (result.message, poorly_determined(result.estimates)))) or None
    return replace(result, message=message)


def poorly_determined(estimates: Mapping[str, Estimate]) -> str | None:
    """Name the parameters whose standard error is too large a share of the estimate, if any.

    However independent the columns are: noise alone can leave a parameter undetermined.
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
    return f"Poorly determined: {named}. Measure further settings, or each more often."
