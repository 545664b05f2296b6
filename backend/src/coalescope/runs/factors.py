# SPDX-License-Identifier: Apache-2.0
"""Whether given factors are ones the glossary knows, with levels that are possible. Pure."""

import math
from collections.abc import Mapping

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import FactorValue
from coalescope.glossary.quantities import factor, is_free_factor, nearest_names


def check_factors(factors: Mapping[str, FactorValue]) -> None:
    """Errors: 422 naming the factor that is unknown, or whose level is not possible."""
    for name, value in factors.items():
        fault = _fault(name, value)
        if fault is not None:
            code, message, advice = fault
            raise CoalescopeError(
                code, message, where={"field": name, "value": value}, advice=advice
            )


def _fault(name: str, value: FactorValue) -> tuple[str, str, str] | None:
    quantity = factor(name)
    if not isinstance(value, str) and not math.isfinite(value):
        return "not_finite", f"The level of {name} is not finite.", "Leave the factor out."
    if quantity is None:
        if is_free_factor(name):
            return None
        near = nearest_names(name)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        return (
            "unknown_factor",
            f"Factor {name!r} is not in the glossary.",
            f"{meant}A factor of your own is named factor.{name}.",
        )
    if quantity.text != isinstance(value, str):
        kind = "a text" if quantity.text else f"a number in {quantity.unit or 'plain numbers'}"
        return "wrong_type", f"{name} is {kind}, not {value!r}.", "Correct the level."
    if not isinstance(value, str) and not quantity.contains(value):
        return (
            "out_of_domain",
            f"{name} = {value} is not possible.",
            f"{quantity.label} lies in {quantity.domain}, in {quantity.unit}.",
        )
    return None
