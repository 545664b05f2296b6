# SPDX-License-Identifier: Apache-2.0
"""GET runs, their logs and history; POST retraction, restoration, correction."""

from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse
from sqlalchemy.engine import Connection
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State as AppState

from coalescope.errors import CoalescopeError
from coalescope.experiments.endpoints import WHERE_PARAMETERS
from coalescope.experiments.service import get_experiment
from coalescope.runs import corrections, service
from coalescope.runs.environments import facts_of
from coalescope.runs.factors import check_factors
from coalescope.runs.history import history_of
from coalescope.runs.listing import ORDERS, listing_of, page_of
from coalescope.runs.log_header import read_log_header
from coalescope.runs.records import MeasuredValue, RunRecord, State
from coalescope.runs.schemas import (
    ContentsOut,
    CorrectionIn,
    EnvironmentOut,
    HistoryOut,
    MeasuredValueOut,
    ReasonIn,
    RunDetailOut,
    RunOut,
    RunsOut,
    WarningOut,
    environment_out,
)
from coalescope.storage.object_store import RUN_LOG_SUFFIX, SUFFIXES, KeptObject, ObjectStore
from coalescope.untrusted.confinement import Ending
from coalescope.uploads.reading import SHOWN_HERE_BYTES, Reading
from coalescope.web.connections import ReadConnection, WriteConnection
from coalescope.web.error_responses import ErrorResponse
from coalescope.web.leaving import ended_with

router = APIRouter(tags=["runs"])

RunId = Annotated[str, Path(alias="id", max_length=64)]

_OWN = ("limit", "offset", "cell", "state", "warnings", "sort")
_CONFLICT: dict[int | str, dict[str, Any]] = {
    409: {"model": ErrorResponse, "description": "The run is not in a state for that"}
}


@router.get("/experiments/{slug}/runs", openapi_extra=WHERE_PARAMETERS)
def list_runs(
    connection: ReadConnection,
    request: Request,
    slug: str,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
    cell: Annotated[int | None, Query(ge=1, le=2**53, description="Only this cell's runs")] = None,
    state: Annotated[
        State | None, Query(description="Only these; current runs are whole or partial ones")
    ] = None,
    warnings: Annotated[
        Literal["some", "none"] | None, Query(description="Only runs with some, or with none")
    ] = None,
    sort: Annotated[
        str,
        Query(
            max_length=100,
            description=f"{', '.join(ORDERS)}, a factor or a measure; with a hyphen before "
            "it, the largest first. Runs that lack it come last, like ones as they were stored",
        ),
    ] = "stored",
) -> RunsOut:
    """One page of an experiment's runs, in the order they were stored unless another is asked for.

    FACTOR=VALUE, any number, chooses cells. Asked for one cell, it says which runs are outliers
    there (they are flagged, never left out).
    """
    experiment = get_experiment(connection, slug)
    listing = listing_of(
        connection,
        experiment,
        [pair for pair in request.query_params.multi_items() if pair[0] not in _OWN],
        sort,
        cell_id=cell,
        state=state,
        warned=None if warnings is None else warnings == "some",
    )
    total, records = page_of(connection, listing, limit, offset)
    measures = service.measures_of(connection, records)
    found = None if cell is None else service.outlying(connection, cell)
    runs = [
        _run_out(run, measures[run.id], None if found is None else found.get(run.id, []))
        for run in records
    ]
    return RunsOut(total=total, runs=runs)


@router.get("/runs/{id}")
def get_run(connection: ReadConnection, request: Request, id_: RunId) -> RunDetailOut:
    """A run with its measures, warnings, history and the header of its log."""
    return _detail(connection, request.app.state.object_store, id_)


@router.get("/runs/{id}/contents", summary="What a run's log shows", response_model=ContentsOut)
async def get_run_contents(
    request: Request,
    id_: RunId,
    points: Annotated[int, Query(ge=2, le=2000, description="Of each series at most")] = 400,
) -> Response:
    """How a run went over its time, what each queue counted, what its workload said.

    Bounded for a log of any size: a point is the mean over its stretch, with the least and the
    most of the steps in it.
    """
    state = request.app.state
    log = await run_in_threadpool(_log_of, state, id_)
    ending = Ending()
    reading = Reading.within(state.settings, ending)

    def shown() -> str:
        return ContentsOut.model_validate(reading.contents(log, points)).model_dump_json()

    async with ended_with(request, ending):
        turns = state.large_logs_at_once if log.size > SHOWN_HERE_BYTES else None
        body = await to_thread.run_sync(shown, limiter=turns)
    return Response(body, media_type="application/json")


@router.get("/runs/{id}/environment", summary="What a run was recorded with")
def get_run_environment(connection: ReadConnection, id_: RunId) -> EnvironmentOut:
    """The environment of one run, fact by fact."""
    run = service.get_run(connection, id_)
    return environment_out([(facts_of(run.environment), 1)])


@router.get(
    "/experiments/{slug}/environment",
    openapi_extra=WHERE_PARAMETERS,
    summary="What an experiment's runs were recorded with",
)
def get_environment(connection: ReadConnection, request: Request, slug: str) -> EnvironmentOut:
    """The environment of an experiment's current runs, fact by fact, with how many runs had it.

    FACTOR=VALUE, any number, chooses cells.
    """
    experiment = get_experiment(connection, slug)
    where = request.query_params.multi_items()
    found = service.environments_of(connection, experiment, where)
    return environment_out((facts_of(environment), runs) for environment, runs in found)


@router.get(
    "/runs/{id}/log",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file"}},
)
def get_run_log(connection: ReadConnection, request: Request, id_: RunId) -> FileResponse:
    """The file the run came from, byte for byte as it was uploaded."""
    run = service.get_run(connection, id_)
    store: ObjectStore = request.app.state.object_store
    suffix = SUFFIXES.get(run.content, RUN_LOG_SUFFIX)
    path = store.path(run.sha256, suffix) if run.sha256 else None
    if path is None:
        raise _no_log(id_)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


@router.post("/runs/{id}/retraction", responses=_CONFLICT)
def retract_run(
    connection: WriteConnection,
    request: Request,
    id_: RunId,
    body: ReasonIn,
) -> RunDetailOut:
    """Take a run out of the summaries. It stays, with its log, and can be restored."""
    corrections.retract(connection, id_, body.reason)
    return _detail(connection, request.app.state.object_store, id_)


@router.post("/runs/{id}/restoration", responses=_CONFLICT)
def restore_run(
    connection: WriteConnection,
    request: Request,
    id_: RunId,
    body: ReasonIn,
) -> RunDetailOut:
    """Take a retraction back."""
    corrections.restore(connection, id_, body.reason)
    return _detail(connection, request.app.state.object_store, id_)


@router.post("/runs/{id}/correction", responses=_CONFLICT)
def correct_run(
    connection: WriteConnection,
    request: Request,
    id_: RunId,
    body: CorrectionIn,
) -> RunDetailOut:
    """Set factors or the replicate number right: the run moves to its right cell."""
    check_factors({name: value for name, value in body.factors.items() if value is not None})
    corrections.correct(connection, id_, body.factors, body.replicate, body.reason)
    return _detail(connection, request.app.state.object_store, id_)


def _own_log(store: ObjectStore, run: RunRecord) -> KeptObject | None:
    """The run's own log; None for a row of a table, and for files of other tools."""
    if run.content in ("csv", "foreign") or run.sha256 is None:
        return None
    path = store.path(run.sha256, RUN_LOG_SUFFIX)
    return None if path is None else KeptObject(path, run.sha256)


def _log_of(state: AppState, uid: str) -> KeptObject:
    """The log of a run. Errors: 404 where it has none."""
    with state.database.read() as connection:
        run = service.get_run(connection, uid)
    log = _own_log(state.object_store, run)
    if log is None:
        raise _no_log(uid)
    return log


def _no_log(uid: str) -> CoalescopeError:
    """The run has no log."""
    return CoalescopeError(
        "no_log",
        f"Run {uid} has no log of its own.",
        where={"run": uid},
        advice="It is a row of a data set; those are in the experiment's export.",
        status=404,
    )


def _run_out(
    run: RunRecord, measures: dict[str, MeasuredValue], outlying: list[str] | None = None
) -> RunOut:
    """That run as the API shows it."""
    return RunOut(**_fields(run, measures, outlying))


def _fields(
    run: RunRecord, measures: dict[str, MeasuredValue], outlying: list[str] | None
) -> dict[str, Any]:
    return {
        "id": run.uid,
        "experiment": run.experiment,
        "cell": run.cell_id,
        "factors": run.factors,
        "replicate": run.replicate,
        "status": run.status,
        "content": run.content,
        "sha256": run.sha256,
        "filename": run.filename,
        "row": run.csv_row,
        "partial": run.partial,
        "recorded_at": run.recorded_at,
        "order": run.order,
        "block": run.block,
        "created_at": run.created_at,
        "measures": {
            name: MeasuredValueOut(value=m.value, sd=m.sd, n=m.n) for name, m in measures.items()
        },
        "warning_codes": [warning["code"] for warning in run.warnings],
        "outlying": outlying,
    }


def _detail(connection: Connection, store: ObjectStore, uid: str) -> RunDetailOut:
    run = service.get_run(connection, uid)
    log = _own_log(store, run)
    return RunDetailOut(
        **_fields(
            run,
            service.measures_of(connection, [run])[run.id],
            service.outlying(connection, run.cell_id).get(run.id, []),
        ),
        requested=run.requested,
        environment=run.environment,
        header=None if log is None else read_log_header(log.path),
        warnings=[WarningOut.model_validate(warning) for warning in run.warnings],
        history=[
            HistoryOut.model_validate(change, from_attributes=True)
            for change in history_of(connection, run)
        ],
    )
