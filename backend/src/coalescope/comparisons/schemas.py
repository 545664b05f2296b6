# SPDX-License-Identifier: Apache-2.0
"""Comparisons as the API shows them."""

from coalescope_models.quantity import Better
from pydantic import BaseModel, Field

from coalescope.comparisons.service import (
    Compared,
    ComparedCell,
    Regression,
    Side,
    Verdict,
)
from coalescope.experiments.records import Kind
from coalescope.experiments.schemas import Level, SummaryOut
from coalescope.glossary.schemas import QuantityOut, quantity_out


class SideOut(BaseModel):
    """One of the two."""

    experiment: str
    title: str
    kind: Kind
    data_version: int
    where: dict[str, Level]


class ComparedCellOut(BaseModel):
    """A setting that both have."""

    factors: dict[str, Level]
    a: SummaryOut
    b: SummaryOut
    ratio: float = Field(description="Mean of B over mean of A")
    ci95: tuple[float, float] | None = Field(description="For this cell alone")
    simultaneous_ci95: tuple[float, float] | None = Field(
        description="All cells together are covered with 95 %"
    )
    p_value: float | None = Field(description="Adjusted for the number of cells")
    resolved: bool
    verdict: Verdict | None = Field(description="Null where neither direction is better")


class DifferingOut(BaseModel):
    """A factor that has one level on each side, and not the same."""

    factor: str
    a: Level | None
    b: Level | None


class RegressionOut(BaseModel):
    """What is worse in B by more than the limit."""

    limit_percent: float
    found: bool
    overall: bool
    cells: list[dict[str, Level]]


class ComparisonOut(BaseModel):
    """B against A."""

    a: SideOut
    b: SideOut
    measure: QuantityOut
    better: Better | None
    differing: list[DifferingOut]
    cells: list[ComparedCellOut]
    overall_ratio: float = Field(description="Geometric mean; each cell weighs alike")
    overall_ci95: tuple[float, float] | None
    overall_verdict: Verdict | None
    only_a: list[dict[str, Level]]
    only_b: list[dict[str, Level]]
    regression: RegressionOut | None = Field(description="Where a limit was given")
    message: str | None = Field(description="What limits the answer, and what to measure")


def comparison_out(compared: Compared, regression: Regression | None) -> ComparisonOut:
    """That comparison as the API shows it."""
    overall = compared.result.overall_ratio
    return ComparisonOut(
        a=_side(compared.a),
        b=_side(compared.b),
        measure=quantity_out(compared.measure),
        better=compared.better,
        differing=[
            DifferingOut(factor=name, a=a, b=b) for name, (a, b) in compared.differing.items()
        ],
        cells=[_cell(compared, cell) for cell in compared.cells],
        overall_ratio=overall,
        overall_ci95=compared.result.overall_ci95,
        overall_verdict=compared.verdict(overall, resolved=compared.overall_resolved),
        only_a=[dict(factors) for factors in compared.only_a],
        only_b=[dict(factors) for factors in compared.only_b],
        regression=None
        if regression is None
        else RegressionOut(
            limit_percent=regression.limit_percent,
            found=regression.found,
            overall=regression.overall,
            cells=[dict(cell.factors) for cell in regression.cells],
        ),
        message=_message(compared),
    )


def _message(compared: Compared) -> str | None:
    if compared.result.overall_ci95 is not None:
        return None
    return (
        "No interval of the overall ratio: not every setting has replicates on both sides, so it "
        "may be chance, and a limit fails on chance too. Measure each setting at least three times."
    )


def _side(side: Side) -> SideOut:
    return SideOut(
        experiment=side.experiment.slug,
        title=side.experiment.title,
        kind=side.experiment.kind,
        data_version=side.experiment.data_version,
        where=dict(side.where),
    )


def _cell(compared: Compared, cell: ComparedCell) -> ComparedCellOut:
    difference = cell.difference
    return ComparedCellOut(
        factors=dict(cell.factors),
        a=SummaryOut.model_validate(cell.a, from_attributes=True),
        b=SummaryOut.model_validate(cell.b, from_attributes=True),
        ratio=difference.ratio,
        ci95=difference.ci95,
        simultaneous_ci95=difference.simultaneous_ci95,
        p_value=difference.p_value,
        resolved=difference.resolved,
        verdict=compared.verdict(difference.ratio, resolved=difference.resolved),
    )
