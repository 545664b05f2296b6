# SPDX-License-Identifier: Apache-2.0
"""Runs as the API shows them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from coalescope.experiments.schemas import Level
from coalescope.runs.environments import Facts, describe_environments
from coalescope.runs.records import Content, Status
from coalescope.untrusted.texts import LINES_PATTERN, lines
from coalescope.web.whole_numbers import JSON_INTEGER


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
    recorded_at: str | None = Field(description="Start of the window, in UTC; null if not known")
    order: int | None = Field(description="Place in its sweep or table; null if not known")
    block: str | None = Field(
        description="What a table says it was recorded together with, such as a day"
    )
    created_at: str
    measures: dict[str, MeasuredValueOut]
    warning_codes: list[str]
    outlying: list[str] | None = Field(
        description="Measures in which it does not belong with the other current runs of its cell; "
        "null in lists of more than one cell"
    )


class RunsOut(BaseModel):
    """One page of an experiment's runs."""

    total: int = Field(description="Runs that match, on all pages")
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


class SeriesOut(BaseModel):
    """One line over time; a point is null where the counter started anew, or nothing happened."""

    name: str
    group: str
    label: str
    unit: str
    mean: list[float | None] = Field(description="Over each stretch between two edges")
    least: list[float | None] = Field(description="Of the steps in it")
    most: list[float | None]


class MarkOut(BaseModel):
    """A moment that the logger noted."""

    name: str
    t_s: float | None


class CounterOut(BaseModel):
    """How far a counter went in the window; null where it started anew."""

    name: str
    instance: str | None = Field(description="One queue, CPU or line; null for the total")
    unit: str
    source: str
    advance: int | None


class StatisticOut(BaseModel):
    """One of the interface's own statistics that changed."""

    name: str
    start: int | None
    end: int | None
    difference: int | None


class StatisticsOut(BaseModel):
    """`ethtool -S` at the start and at the end."""

    missing: str | None = Field(description="Which of the two the log does not have")
    changed: list[StatisticOut]
    left_out: int
    unchanged: int


class HistogramOut(BaseModel):
    """Latencies by bucket."""

    lower_us: list[float]
    upper_us: list[float]
    counts: list[int]


class LatencyOut(BaseModel):
    """What the workload itself says of its latencies."""

    latency_us: dict[str, float]
    histogram: HistogramOut | None


class ResultOut(BaseModel):
    """Something that the workload or another program said."""

    name: str
    media_type: str
    bytes: int
    exit_status: int | None


class ContentsOut(BaseModel):
    """What a log shows of its run; times are those that it stands for."""

    complete: bool
    records: int
    time_dilation: float
    span_s: float | None
    samples_per_step: int = Field(description="1: every record was read; else every so many-th")
    edges_s: list[float] = Field(description="One more than each series has points")
    window_s: tuple[float | None, float | None]
    marks: list[MarkOut]
    series: list[SeriesOut]
    counters: list[CounterOut]
    counters_left_out: int
    statistics: StatisticsOut | None
    latency: LatencyOut | None
    results: list[ResultOut]


class FactValueOut(BaseModel):
    """What a fact was, and in how many runs."""

    value: str | None = Field(description="Null: not recorded in these runs")
    runs: int


class FactOut(BaseModel):
    """A fact of the environment and what it was."""

    name: str
    values: list[FactValueOut]
    more: int = Field(description="Further values that are not listed")


class EnvironmentOut(BaseModel):
    """What the runs were recorded with."""

    runs: int
    recorded: int = Field(description="Runs of which an environment is known")
    facts: list[FactOut]


def environment_out(found: Iterable[tuple[Facts | None, int]]) -> EnvironmentOut:
    """Those environments together as the API shows them."""
    return EnvironmentOut.model_validate(describe_environments(found))


Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"\S"),
    AfterValidator(lines),
    Field(description="Why, for the run's history", json_schema_extra={"pattern": LINES_PATTERN}),
]


class ReasonIn(BaseModel):
    """Why a run is changed."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"reason": "The switch was rebooting during this run."}]},
    )

    reason: Reason


class CorrectionIn(BaseModel):
    """Right levels for a run's factors; null removes a factor."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [{"factors": {"mtu_bytes": 9000}, "reason": "The MTU was noted wrong."}]
        },
    )

    factors: dict[str, int | float | str | None] = Field(default_factory=dict)
    replicate: Annotated[int, Field(ge=0, le=10**9), JSON_INTEGER] | None = None
    reason: Reason
