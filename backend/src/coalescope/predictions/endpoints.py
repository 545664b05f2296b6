# SPDX-License-Identifier: Apache-2.0
"""GET /api/models, POST /api/models/{model_id}/predictions, POST /api/predictions."""

from functools import cache

from fastapi import APIRouter, Request

from coalescope.predictions import service
from coalescope.predictions.schemas import (
    ModelOut,
    PredictionIn,
    PredictionOut,
    UserPredictionIn,
    model_out,
    prediction_out,
)
from coalescope.user_models.confinement import confinement
from coalescope.user_models.service import read_user_model
from coalescope.web.concurrency import ConcurrencyLimiter

router = APIRouter(prefix="/models", tags=["models"])
user_router = APIRouter(prefix="/predictions", tags=["models"])


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
    return prediction_out(service.predict(model_id, body.values, body.spans()))


@user_router.post("", summary="Evaluate a model of your own")
def create_user_prediction(request: Request, body: UserPredictionIn) -> PredictionOut:
    """Evaluate a graph that came with the request, as any model of the catalogue.

    It is data: operations that are not listed, too many nodes, and graphs that explode when shared
    parts are written out, are refused before anything is computed. Time and memory are bounded.
    """
    model = read_user_model(body.model)
    computations: ConcurrencyLimiter = request.app.state.computations
    run = confinement(request.app.state.settings)
    with computations.acquire():
        return prediction_out(service.predict(model, body.values, body.spans(), run))
