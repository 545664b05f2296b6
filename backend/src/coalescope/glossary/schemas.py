# SPDX-License-Identifier: Apache-2.0
"""A quantity as the API shows it."""

from typing import Literal

from coalescope_models.vocabulary.quantity import Aim, Axis, Quantity
from pydantic import BaseModel, ConfigDict, Field


class QuantityOut(BaseModel):
    """A quantity or parameter: its name in every format, its unit, and where it is defined."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "delay_us",
                    "label": "Delay",
                    "symbol": "d",
                    "unit": "µs",
                    "description": "The interrupt delay that was asked for.",
                    "domain": [0, None],
                    "typical": [0, 1000],
                    "role": "factor",
                    "text": False,
                    "source": "Intel 8254x manual",
                    "better": None,
                    "aim": None,
                    "guarded": False,
                    "axis": "across",
                    "meanings": [],
                }
            ]
        }
    )

    name: str
    label: str
    symbol: str
    unit: str
    description: str
    domain: tuple[float | None, float | None]
    typical: tuple[float, float] | None
    role: Literal["factor", "measure", "parameter", "model"]
    text: bool
    source: str
    better: Literal["more", "less"] | None
    aim: Aim | None
    guarded: bool = Field(
        description="Whether recommendations guard this one of its aim, rather than the first"
    )
    axis: Axis | None = Field(
        description="Which axis of a surface a factor takes unless asked otherwise"
    )
    meanings: list[str] = Field(description="Of a code: what 0, 1, 2 … stand for")


def quantity_out(quantity: Quantity) -> QuantityOut:
    """That quantity as the API shows it."""
    return QuantityOut.model_validate(quantity, from_attributes=True)
