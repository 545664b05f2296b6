# SPDX-License-Identifier: Apache-2.0
"""GET /api/quantities."""

from coalescope_models.vocabulary.quantity import QUANTITIES
from fastapi import APIRouter

from coalescope.glossary.schemas import QuantityOut, quantity_out

router = APIRouter(tags=["glossary"])


@router.get("/quantities")
def list_quantities() -> list[QuantityOut]:
    """Every quantity that a column, factor, measure or parameter can name."""
    return [quantity_out(quantity) for quantity in QUANTITIES.values()]
