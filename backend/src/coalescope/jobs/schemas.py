# SPDX-License-Identifier: Apache-2.0
"""What goes in and out of the endpoints for jobs."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from coalescope.error_responses import ErrorBody
from coalescope.experiments.service import MAX_SLUG
from coalescope.fits.schemas import FitIn, FitOut, NonlinearFitIn, NonlinearFitOut

State = Literal["queued", "running", "done", "failed"]


class JobIn(BaseModel):
    """A fit, of either kind, that may take minutes."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "experiment": "my-host",
                    "fit": {"model": "cpu-overhead", "resamples": 100000, "seed": 1},
                }
            ]
        },
    )

    experiment: str = Field(max_length=MAX_SLUG, description="Slug of the experiment")
    fit: FitIn | None = Field(default=None, description="As /fits takes it")
    nonlinear_fit: NonlinearFitIn | None = Field(
        default=None, description="As /nonlinear-fits takes it"
    )

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if (self.fit is None) == (self.nonlinear_fit is None):
            raise ValueError("give fit or nonlinear_fit, one of them")
        return self


class JobOut(BaseModel):
    """A job, and once it is done its result."""

    id: str
    experiment: str
    state: State
    asked_at: str
    started_at: str | None = Field(description="When it was last begun")
    finished_at: str | None
    fit: FitOut | None = Field(description="What /fits would have answered")
    nonlinear_fit: NonlinearFitOut | None = Field(
        description="What /nonlinear-fits would have answered"
    )
    error: ErrorBody | None = Field(description="Why it failed")
