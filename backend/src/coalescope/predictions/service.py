# SPDX-License-Identifier: Apache-2.0
"""Find models and evaluate them at a point or over a grid."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

import numpy as np
from coalescope_models.catalogue import (
    MODELS,
    DomainError,
    MissingInputError,
    Model,
    ModelError,
    evaluate,
)
from numpy.typing import NDArray

from coalescope.errors import CoalescopeError, did_you_mean, not_found
from coalescope.user_models.confinement import Run, here

MAX_POINTS = 65_536
MAX_AXES = 16
# points × nodes of the graph: each node is an array of all points, 64 MB together
_MAX_VALUES = 8_000_000
# points × outputs: what an answer writes out, about 20 MB
_MAX_ANSWERED = 1_000_000
# points × nodes that take a millisecond and a megabyte: too little to be done elsewhere
_FEW_VALUES = 100_000


@dataclass(frozen=True)
class Span:
    """`n` evenly spaced values from `lo` to `hi`, both included."""

    lo: float
    hi: float
    n: int


@dataclass(frozen=True)
class Prediction:
    """Outputs of a model over a grid.

    Attributes:
        model: what was evaluated.
        axes: the values along each axis, in the order asked for; none for a single point.
        outputs: each output over the whole grid, in the shape of the axes.

    """

    model: Model
    axes: Mapping[str, NDArray[np.float64]]
    outputs: Mapping[str, NDArray[np.float64]]

    def units(self) -> dict[str, str]:
        """Return the unit of every axis and output."""
        axes = {name: self.model.quantity(name).unit for name in self.axes}
        return axes | {quantity.name: quantity.unit for quantity in self.model.outputs}


def list_models() -> list[Model]:
    """All models, in the catalogue's order."""
    return list(MODELS.values())


def get_model(model_id: str) -> Model:
    """Return the model of that id. Errors: 404 naming the models there are."""
    model = MODELS.get(model_id)
    if model is None:
        meant = did_you_mean(model_id, MODELS)
        raise not_found("model", model_id, f"{meant}Models are {', '.join(MODELS)}.")
    return model


def require_model(model_id: str) -> Model:
    """Return the model that a question names. Errors: 422 naming the models there are.

    Not 404: what the address names is there.
    """
    try:
        return get_model(model_id)
    except CoalescopeError as error:
        raise CoalescopeError(
            "unknown_model", error.message, where=error.where, advice=error.advice
        ) from None


def predict(
    model: str | Model,
    values: Mapping[str, float],
    over: Mapping[str, Span] | None = None,
    run: Run = here,
) -> Prediction:
    """Evaluate a model, or that of an id; parameters that are not given keep their default.

    Errors: 404 for the model; 422 for a name it does not have, an input without a value, a value
    outside its quantity's domain, a name given twice, an empty or too large grid; and what `run`
    refuses.
    """
    model = get_model(model) if isinstance(model, str) else model
    over = over or {}
    nodes, answered = len(model.graph.nodes), len(model.graph.outputs)
    most = min(MAX_POINTS, _MAX_VALUES // nodes, _MAX_ANSWERED // answered)
    of_this = "" if most == MAX_POINTS else " for a graph of so many nodes and outputs"
    check_grid(values, over, most, of_this)
    axes = {name: np.linspace(span.lo, span.hi, span.n) for name, span in over.items()}
    grid = np.meshgrid(*axes.values(), indexing="ij") if axes else []
    given = dict(values) | dict(zip(axes, grid, strict=True))
    outputs = evaluate_points(model, given, run)
    shape = tuple(span.n for span in over.values())
    return Prediction(
        model=model,
        axes=axes,
        outputs={name: np.broadcast_to(value, shape) for name, value in outputs.items()},
    )


def evaluate_points(
    model: Model, values: Mapping[str, Any], run: Run = here
) -> dict[str, NDArray[np.float64]]:
    """Each output at points given as numbers and arrays of one shape.

    Errors: 422 for a name, a value or a missing input that does not suit the model; and what `run`
    refuses.
    """
    points = max((np.size(value) for value in values.values()), default=1)
    few = points * len(model.graph.nodes) <= _FEW_VALUES
    try:
        with np.errstate(all="ignore"):
            outputs = (here if few else run)(evaluate, model, values)
    except ModelError as error:
        raise _refused(model, error) from None
    return {name: np.asarray(value, dtype=np.float64) for name, value in outputs.items()}


def check_axes(over: Mapping[str, Any]) -> None:
    """Errors: 422 for more axes than a grid can have."""
    if len(over) > MAX_AXES:
        raise _wrong_grid(
            "over", f"{len(over)} names run over values; {MAX_AXES} are the most.", "Let fewer run."
        )


def check_grid(
    values: Mapping[str, float], over: Mapping[str, Span], most: int, why: str = ""
) -> None:
    """Errors: 422 for a name given twice, an empty range, and more than `most` points."""
    check_axes(over)
    for name, span in over.items():
        if name in values:
            raise _wrong_grid(name, f"{name} is given both a value and a range.", "Give one.")
        if span.n < 1:
            raise _wrong_grid(name, f"{name} runs over {span.n} points.", "Ask for 1 or more.")
        if span.lo > span.hi:
            raise _wrong_grid(
                name, f"{name} runs from {span.lo:g} down to {span.hi:g}.", "Exchange the two."
            )
        if not isfinite(span.hi - span.lo):
            raise _wrong_grid(
                name,
                f"{name} runs from {span.lo:g} to {span.hi:g}: too far.",
                "Choose nearer ends.",
            )
    points = prod(span.n for span in over.values())
    if points > most:
        raise _wrong_grid(
            ", ".join(over),
            f"The grid has {points} points; {most} are the most{why}.",
            "Ask for fewer points on an axis.",
        )


def _wrong_grid(name: str, message: str, advice: str) -> CoalescopeError:
    return CoalescopeError("wrong_range", message, where={"field": name}, advice=advice)


def _refused(model: Model, error: ModelError) -> CoalescopeError:
    match error:
        case DomainError():
            code, advice = "out_of_domain", "Check the value and its unit."
        case MissingInputError():
            needed = ", ".join(quantity.name for quantity in model.inputs)
            code, advice = "missing_input", f"Its inputs are {needed}; parameters have defaults."
        case _:
            code = "unknown_name"
            advice = (
                f"{did_you_mean(error.name, model.names)}Give inputs and parameters by these names."
            )
    return CoalescopeError(
        code, f"{error}.", where={"model": model.id, "field": error.name}, advice=advice
    )
