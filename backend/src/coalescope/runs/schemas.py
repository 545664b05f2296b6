# SPDX-License-Identifier: Apache-2.0
"""Runs as the API shows them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from coalescope.experiments.schemas import Level
from coalescope.runs.records import Content, Status


class WarningOut(BaseModel):
    """Something worth knowing that did not keep the run out."""

    code: str
    message: str
    where: dict[str, str | int | float | None]


class MeasuredValueOut(BaseModel):
    """A run's value; for a row that is a mean of n, with its deviation where known."""

    value: float
    sd: float | None
    n: int


class RunOut(BaseModel):
    """A run: one replicate of one cell."""

    id: str
    experiment: str
    cell: int
    factors: dict[str, Level]
    replicate: int | None
    status: Status
    content: Content
    sha256: str | None
    filename: str | None
    row: int | None
    partial: bool
    recorded_at: str | None
    created_at: str
    measures: dict[str, MeasuredValueOut]
    outlying: list[str] | None = Field(
        description="Measures in which it does not belong with the other current runs of its cell; "
        "null in lists of more than one cell"
    )


class RunsOut(BaseModel):
    """One page of an experiment's runs, in the order they were stored."""

    total: int
    runs: list[RunOut]


class HistoryOut(BaseModel):
    """One change of a run."""

    at: str
    action: Literal["stored", "retracted", "restored", "corrected"]
    reason: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class RunDetailOut(RunOut):
    """A run with everything known about it."""

    requested: Mapping[str, Level | None] | None
    environment: Mapping[str, Any] | None
    header: Mapping[str, Any] | None
    warnings: list[WarningOut]
    history: list[HistoryOut]


Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000),
    Field(description="Why, for the run's history"),
]


class ReasonIn(BaseModel):
    """Why a run is changed."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"reason": "The switch was rebooting during this run."}]},
    )

    reason: Reason


class CorrectionIn(BaseModel):
    """Right levels for a run's factors; null removes a factor."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"factors": {"mtu_bytes": 9000}, "reason": "The MTU was noted wrong."}]
        },
    )

    factors: dict[str, int | float | str | None] = Field(default_factory=dict)
    replicate: Annotated[int, Field(ge=0, le=10**9)] | None = None
    reason: Reason
