# SPDX-License-Identifier: Apache-2.0
"""GET /api/experiments/{slug}/export."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from coalescope.db.engine import Database
from coalescope.experiments.endpoints import WHERE_PARAMETERS
from coalescope.experiments.service import get_experiment
from coalescope.exports.chosen import choose_runs
from coalescope.exports.service import Format, What, export, file_name
from coalescope.runs.chosen import identities
from coalescope.runs.selection import LEFT_OUT_AS_TEXT, current_among
from coalescope.web.connections import ReadConnection

router = APIRouter(prefix="/experiments", tags=["exports"])

_OWN = ("format", "what", "without")
_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@router.get(
    "/{slug}/export",
    summary="Download cells or runs",
    openapi_extra=WHERE_PARAMETERS,
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The file, as an attachment",
            "content": {
                "text/csv": {
                    "schema": {"type": "string"},
                    "example": "workload,mtu_bytes,delay_us,n,throughput_mbps,throughput_mbps_sd\n"
                    "udp,1500,163.84,10,986.7,\n",
                },
                "application/json": {"schema": {"type": "object"}},
            },
        }
    },
)
def export_experiment(
    request: Request,
    connection: ReadConnection,
    slug: str,
    file_format: Annotated[Format, Query(alias="format", description="Of the file")],
    what: Annotated[What, Query(description="A row per cell, or per current run")] = "cells",
    without: Annotated[str, Query(**LEFT_OUT_AS_TEXT)] = "",
) -> StreamingResponse:
    """Download an experiment's cells or current runs.

    The CSV has the form that uploads take; a text that a spreadsheet would take for a formula
    begins with an apostrophe. FACTOR=VALUE, any number, chooses cells; a note of the source says
    which levels. The JSON says where the data comes from, its kind, its version, the levels that
    were chosen and which runs were left out; the name of the file says how many.
    """
    experiment = get_experiment(connection, slug)
    where = [pair for pair in request.query_params.multi_items() if pair[0] not in _OWN]
    uids = identities(without)
    chosen = choose_runs(connection, experiment, where, uids)
    left_out = current_among(connection, experiment, uids)
    database: Database = request.app.state.database

    def pieces() -> Iterator[str]:
        # The file is read in one transaction of its own: this request's ends with this function.
        with database.read() as reading:
            now = get_experiment(reading, slug)
            yield from export(
                reading, now, file_format, what, choose_runs(reading, now, where, uids)
            )

    name = file_name(experiment, file_format, what, chosen.where, len(left_out))
    return StreamingResponse(
        pieces(),
        media_type=_MEDIA_TYPES[file_format],
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-cache",
        },
    )
