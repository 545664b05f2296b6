# SPDX-License-Identifier: Apache-2.0
"""Names of the glossary as the backend needs them: look-up, order, nearest names."""

from difflib import get_close_matches

from coalescope_models.quantity import QUANTITIES, Quantity

from coalescope.errors import CoalescopeError

FREE_FACTOR_PREFIX = "factor."
_ORDER = {name: index for index, name in enumerate(QUANTITIES)}


def factor(name: str) -> Quantity | None:
    """The factor of that name, or None; free factors (factor.<name>) have no quantity."""
    quantity = QUANTITIES.get(name)
    return quantity if quantity is not None and quantity.role == "factor" else None


def measure(name: str) -> Quantity | None:
    """The measure of that name, or None."""
    quantity = QUANTITIES.get(name)
    return quantity if quantity is not None and quantity.role == "measure" else None


def is_free_factor(name: str) -> bool:
    """Whether the name is that of a factor the glossary does not know, factor.<name>."""
    return name.startswith(FREE_FACTOR_PREFIX) and len(name) > len(FREE_FACTOR_PREFIX)


def glossary_order(name: str) -> tuple[int, str]:
    """Sort key: the glossary's order, free factors after it by name."""
    return _ORDER.get(name, len(_ORDER)), name


def nearest_names(name: str) -> list[str]:
    """Up to three glossary names that look like `name`."""
    columns = [q.name for q in QUANTITIES.values() if q.role in {"factor", "measure"}]
    return get_close_matches(name, columns, n=3, cutoff=0.55)


def require_measure(name: str) -> Quantity:
    """The measure of that name. Errors: 422 naming those that look like it."""
    quantity = measure(name)
    if quantity is None:
        near = nearest_names(name)
        raise CoalescopeError(
            "unknown_measure",
            f"{name[:80]!r} is not a measure.",
            where={"field": "measure"},
            advice=f"Did you mean {' or '.join(near)}?" if near else "See the glossary.",
        )
    return quantity
