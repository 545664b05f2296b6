# SPDX-License-Identifier: Apache-2.0
"""GET /api/models, POST /api/models/{model_id}/predictions."""

from functools import cache

from fastapi import APIRouter

from coalescope.predictions import service
from coalescope.predictions.schemas import (
    ModelOut,
    PredictionIn,
    PredictionOut,
    model_out,
    prediction_out,
)

router = APIRouter(prefix="/models", tags=["models"])


@cache
def _catalogue() -> list[ModelOut]:
    return [model_out(model) for model in service.list_models()]


@router.get("", summary="List the models")
def list_models() -> list[ModelOut]:
    """Every model with its inputs, parameters, outputs, equations and expression graph."""
    return _catalogue()


@router.post("/{model_id}/predictions", summary="Evaluate a model")
def create_prediction(model_id: str, body: PredictionIn) -> PredictionOut:
    """Evaluate a model at a point or over a grid of at most 65,536 points."""
    over = {name: service.Span(span.lo, span.hi, span.n) for name, span in body.over.items()}
    return prediction_out(service.predict(model_id, body.values, over))
