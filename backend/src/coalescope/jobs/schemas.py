# SPDX-License-Identifier: Apache-2.0
"""What goes in and out of the endpoints for jobs."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from coalescope.errors import CoalescopeError
from coalescope.experiments.service import MAX_SLUG
from coalescope.fits.schemas import FitIn, FitOut, NonlinearFitIn, NonlinearFitOut
from coalescope.predictions.schemas import PredictionIn, PredictionOut
from coalescope.web.error_responses import ErrorBody

State = Literal["queued", "running", "done", "failed", "cancelled"]


class GridPredictionIn(PredictionIn):
    """A model of the catalogue, and a grid of at most 1,000,000 points × outputs."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "timer-packets-per-interrupt",
                    "over": {"delay_us": {"lo": 0, "hi": 500, "n": 501}},
                }
            ]
        },
    )

    model: str = Field(max_length=100, description="As /models lists it")


class JobIn(BaseModel):
    """What may take minutes: a fit, of either kind, or predictions over a large grid."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "experiment": "my-host",
                    "fit": {"model": "cpu-overhead", "resamples": 100000, "seed": 1},
                }
            ]
        },
    )

    experiment: str | None = Field(
        default=None, max_length=MAX_SLUG, description="Slug of the experiment that is fitted"
    )
    fit: FitIn | None = Field(default=None, description="As /fits takes it")
    nonlinear_fit: NonlinearFitIn | None = Field(
        default=None, description="As /nonlinear-fits takes it"
    )
    prediction: GridPredictionIn | None = Field(
        default=None, description="As /models/{model_id}/predictions takes it, of no experiment"
    )

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        given = [self.fit, self.nonlinear_fit, self.prediction]
        if sum(one is not None for one in given) != 1:
            raise _not_one("A job is one question.", "Give fit, nonlinear_fit or prediction.")
        if (self.experiment is None) != (self.prediction is not None):
            raise _not_one(
                "A fit is of an experiment, and a prediction of none.",
                "Give or leave out experiment.",
            )
        return self


def _not_one(message: str, advice: str) -> CoalescopeError:
    return CoalescopeError("not_one_question", message, where={"in": "body"}, advice=advice)


class ListedJobOut(BaseModel):
    """How a job is."""

    id: str
    experiment: str | None = Field(description="Null for predictions")
    state: State
    asked_at: str
    started_at: str | None = Field(description="When it was last begun")
    finished_at: str | None = Field(description="When it was done, failed or was cancelled")
    parts_done: int | None = Field(
        description="Parts of the work that were computed when its server last said so"
    )
    parts: int | None = Field(
        description="Parts of the work as far as they are counted: a bootstrap may take several "
        "passes, and each adds its own when it begins. Null before, and where it has no parts"
    )
    error: ErrorBody | None = Field(description="Why it failed")


class JobOut(ListedJobOut):
    """A job, and once it is done its result."""

    fit: FitOut | None = Field(description="What /fits would have answered")
    nonlinear_fit: NonlinearFitOut | None = Field(
        description="What /nonlinear-fits would have answered"
    )
    prediction: PredictionOut | None = Field(
        description="What /models/{model_id}/predictions would have answered"
    )

    @model_validator(mode="after")
    def _result_is_of_its_question(self) -> Self:
        """A server that is not ours may answer another one."""
        if (self.fit or self.nonlinear_fit) and self.experiment is None:
            raise ValueError("a fit of no experiment")
        return self
