# SPDX-License-Identifier: Apache-2.0
"""GET /api/experiments/{slug}/surfaces/{measure}."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from coalescope.experiments.conditional import NOT_MODIFIED, not_modified, tag
from coalescope.experiments.endpoints import WHERE_PARAMETERS
from coalescope.experiments.service import get_experiment
from coalescope.surfaces import service
from coalescope.surfaces.schemas import SurfaceOut, surface_out
from coalescope.web.connections import ReadConnection

router = APIRouter(prefix="/experiments", tags=["surfaces"])


@router.get(
    "/{slug}/surfaces/{measure}",
    response_model=SurfaceOut,
    responses=NOT_MODIFIED,
    openapi_extra=WHERE_PARAMETERS,
    summary="Lay a measure over two factors",
)
def get_surface(
    connection: ReadConnection,
    *,
    request: Request,
    slug: str,
    measure: str,
    x: Annotated[str | None, Query(description="Factor along x; a delay if not given")] = None,
    y: Annotated[
        str | None, Query(description="Factor along y; the MTU, or what varies, if not given")
    ] = None,
) -> Response:
    """One measure over delay and MTU, or over the two factors asked for.

    Where further factors vary, each needs one level, given as FACTOR=VALUE.
    """
    experiment = get_experiment(connection, slug)
    if not_modified(request, experiment):
        return tag(Response(status_code=304), experiment)
    where = [pair for pair in request.query_params.multi_items() if pair[0] not in ("x", "y")]
    surface = service.get_surface(connection, experiment, measure, where, (x, y))
    body = surface_out(surface).model_dump_json().encode()
    return tag(Response(body, media_type="application/json"), experiment)
