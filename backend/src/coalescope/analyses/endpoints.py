# SPDX-License-Identifier: Apache-2.0
"""GET /api/experiments/{slug}/variance, …/replication-plan and …/replicates."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from coalescope.analyses import service, variance
from coalescope.analyses.schemas import (
    ReplicatesOut,
    ReplicationPlanOut,
    VarianceOut,
    plan_json,
    replicates_json,
    variance_out,
)
from coalescope.experiments.endpoints import WHERE_PARAMETERS
from coalescope.experiments.service import get_experiment
from coalescope.runs.chosen import identities
from coalescope.runs.selection import LEFT_OUT_AS_TEXT
from coalescope.web.connections import ReadConnection

router = APIRouter(prefix="/experiments", tags=["analyses"])

Without = Annotated[str, Query(**LEFT_OUT_AS_TEXT)]


@router.get("/{slug}/variance", openapi_extra=WHERE_PARAMETERS, summary="Allocate the variation")
def get_variance(
    connection: ReadConnection,
    request: Request,
    slug: str,
    measure: str,
    factors: Annotated[
        str,
        Query(
            max_length=400,
            description="Two factors: A,B",
            json_schema_extra={"pattern": variance.TWO_FACTORS},
        ),
    ],
    without: Without = "",
) -> VarianceOut:
    """Which of two factors moves a measure, alone and together, and how much is chance.

    Further factors that vary need one level each, given as FACTOR=VALUE.
    """
    experiment = get_experiment(connection, slug)
    where = _where(request, "measure", "factors", "without")
    two, uids = variance.two_factors(factors), identities(without)
    return variance_out(service.analyse_variance(connection, experiment, measure, two, where, uids))


@router.get(
    "/{slug}/replication-plan",
    response_model=ReplicationPlanOut,
    openapi_extra=WHERE_PARAMETERS,
    summary="Plan replicates",
)
def get_replication_plan(
    connection: ReadConnection,
    request: Request,
    slug: str,
    measure: str,
    width_percent: Annotated[
        float, Query(gt=0, le=100, description="Wanted half width of each 95 % interval")
    ],
    without: Without = "",
) -> StreamingResponse:
    """Which cells to measure again, and how often, so that each mean is known well enough.

    FACTOR=VALUE, any number, chooses cells.
    """
    experiment = get_experiment(connection, slug)
    where = _where(request, "measure", "width_percent", "without")
    uids = identities(without)
    plan = service.plan_replicates(connection, experiment, measure, width_percent, where, uids)
    return StreamingResponse(plan_json(plan), media_type="application/json")


@router.get(
    "/{slug}/replicates",
    response_model=ReplicatesOut,
    openapi_extra=WHERE_PARAMETERS,
    summary="List replicates",
)
def get_replicates(
    connection: ReadConnection,
    request: Request,
    slug: str,
    measure: str,
    without: Without = "",
) -> StreamingResponse:
    """Each cell's replicates in one measure: how they spread, and which do not belong.

    FACTOR=VALUE, any number, chooses cells.
    """
    experiment = get_experiment(connection, slug)
    where = _where(request, "measure", "without")
    uids = identities(without)
    found = service.list_replicates(connection, experiment, measure, where, uids)
    return StreamingResponse(replicates_json(found), media_type="application/json")


def _where(request: Request, *own: str) -> list[tuple[str, str]]:
    return [pair for pair in request.query_params.multi_items() if pair[0] not in own]
