# SPDX-License-Identifier: Apache-2.0
"""Whether the service answers, and which version it is."""

from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

router = APIRouter(tags=["service"])


class Health(BaseModel):
    """The service is up."""

    status: Literal["ok"]
    version: str


@router.get("/health")
def get_health() -> Health:
    """Answers as soon as the service can serve."""
    return Health(status="ok", version=version("coalescope"))
