# SPDX-License-Identifier: Apache-2.0
"""What goes in and out of the endpoints for sweeps."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from coalescope.experiments.service import MAX_SLUG, SLUG
from coalescope.untrusted.texts import one_line
from coalescope.web.whole_numbers import JSON_INTEGER

MOST_CELLS = 5000
MOST_RUNS = 1_000_000
_Name = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(one_line)]
_Level = (
    Annotated[str, StringConstraints(max_length=200), AfterValidator(one_line)]
    | Annotated[float, Field(allow_inf_nan=False)]
)
_Runs = Annotated[int, Field(ge=0, le=MOST_RUNS), JSON_INTEGER]
Setting = Annotated[dict[_Name, _Level], Field(max_length=40)]

_PROGRESS: dict[str, Any] = {
    "state": "running",
    "runs_planned": 1440,
    "runs_done": 312,
    "runs_failed": 1,
    "left_s": 11280,
}


class ProgressIn(BaseModel):
    """How far a sweep is."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"example": _PROGRESS})

    state: Literal["running", "ended", "stopped"] = Field(
        description="stopped: interrupted or failed, to be gone on with"
    )
    runs_planned: _Runs
    runs_done: _Runs
    runs_failed: _Runs = 0
    left_s: float | None = Field(
        default=None,
        ge=0,
        le=1e9,
        description="Seconds the rest takes, by the last runs; null: not known",
    )


class SweepIn(ProgressIn):
    """A sweep as it begins or goes on."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "example": {
                **_PROGRESS,
                "experiment": "my-host",
                "replicates": 10,
                "cells": [{"mtu_bytes": 1500, "delay_us": 40, "workload": "tcp"}],
            }
        },
    )

    experiment: str = Field(
        pattern=f"^{SLUG.pattern}$",
        max_length=MAX_SLUG,
        description="Slug that its runs are uploaded under",
    )
    replicates: Annotated[int, Field(ge=1, le=MOST_RUNS), JSON_INTEGER]
    cells: list[Setting] = Field(
        max_length=MOST_CELLS,
        description="Every setting it will measure; empty where there are too many",
    )


class SweepOut(BaseModel):
    """A sweep as the store knows it."""

    id: str = Field(description="The sweep's own identity")
    experiment: str
    state: Literal["running", "ended", "stopped"]
    replicates: int
    cells: list[Setting] = Field(description="Every setting it measures")
    runs_planned: int
    runs_done: int
    runs_failed: int
    left_s: float | None = Field(description="Seconds the rest takes; null: not known")
    started_at: str
    updated_at: str = Field(description="When it was last heard of")


class ChangeOut(BaseModel):
    """What an experiment's stream of events carries as data."""

    data_version: int | None = Field(
        description="Goes up with every change to the data; null before the first run came"
    )
    sweeps: list[SweepOut] = Field(description="Sweeps of this experiment, the newest first")
