# SPDX-License-Identifier: Apache-2.0
"""Whether the service answers, and which version it is."""

from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from coalescope.datasets.background import BackgroundLoader

router = APIRouter(tags=["service"])


class DatasetStateOut(BaseModel):
    """A data set that is not there yet; `message` says why, where it could not be loaded."""

    slug: str
    state: Literal["loading", "failed"]
    message: str | None


class Health(BaseModel):
    """The service is up."""

    status: Literal["ok"]
    version: str
    datasets: list[DatasetStateOut] = Field(
        description="Data sets that are being loaded, or could not be; empty once all are there"
    )


@router.get("/health")
def get_health(request: Request) -> Health:
    """Answers as soon as the service can serve, while large data sets may still be loading."""
    loader: BackgroundLoader = request.app.state.dataset_loader
    states = [DatasetStateOut.model_validate(s, from_attributes=True) for s in loader.states()]
    return Health(status="ok", version=version("coalescope"), datasets=states)
