# SPDX-License-Identifier: Apache-2.0
"""Whether given factors are ones the glossary knows, with levels that are possible. Pure."""

from collections.abc import Mapping

from coalescope_models.vocabulary.quantity import Quantity

from coalescope.errors import CoalescopeError, perhaps
from coalescope.experiments.records import FactorValue
from coalescope.glossary.quantities import (
    factor,
    is_free_factor,
    measure,
    nearest_names,
    own_factor,
)
from coalescope.untrusted.bounds import FACTORS, LARGEST_NUMBER, LEVEL_CHARACTERS, most
from coalescope.untrusted.texts import fault_in


def check_factors(factors: Mapping[str, FactorValue]) -> None:
    """Errors: 422 naming the factor that is unknown, or whose level is not possible."""
    if len(factors) > most(FACTORS):
        raise CoalescopeError(
            "too_many_factors",
            f"The run says levels of {len(factors):,} factors; up to {FACTORS} are taken.",
            where={"field": "factors"},
            advice="What is the same in all runs belongs into the environment.",
        )
    for name, value in factors.items():
        fault = _fault(name, value)
        if fault is not None:
            code, message, advice = fault
            raise CoalescopeError(
                code, message, where={"field": name, "value": value}, advice=advice
            )


_Fault = tuple[str, str, str]  # code, message, advice


def _fault(name: str, value: FactorValue) -> _Fault | None:
    quantity = factor(name)
    if quantity is not None:
        return _unusable(name, value) or _contradiction(quantity, value)
    if is_free_factor(name):
        return _unusable(name, value)
    if measure(name) is not None:
        return (
            "unknown_factor",
            f"{name!r} is a measure, not a factor: it is observed, not set.",
            "Leave it out here; what was observed stands in the file itself.",
        )
    return (
        "unknown_factor",
        f"Factor {name!r} is not in the glossary.",
        f"{perhaps(nearest_names(name))}A factor of your own is named {own_factor(name)}.",
    )


def _unusable(name: str, value: FactorValue) -> _Fault | None:
    if isinstance(value, str):
        fault = fault_in(value)
        if 0 < len(value) <= most(LEVEL_CHARACTERS) and fault is None:
            return None
        return (
            "bad_text",
            f"The level of {name} {fault or 'is empty or too long'}.",
            f"Use plain text of at most {LEVEL_CHARACTERS} characters.",
        )
    if abs(value) <= LARGEST_NUMBER:  # so not NaN either
        return None
    return "not_finite", f"The level of {name} is no number that can be used.", "Correct it."


def _contradiction(quantity: Quantity, value: FactorValue) -> _Fault | None:
    unit = quantity.unit or "plain numbers"
    if quantity.text != isinstance(value, str):
        kind = "a text" if quantity.text else f"a number in {unit}"
        return "wrong_type", f"{quantity.name} is {kind}, not {value!r}.", "Correct the level."
    if isinstance(value, str) or quantity.contains(value):
        return None
    low, high = quantity.domain
    bounds = f"at least {low:g}" if low is not None else ""
    bounds += f"{' and ' if bounds and high is not None else ''}"
    bounds += f"at most {high:g}" if high is not None else ""
    return (
        "out_of_domain",
        f"{quantity.name} = {value} is not possible.",
        f"{quantity.label} is {bounds}, in {unit}.",
    )
