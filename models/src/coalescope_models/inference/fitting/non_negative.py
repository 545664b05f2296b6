# SPDX-License-Identifier: Apache-2.0
"""Costs are not negative: what becomes of estimates and intervals that ask for less than nothing.

Where an estimate is negative the others are fitted again without it: the minimum over costs of 0
and more lies at that bound (Lawson and Hanson 1974, chapter 23).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .result import Diagnostics, Estimate, FitResult

Ends = tuple[float, float] | None


def negative(result: FitResult) -> list[str]:
    """Names of the parameters whose estimate is below zero."""
    values = {name: own.value for name, own in result.estimates.items()}
    return [name for name, value in values.items() if value is not None and value < 0.0]


def at_zero(result: FitResult, free: FitResult, held: Sequence[str]) -> FitResult:
    """The fit without some parameters, with these at zero; no interval goes below it.

    Args:
        result: the fit of the other parameters.
        free: the fit of all, in which those were negative.
        held: which.
    """
    estimates = {
        name: _held(own) if name in held else _cut(result.estimates[name])
        for name, own in free.estimates.items()
    }
    message = _said(free.estimates, held) if held else None
    return replace(
        result,
        estimates=estimates,
        covariance=_widened(result.covariance, list(free.estimates), held),
        diagnostics=_of_all(result.diagnostics, list(free.estimates)),
        message=" ".join(filter(None, (message, result.message))) or None,
    )


def _held(own: Estimate) -> Estimate:
    upper = 0.0 if own.ci95 is None else max(0.0, own.ci95[1])
    return Estimate(0.0, own.unit, None if own.ci95 is None else (0.0, upper), None, None)


def _cut(own: Estimate) -> Estimate:
    return replace(own, ci95=_above(own.ci95), ci95_if_model_holds=_above(own.ci95_if_model_holds))


def _above(ends: Ends) -> Ends:
    return None if ends is None else (max(0.0, ends[0]), max(0.0, ends[1]))


def _said(estimates: Mapping[str, Estimate], held: Sequence[str]) -> str:
    asked = " and ".join(f"{name} ({estimates[name].value:.2g})" for name in held)
    one = len(held) == 1
    return (
        f"The data ask for a negative {asked}, which {'is no cost' if one else 'are no costs'}: "
        f"{'it is' if one else 'they are'} held at 0 and the rest fitted without. Either nothing "
        "is known of it, or the model leaves something out."
    )


def _widened(
    covariance: list[list[float]] | None, names: Sequence[str], held: Sequence[str]
) -> list[list[float]] | None:
    if covariance is None:
        return None
    free = [name for name in names if name not in held]
    place = {name: k for k, name in enumerate(free)}
    return [
        [covariance[place[a]][place[b]] if a in place and b in place else 0.0 for b in names]
        for a in names
    ]


def _of_all(diagnostics: Diagnostics, names: Sequence[str]) -> Diagnostics:
    inflation = {name: diagnostics.variance_inflation.get(name) for name in names}
    return replace(diagnostics, variance_inflation=inflation)
