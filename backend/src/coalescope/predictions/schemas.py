# SPDX-License-Identifier: Apache-2.0
"""Models and predictions as the API shows them."""

from math import prod
from typing import Annotated, Any, Self

import numpy as np
from coalescope_models.catalogue import Model
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from coalescope.glossary.schemas import QuantityOut
from coalescope.predictions.service import MAX_POINTS, Prediction, Span
from coalescope.user_models.schemas import EXAMPLE, UserModelIn
from coalescope.web.whole_numbers import JSON_INTEGER


class ParameterOut(QuantityOut):
    """A constant of a model: its default there, and the ends and step of its slider."""

    default: float
    lo: float
    hi: float
    step: float


class PlaneOut(BaseModel):
    """The two inputs that a model's surface is spanned over."""

    x: str
    y: str


class ModelOut(BaseModel):
    """A model without its kernels, which are part of the page."""

    id: str
    title: str
    summary: str
    citation: str
    notes: list[str] = Field(description="What to know before trusting it")
    inputs: list[QuantityOut]
    parameters: list[ParameterOut]
    outputs: list[QuantityOut] = Field(description="The first is the one to show first")
    plane: PlaneOut | None
    axes: dict[str, str] = Field(
        description="Over the plane, whether an input varies along x, y or xy"
    )
    latex: dict[str, str] = Field(description="The equation of each output")
    graph: dict[str, Any] = Field(description="The traced expression: data, not code")


class SpanIn(BaseModel):
    """Evenly spaced values, both ends included."""

    model_config = ConfigDict(extra="forbid", strict=True)

    lo: FiniteFloat
    hi: FiniteFloat
    n: Annotated[int, Field(ge=1, le=MAX_POINTS), JSON_INTEGER]


class PredictionIn(BaseModel):
    """Where to evaluate a model."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "values": {"mtu_bytes": 1500},
                    "over": {"delay_us": {"lo": 0, "hi": 100, "n": 3}},
                }
            ]
        },
    )

    values: dict[str, FiniteFloat] = Field(
        default_factory=dict, description="Inputs and parameters; others keep their default"
    )
    over: dict[str, SpanIn] = Field(
        default_factory=dict, description="What varies, in the order of the axes"
    )

    def spans(self) -> dict[str, Span]:
        """Return what varies as the service takes it."""
        return {name: Span(span.lo, span.hi, span.n) for name, span in self.over.items()}


class UserPredictionIn(PredictionIn):
    """A model of your own, and where to evaluate it."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "model": EXAMPLE,
                    "over": {"delay_us": {"lo": 0, "hi": 100, "n": 3}},
                }
            ]
        },
    )

    model: UserModelIn


class PredictionOut(BaseModel):
    """What a model predicts over a grid."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "timer-packets-per-interrupt",
                    "axes": {"delay_us": [0, 50, 100]},
                    "shape": [3],
                    "outputs": {
                        "packets_per_interrupt": [1, 6, 10],
                        "rx_interrupt_rate_hz": [81274.4, 13545.7, 8127.4],
                    },
                    "units": {
                        "delay_us": "µs",
                        "packets_per_interrupt": "packets/interrupt",
                        "rx_interrupt_rate_hz": "interrupts/s",
                    },
                }
            ]
        }
    )

    model: str
    axes: dict[str, list[float]]
    shape: list[int] = Field(description="Points along each axis; empty for a single point")
    outputs: dict[str, list[float | None]] = Field(
        description="Each output over the grid, the last axis fastest; null where not known or "
        "not finite"
    )
    units: dict[str, str]

    @model_validator(mode="after")
    def _values_fill_the_grid(self) -> Self:
        """Those of a server that is not ours may not."""
        if self.shape != [len(levels) for levels in self.axes.values()]:
            raise ValueError("a shape that is not that of its axes")
        if {len(values) for values in self.outputs.values()} - {prod(self.shape)}:
            raise ValueError(f"an output that has not {prod(self.shape)} values")
        if not {*self.axes, *self.outputs} <= self.units.keys():
            raise ValueError("an axis or an output without a unit")
        return self


def model_out(model: Model) -> ModelOut:
    """Return that model as the API shows it."""
    return ModelOut.model_validate(model.to_json())


def prediction_out(prediction: Prediction) -> PredictionOut:
    """Return that prediction as the API shows it."""
    return PredictionOut(
        model=prediction.model.id,
        axes={name: values.tolist() for name, values in prediction.axes.items()},
        shape=[values.size for values in prediction.axes.values()],
        outputs={name: _finite(values) for name, values in prediction.outputs.items()},
        units=prediction.units(),
    )


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.ravel().tolist()]
