# SPDX-License-Identifier: Apache-2.0
"""Predictions of a model over levels as people give them: a number, or several."""

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalescope.client.extras import required
from coalescope.client.grids import prediction_dataset
from coalescope.client.source import Document, ModelGiven
from coalescope.errors import CoalescopeError

if TYPE_CHECKING:
    import xarray

Levels = float | Iterable[float]
Predict = Callable[[ModelGiven, Document], Document]

# each of them is a question of its own
_MOST_UNEVEN = 256
_ROUNDING = 1e-12


def predict_over(ask: Predict, model: ModelGiven, given: Mapping[str, Levels]) -> "xarray.Dataset":
    """Each output of the model, over the names that were given several levels, in their order.

    Errors: as of the API; 422 for too many levels that are not evenly spaced.
    """
    levels = {name: _read(name, value) for name, value in given.items()}
    values = {name: float(level) for name, level in levels.items() if level.ndim == 0}
    over = {name: level for name, level in levels.items() if level.ndim > 0}
    uneven = prod(level.size for level in over.values() if not _is_even(level))
    if uneven > _MOST_UNEVEN:
        raise CoalescopeError(
            "wrong_range",
            f"{uneven} combinations of levels that are not evenly spaced; {_MOST_UNEVEN} are the "
            "most.",
            advice="Give evenly spaced levels, such as numpy.linspace(0, 100, 201).",
        )
    return _predict(ask, model, values, over).transpose(*over)


def _predict(
    ask: Predict,
    model: ModelGiven,
    values: Mapping[str, float],
    over: Mapping[str, NDArray[np.float64]],
) -> "xarray.Dataset":
    """One question where all is evenly spaced; else one for each level of what is not."""
    name = next((name for name, level in over.items() if not _is_even(level)), None)
    if name is None:
        spans = {each: _span(level) for each, level in over.items()}
        return prediction_dataset(ask(model, {"values": values, "over": spans}))
    others = {each: level for each, level in over.items() if each != name}
    parts = [
        _predict(ask, model, values, {name: over[name][place : place + 1], **others})
        for place in range(over[name].size)
    ]
    joined: xarray.Dataset = required("xarray").concat(parts, name)
    return joined


def _span(level: NDArray[np.float64]) -> Document:
    return {"lo": float(level[0]), "hi": float(level[-1]), "n": level.size}


def _is_even(level: NDArray[np.float64]) -> bool:
    """Whether it is what the API calls a span: it need not send each level."""
    even = np.linspace(level[0], level[-1], level.size)
    off = np.abs(level - even) > _ROUNDING * np.max(np.abs(level))
    return bool(level[0] <= level[-1] and not np.any(off))


def _read(name: str, value: Any) -> NDArray[np.float64]:
    try:
        levels = np.asarray(value if np.ndim(value) or np.isscalar(value) else list(value), float)
    except (TypeError, ValueError):
        levels = np.empty(0)
    if levels.ndim > 1 or levels.size == 0 or not np.all(np.isfinite(levels)):
        raise CoalescopeError(
            "wrong_range",
            f"{name} is neither a number nor a list of numbers.",
            where={"field": name},
            advice=f"Give it as {name}=1500 or {name}=[1500, 9000].",
        )
    return levels
