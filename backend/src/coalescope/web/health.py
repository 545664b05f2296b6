# SPDX-License-Identifier: Apache-2.0
"""Whether the service answers, which version it is, and whether it can do its work."""

import logging
from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from sqlalchemy.exc import DBAPIError

from coalescope.datasets.background import BackgroundLoader
from coalescope.db.engine import Database
from coalescope.db.migrations import is_current
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.storage.object_store import ObjectStore
from coalescope.web.error_responses import ErrorResponse

_LOG = logging.getLogger("coalescope")

_VERSION = version("coalescope")  # each look reads files

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
    read_only: bool = Field(description="Whether every change is refused")
    max_upload_bytes: int = Field(description="The largest file that `POST /api/uploads` takes")
    datasets: list[DatasetStateOut] = Field(
        description="Data sets that are being loaded, or could not be; empty once all are there"
    )


@router.get("/health")
async def get_health(request: Request) -> Health:
    """Answers as soon as the service can serve, while large data sets may still be loading."""
    settings: Settings = request.app.state.settings
    loader: BackgroundLoader = request.app.state.dataset_loader
    states = [DatasetStateOut.model_validate(s, from_attributes=True) for s in loader.states()]
    return Health(
        status="ok",
        version=_VERSION,
        read_only=settings.read_only,
        max_upload_bytes=settings.max_upload_bytes,
        datasets=states,
    )


class Readiness(BaseModel):
    """The service can do its work."""

    status: Literal["ready"]


@router.get(
    "/ready", responses={503: {"model": ErrorResponse, "description": "`where` says what is amiss"}}
)
def get_readiness(request: Request) -> Readiness:
    """Look whether database and schema can be used and, unless read-only, files be written."""
    state = request.app.state
    answers, current = _database(state.database)
    writable = state.settings.read_only or _writable(state.object_store)
    checks = {"database": answers, "migrations": current, "store": writable}
    if not all(checks.values()):
        raise CoalescopeError(
            "not_ready",
            "The service cannot do its work now.",
            where={name: "ok" if fine else "failed" for name, fine in checks.items()},
            advice="The server's log has the reason.",
            status=503,
        )
    return Readiness(status="ready")


def _database(database: Database) -> tuple[bool, bool]:
    try:
        with database.read() as connection:
            return True, is_current(connection)
    except DBAPIError as error:
        _LOG.warning("not ready: the database does not answer", exc_info=error)
        return False, False


def _writable(store: ObjectStore) -> bool:
    try:
        with store.stage() as staged:
            staged.write(b"ready")
            staged.sync()
    except OSError as error:
        _LOG.warning("not ready: files cannot be written: %s", error)
        return False
    return True
