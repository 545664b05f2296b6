# SPDX-License-Identifier: Apache-2.0
"""List, create, change, delete and restore experiments; their cells."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy.engine import Connection

from coalescope.experiments import changing, service
from coalescope.experiments.cells import cell_columns_json, cells_json
from coalescope.experiments.conditional import NOT_MODIFIED, not_modified, tag, tag_of
from coalescope.experiments.description import describe_experiment
from coalescope.experiments.levels import factor_levels, matches, parse_where
from coalescope.experiments.records import ExperimentRecord, Kind
from coalescope.experiments.schemas import (
    CellColumnsOut,
    CellsOut,
    DeletedExperimentOut,
    ExperimentChangeIn,
    ExperimentIn,
    ExperimentOut,
    ExperimentSummaryOut,
)
from coalescope.experiments.summaries import Summaries
from coalescope.lru_cache import LruCache
from coalescope.runs.chosen import identities
from coalescope.runs.intervals import JudgedCells
from coalescope.runs.selection import LEFT_OUT_AS_TEXT
from coalescope.runs.service import cells_in_sequence
from coalescope.untrusted.bounds import LISTED
from coalescope.web.connections import ReadConnection, WriteConnection
from coalescope.web.error_responses import ErrorResponse
from coalescope.web.pages import IN_PAGES, Limit, Offset, page_of

KEPT_CELLS = 40_000  # of any number of experiments
CELLS_WHOLE = 10_000  # an answer of more is sent while it is made

LAYOUT = "An object for each cell, or of many cells a third less to send: a list for each quantity"
_LAYOUTS = {"rows": cells_json, "columns": cell_columns_json}
# parameters that are no factor's
_OPTIONS = ("without", "layout")


def weight_of(judged: JudgedCells) -> int:
    """What an experiment's cells count for of those that are kept."""
    return 1 + len(judged.cells)


router = APIRouter(prefix="/experiments", tags=["experiments"])
deleted_router = APIRouter(prefix="/deleted-experiments", tags=["experiments"])

WHERE_PARAMETERS = {
    "parameters": [
        {
            "name": "where",
            "in": "query",
            "required": False,
            "style": "form",
            "explode": True,
            "description": "FACTOR=VALUE, any number: only cells with these levels. Several of "
            "one factor, repeated or with commas, mean any of them.",
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
            "example": {"workload": "tcp"},
        }
    ]
}


@router.get("", responses=IN_PAGES)
def list_experiments(
    request: Request,
    response: Response,
    connection: ReadConnection,
    kind: Annotated[Kind | None, Query(description="Only this kind")] = None,
    q: Annotated[str, Query(max_length=200, description="Text in title or citation")] = "",
    limit: Limit = LISTED,
    offset: Offset = 0,
) -> list[ExperimentSummaryOut]:
    """One page of the experiments, published first, then by title; `Link` names the next page."""
    summaries: Summaries = request.app.state.summarised
    found = service.list_experiments(connection, kind, q, limit + 1, offset)
    return summaries.of_page(connection, page_of(request, response, found, limit, offset))


@router.post("", status_code=201, responses={409: {"model": ErrorResponse}})
def create_experiment(connection: WriteConnection, body: ExperimentIn) -> ExperimentOut:
    """Add an experiment with no runs. Uploads create theirs on first use."""
    source = {} if body.source is None else body.source.model_dump(exclude_none=True)
    record = service.create_experiment(
        connection, body.slug, body.title, body.kind, body.subtitle, source
    )
    return ExperimentOut.model_validate(describe_experiment(record, []))


@deleted_router.get("", responses=IN_PAGES)
def list_deleted_experiments(
    request: Request,
    response: Response,
    connection: ReadConnection,
    limit: Limit = LISTED,
    offset: Offset = 0,
) -> list[DeletedExperimentOut]:
    """One page of the experiments that were deleted and can be restored, the last one first.

    `Link` names the next page.
    """
    found = changing.list_deleted(connection, limit + 1, offset)
    return [
        DeletedExperimentOut.model_validate(each, from_attributes=True)
        for each in page_of(request, response, found, limit, offset)
    ]


@router.get("/{slug}", response_model=ExperimentOut, responses=NOT_MODIFIED)
def get_experiment(
    connection: ReadConnection, request: Request, response: Response, slug: str
) -> ExperimentOut | Response:
    """One experiment: its source, factors, measures and default view."""
    record = service.get_experiment(connection, slug)
    if not_modified(request, record):
        return tag(Response(status_code=304), record)
    tag(response, record)
    return _described(connection, record)


@router.patch("/{slug}", responses={409: {"model": ErrorResponse}})
def change_experiment(
    connection: WriteConnection, slug: str, body: ExperimentChangeIn
) -> ExperimentOut:
    """Say anew what an experiment is: title, subtitle, source. Its slug, the address, stays.

    What comes from a data set cannot be changed.
    """
    source = None if body.source is None else body.source.model_dump(exclude_unset=True)
    record = changing.change(connection, slug, body.title, body.subtitle, source)
    return _described(connection, record)


@router.delete("/{slug}", responses={409: {"model": ErrorResponse}})
def delete_experiment(connection: WriteConnection, slug: str) -> DeletedExperimentOut:
    """Show an experiment no more. It stays in the store with its runs, and can be restored.

    What comes from a data set cannot be deleted.
    """
    deleted = changing.delete(connection, slug)
    return DeletedExperimentOut.model_validate(deleted, from_attributes=True)


@router.post("/{slug}/restoration", responses={409: {"model": ErrorResponse}})
def restore_experiment(connection: WriteConnection, slug: str) -> ExperimentOut:
    """Take a deletion back."""
    return _described(connection, changing.restore(connection, slug))


def _described(connection: Connection, record: ExperimentRecord) -> ExperimentOut:
    described = describe_experiment(record, service.list_cells(connection, record))
    return ExperimentOut.model_validate(described)


@router.get(
    "/{slug}/cells",
    response_model=CellsOut | CellColumnsOut,
    responses=NOT_MODIFIED,
    openapi_extra=WHERE_PARAMETERS,
)
def list_cells(
    connection: ReadConnection,
    request: Request,
    slug: str,
    without: Annotated[str, Query(**LEFT_OUT_AS_TEXT)] = "",
    layout: Annotated[Literal["rows", "columns"], Query(description=LAYOUT)] = "rows",
) -> Response:
    """Every cell with all its measures: any surface can be drawn from it.

    Intervals are those that the runs carry in view of when they were recorded: of blocks, sessions
    or rounds, or none; `independence` says why. With runs left out, the summaries are those of the
    others; nothing is changed in the store.
    """
    record = service.get_experiment(connection, slug)
    if not_modified(request, record):
        return tag(Response(status_code=304), record)
    kept: LruCache[JudgedCells] = request.app.state.judged
    judged = kept.get(tag_of(record), partial(cells_in_sequence, connection, record))
    given = [pair for pair in request.query_params.multi_items() if pair[0] not in _OPTIONS]
    where = parse_where(given, factor_levels(cell.factors for cell in judged.cells))
    if without:
        judged = cells_in_sequence(connection, record, identities(without))
    chosen = [cell for cell in judged.cells if matches(cell.factors, where)]
    pieces = _LAYOUTS[layout](record, replace(judged, cells=chosen))
    if len(chosen) > CELLS_WHOLE:
        return tag(StreamingResponse(pieces, media_type="application/json"), record)
    return tag(Response(b"".join(pieces), media_type="application/json"), record)
