# SPDX-License-Identifier: Apache-2.0
"""The models, each with its quantities, its parameters and its citation, a file per document.

This is the only list of models. Whatever shows, fits or evaluates a model takes it from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import chase, coalescing, composed, dillon, geist, linux, ronciak, zec
from .model import (
    DomainError,
    LinearFit,
    MissingInputError,
    Model,
    ModelError,
    Parameter,
    Plane,
    UnknownModelError,
    UnknownNameError,
    evaluate,
    must_be,
)

#: Every model by its id.
MODELS: Mapping[str, Model] = MappingProxyType(
    {
        model.id: model
        for document in (geist, zec, chase, ronciak, dillon, composed, linux, coalescing)
        for model in document.MODELS
    }
)


def find(model_id: str) -> Model:
    """Return the model of an id.

    Raises:
        UnknownModelError: there is none; the message lists those that there are.
    """
    try:
        return MODELS[model_id]
    except KeyError:
        raise UnknownModelError(
            model_id, f"there is no model {model_id!r}; there are {', '.join(MODELS)}"
        ) from None


__all__ = [
    "MODELS",
    "DomainError",
    "LinearFit",
    "MissingInputError",
    "Model",
    "ModelError",
    "Parameter",
    "Plane",
    "UnknownModelError",
    "UnknownNameError",
    "evaluate",
    "find",
    "must_be",
]
