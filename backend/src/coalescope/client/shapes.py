# SPDX-License-Identifier: Apache-2.0
"""What each answer of the API looks like: the schemas that the server's routes declare.

An answer of another shape is told here, and not as an error of whatever looks into it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from coalescope.analyses.schemas import ReplicationPlanOut, VarianceOut
from coalescope.comparisons.schemas import ComparisonOut
from coalescope.experiments.schemas import (
    CellsOut,
    Chosen,
    DeletedExperimentOut,
    ExperimentOut,
    ExperimentSummaryOut,
)
from coalescope.fits.schemas import FitOut, NonlinearFitOut
from coalescope.jobs.schemas import JobOut, ListedJobOut
from coalescope.policies.schemas import PolicyOut, TrialOut
from coalescope.predictions.schemas import PredictionOut
from coalescope.recommendations.answer_schemas import RecommendationOut
from coalescope.runs.schemas import RunDetailOut, RunsOut
from coalescope.surfaces.schemas import SurfaceOut
from coalescope.tokens.endpoints import StoreChangeOut
from coalescope.uploads.schemas import UploadReceipt
from coalescope.web.health import Health

_MOST_SAID = 300  # characters


class _Named(BaseModel):
    name: str
    label: str
    unit: str


class _About(BaseModel):
    slug: str
    title: str
    kind: str


class _Value(BaseModel):
    value: float | None
    sd: float | None
    n: int | None


class _Run(BaseModel):
    id: str
    cell: int
    factors: dict[str, float | str]
    replicate: int | None
    partial: bool
    content: str
    recorded_at: str | None
    order: int | None
    block: str | None
    measures: dict[str, _Value]


class _Runs(BaseModel):
    experiment: _About
    data_version: int
    where: Chosen
    without: list[str]
    factors: list[_Named]
    measures: list[_Named]
    runs: list[_Run]


#: The schemas of this program's own answers, which the API describes only as an object.
UNDESCRIBED = {("GET", "/api/experiments/{slug}/export"): _Runs}
SHAPES: Mapping[tuple[str, str], Any] = {
    **UNDESCRIBED,
    ("GET", "/api/health"): Health,
    ("GET", "/api/experiments"): list[ExperimentSummaryOut],
    ("GET", "/api/experiments/{slug}"): ExperimentOut,
    ("PATCH", "/api/experiments/{slug}"): ExperimentOut,
    ("DELETE", "/api/experiments/{slug}"): DeletedExperimentOut,
    ("POST", "/api/experiments/{slug}/restoration"): ExperimentOut,
    ("GET", "/api/experiments/{slug}/cells"): CellsOut,
    ("GET", "/api/experiments/{slug}/surfaces/{measure}"): SurfaceOut,
    ("GET", "/api/experiments/{slug}/variance"): VarianceOut,
    ("GET", "/api/experiments/{slug}/replication-plan"): ReplicationPlanOut,
    ("GET", "/api/experiments/{slug}/runs"): RunsOut,
    ("POST", "/api/experiments/{slug}/fits"): FitOut,
    ("POST", "/api/experiments/{slug}/nonlinear-fits"): NonlinearFitOut,
    ("POST", "/api/experiments/{slug}/recommendations"): RecommendationOut,
    ("GET", "/api/comparisons"): ComparisonOut,
    ("POST", "/api/recommendations"): RecommendationOut,
    ("POST", "/api/predictions"): PredictionOut,
    ("POST", "/api/models/{model_id}/predictions"): PredictionOut,
    ("GET", "/api/policies"): list[PolicyOut],
    ("POST", "/api/policies/trials"): TrialOut,
    ("GET", "/api/deleted-experiments"): list[DeletedExperimentOut],
    ("GET", "/api/changes"): list[StoreChangeOut],
    ("GET", "/api/jobs"): list[ListedJobOut],
    ("POST", "/api/jobs"): JobOut,
    ("GET", "/api/jobs/{job_id}"): JobOut,
    ("POST", "/api/jobs/{job_id}/cancellation"): JobOut,
    ("GET", "/api/runs/{id}"): RunDetailOut,
    ("POST", "/api/runs/{id}/retraction"): RunDetailOut,
    ("POST", "/api/runs/{id}/restoration"): RunDetailOut,
    ("POST", "/api/runs/{id}/correction"): RunDetailOut,
    ("POST", "/api/uploads"): UploadReceipt,
}


def fault_in(method: str, path: str, content: bytes) -> str | None:
    """What is wrong with an answer that is JSON; None where nothing is."""
    try:
        _adapter(method, _template(method, path)).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{_place(first['loc'])}{first['msg'][:_MOST_SAID]}"
    return None


@cache
def _adapter(method: str, template: str) -> TypeAdapter[Any]:
    return TypeAdapter(SHAPES[method, template])


def _template(method: str, path: str) -> str:
    """The route that a path is of, one without names in it before others."""
    return next(
        template
        for of, template in sorted(SHAPES, key=lambda each: "{" in each[1])
        if of == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
    )


def _place(where: Sequence[str | int]) -> str:
    return f"{'.'.join(map(str, where))[:_MOST_SAID]}: " if where else ""
