# SPDX-License-Identifier: Apache-2.0
"""POST /api/jobs, GET /api/jobs and …/{id}, POST …/{id}/cancellation."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from coalescope.experiments.service import MAX_SLUG
from coalescope.jobs import service
from coalescope.jobs.runner import JobRunner
from coalescope.jobs.schemas import JobIn, JobOut, ListedJobOut
from coalescope.web.connections import ReadConnection, WriteConnection
from coalescope.web.error_responses import ErrorResponse
from coalescope.web.pages import Limit

router = APIRouter(prefix="/jobs", tags=["jobs"])


@router.post(
    "",
    status_code=202,
    responses={200: {"model": JobOut, "description": "This was asked before"}},
    summary="Ask for a long fit, or predictions over a large grid",
)
def create_job(
    connection: WriteConnection, request: Request, response: Response, question: JobIn
) -> JobOut:
    """Store a question that may take minutes; some server of this store computes it.

    It survives restarts. The same question about the same data is the same job. Ask `/jobs/{id}`
    for the result.
    """
    job, new = service.ask(connection, question)
    if not new:
        response.status_code = 200
    runner: JobRunner = request.app.state.job_runner
    runner.look()
    return job


@router.get("", responses={404: {"model": ErrorResponse}})
def list_jobs(
    connection: ReadConnection,
    experiment: Annotated[str | None, Query(max_length=MAX_SLUG)] = None,
    limit: Limit = 20,
) -> list[ListedJobOut]:
    """Jobs, of one experiment or of all, the newest first, without their results.

    `/jobs/{id}` has the result.
    """
    return service.newest(connection, experiment, limit)


@router.get("/{job_id}", responses={404: {"model": ErrorResponse}})
def get_job(connection: ReadConnection, job_id: str) -> JobOut:
    """How a job is, and once it is done its result."""
    return service.get(connection, job_id)


@router.post(
    "/{job_id}/cancellation",
    responses={404: {"model": ErrorResponse}, 409: {"model": ErrorResponse}},
)
def cancel_job(connection: WriteConnection, request: Request, job_id: str) -> JobOut:
    """End a job before it is done, whoever asked for it; it stays in the list as cancelled.

    What computes it stops within seconds. Asked again, the same question is a new job.
    """
    job = service.cancel(connection, job_id)
    runner: JobRunner = request.app.state.job_runner
    runner.look()
    return job
