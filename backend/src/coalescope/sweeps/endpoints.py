# SPDX-License-Identifier: Apache-2.0
"""PUT /api/sweeps/{id} and …/progress, GET /api/experiments/{slug}/sweeps and …/events."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.sse import EventSourceResponse

from coalescope.db.engine import Database
from coalescope.sweeps import service
from coalescope.sweeps.events import Listeners, changes
from coalescope.sweeps.schemas import ChangeOut, ProgressIn, SweepIn, SweepOut
from coalescope.web.connections import ReadConnection, WriteConnection
from coalescope.web.error_responses import ErrorResponse

router = APIRouter(tags=["sweeps"])

SweepId = Annotated[str, Path(json_schema_extra={"pattern": f"^{service.ID.pattern}$"})]


@router.put("/sweeps/{sweep_id}")
def announce_sweep(connection: WriteConnection, sweep_id: SweepId, sweep: SweepIn) -> SweepOut:
    """Announce a sweep that begins or goes on. Again with the same id: what it says now counts."""
    return service.announce(connection, sweep_id, sweep)


@router.put("/sweeps/{sweep_id}/progress", responses={404: {"model": ErrorResponse}})
def report_progress(
    connection: WriteConnection, sweep_id: SweepId, progress: ProgressIn
) -> SweepOut:
    """Say how far a sweep is."""
    return service.report(connection, sweep_id, progress)


@router.get("/experiments/{slug}/sweeps")
def list_sweeps(connection: ReadConnection, slug: str) -> ChangeOut:
    """The version of an experiment's data, and its sweeps, which may be there before its runs."""
    return service.change(connection, slug)


def _listening(request: Request) -> Iterator[Listeners]:
    listeners: Listeners = request.app.state.listeners
    listeners.enter()
    try:
        yield listeners
    finally:
        listeners.leave()


@router.get("/experiments/{slug}/events", response_class=EventSourceResponse)
async def follow_experiment(
    request: Request, slug: str, listeners: Annotated[Listeners, Depends(_listening)]
) -> AsyncIterator[ChangeOut]:
    """Server-sent events: what `/sweeps` answers, now and whenever it changes."""
    database: Database = request.app.state.database
    async for change in changes(database, listeners, slug):
        yield change
