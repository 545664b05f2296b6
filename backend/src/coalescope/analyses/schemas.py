# SPDX-License-Identifier: Apache-2.0
"""Analyses as the API shows them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from coalescope_models.inference.statistics import Independence
from pydantic import BaseModel, Field, TypeAdapter

from coalescope.analyses.replicates import Replicates, describe_replicates
from coalescope.analyses.replication import ReplicationPlan, describe_plan
from coalescope.analyses.variance import Variance, describe_variance
from coalescope.experiments.schemas import Chosen, Level, SummaryOut


class EffectOut(BaseModel):
    """A line of the table."""

    name: str = Field(description="A factor, “A × B” for their interaction, or replicates")
    sum_of_squares: float = Field(description="In the squared unit of the measure")
    degrees_of_freedom: int
    share_percent: float = Field(description="Of the total variation")
    f: float | None = Field(description="Mean square over that of the replicates")
    p_value: float | None


class VarianceOut(BaseModel):
    """A two-way analysis of variance, sums of squares of type II."""

    experiment: str
    data_version: int
    measure: str
    unit: str
    where: Chosen
    n: int = Field(description="Runs")
    left_out: int = Field(description="Runs without the measure")
    without: list[str] = Field(description="Current runs that were left out as asked")
    effects: list[EffectOut]
    message: str | None = Field(description="What limits it")


_PER_PIECE = 100
Found = TypeVar("Found", ReplicationPlan, Replicates)


class PlannedCellOut(BaseModel):
    """What one cell needs."""

    cell: int
    factors: dict[str, Level]
    n: int
    width_percent: float | None = Field(
        description="Half of the 95 % interval now, in percent of the mean"
    )
    needed: int = Field(description="Replicates in all; 10,000 where they may not suffice")
    more: int = Field(description="Replicates to add")
    borrowed: bool = Field(description="Whether its deviation is that of the other cells")


class ReplicationPlanOut(BaseModel):
    """Which cells to measure again, the most needy first."""

    experiment: str
    data_version: int
    measure: str
    where: Chosen
    width_percent: float
    runs_to_add: int
    without: list[str] = Field(description="Current runs that were left out as asked")
    cells: list[PlannedCellOut]


class ReplicateOut(BaseModel):
    """One run of a cell."""

    run: str
    replicate: int | None
    value: float
    n: int = Field(description="Of how many replicates it is the mean")
    outlying: bool = Field(description="It does not belong with the others; it counts all the same")


class ReplicatedCellOut(BaseModel):
    """A cell, its runs, and what they say together."""

    cell: int
    factors: dict[str, Level]
    summary: SummaryOut
    replicates: list[ReplicateOut]


class ReplicatesOut(BaseModel):
    """Every replicate of every cell in one measure."""

    experiment: str
    data_version: int
    measure: str
    unit: str
    where: Chosen
    without: list[str] = Field(description="Current runs that were left out as asked")
    independence: Independence | None = Field(
        description="Whether intervals may take the replicates for independent; null where no cell "
        "has two"
    )
    cells: list[ReplicatedCellOut]


def replicates_out(found: Replicates) -> ReplicatesOut:
    """Those replicates as the API shows them."""
    return ReplicatesOut.model_validate(describe_replicates(found))


def variance_out(variance: Variance) -> VarianceOut:
    """That analysis as the API shows it."""
    return VarianceOut.model_validate(describe_variance(variance))


_PLANNED: TypeAdapter[list[Any]] = TypeAdapter(list[PlannedCellOut])
_REPLICATED: TypeAdapter[list[Any]] = TypeAdapter(list[ReplicatedCellOut])


def plan_out(plan: ReplicationPlan) -> ReplicationPlanOut:
    """That plan as the API shows it."""
    return ReplicationPlanOut.model_validate(describe_plan(plan))


def plan_json(plan: ReplicationPlan) -> Iterator[bytes]:
    """The JSON of plan_out, piece by piece: it can be of 30,000 cells."""
    about = plan_out(replace(plan, cells=())).model_copy(update={"runs_to_add": plan.runs_to_add})
    return _with_cells(about, _PLANNED, (plan_out(some).cells for some in _blocks(plan)))


def replicates_json(found: Replicates) -> Iterator[bytes]:
    """The JSON of replicates_out, piece by piece: it can be of 20,000 runs."""
    about = replicates_out(replace(found, cells=()))
    return _with_cells(about, _REPLICATED, (replicates_out(some).cells for some in _blocks(found)))


def _blocks(found: Found) -> Iterator[Found]:
    for start in range(0, len(found.cells), _PER_PIECE):
        yield replace(found, cells=found.cells[start : start + _PER_PIECE])


def _with_cells(
    about: BaseModel, adapter: TypeAdapter[list[Any]], blocks: Iterable[list[Any]]
) -> Iterator[bytes]:
    yield about.model_dump_json().encode().removesuffix(b"]}")
    for place, cells in enumerate(blocks):
        yield (b"," if place else b"") + adapter.dump_json(cells)[1:-1]
    yield b"]}"
