# SPDX-License-Identifier: Apache-2.0
"""How formulas of the catalogue write quantities."""

from __future__ import annotations

from ..expr import Notation
from ..vocabulary.quantity import QUANTITIES, Quantity


def _symbol(quantity: Quantity) -> str:
    if quantity.role == "parameter":  # for the page to mark
        return rf"\class{{p-{quantity.name}}}{{{quantity.symbol}}}"
    return quantity.symbol


def _word(name: str, value: float) -> str | None:
    quantity = QUANTITIES.get(name)
    return None if quantity is None else quantity.meaning(value)


#: Symbols and words of the quantities; a parameter is wrapped as ``\class{p-<name>}{…}``.
QUANTITY_NOTATION = Notation({q.name: _symbol(q) for q in QUANTITIES.values()}, _word)
