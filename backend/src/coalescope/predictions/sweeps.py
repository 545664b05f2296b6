# SPDX-License-Identifier: Apache-2.0
"""Predictions over grids that are too large for a request, in parts that may be spread."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalescope.predictions.service import (
    Prediction,
    Span,
    check_grid,
    evaluate_points,
    get_model,
)

# What an answer writes out, about 20 MB.
MAX_NUMBERS = 1_000_000
# The same for any number of workers, so that every point is computed in the same company.
_POINTS_A_PART = 8_192

Spread = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
_Outputs = Mapping[str, NDArray[np.float64]]


def sweep(
    model_id: str,
    values: Mapping[str, float],
    over: Mapping[str, Span],
    spread: Spread | None = None,
) -> Prediction:
    """Evaluate a model of the catalogue over a grid of up to MAX_NUMBERS points × outputs.

    `spread` applies a function to parts of the grid elsewhere; the result is the same to the last
    bit. Errors: as service.predict; 503 where `spread` reaches nobody.
    """
    model = get_model(model_id)
    most = MAX_NUMBERS // len(model.outputs)
    check_grid(values, over, most, f" for a model of {len(model.outputs)} outputs")
    axes = {name: np.linspace(span.lo, span.hi, span.n) for name, span in over.items()}
    shape = tuple(span.n for span in over.values())
    evaluated = partial(_part, model_id, dict(values), axes)
    parts = list((spread or map)(evaluated, range(0, prod(shape), _POINTS_A_PART)))
    outputs = {
        name: np.concatenate([part[name] for part in parts]).reshape(shape) for name in parts[0]
    }
    return Prediction(model, axes, outputs)


def _part(
    model_id: str, values: Mapping[str, float], axes: Mapping[str, NDArray[np.float64]], first: int
) -> _Outputs:
    """The outputs at some points, counted with the last axis fastest."""
    shape = tuple(axis.size for axis in axes.values())
    points = np.arange(first, min(first + _POINTS_A_PART, prod(shape)))
    places = np.unravel_index(points, shape) if shape else ()
    given = {name: axis[at] for (name, axis), at in zip(axes.items(), places, strict=True)}
    outputs = evaluate_points(get_model(model_id), {**values, **given})
    return {name: np.broadcast_to(found, points.shape) for name, found in outputs.items()}
