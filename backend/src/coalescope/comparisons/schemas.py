# SPDX-License-Identifier: Apache-2.0
"""Comparisons as the API shows them."""

from coalescope_models.vocabulary.quantity import Better
from pydantic import BaseModel, Field

from coalescope.comparisons.compared import Compared, Verdict
from coalescope.comparisons.description import describe_comparison
from coalescope.comparisons.regressions import Regression, RegressionVerdict, describe_regression
from coalescope.experiments.records import Kind
from coalescope.experiments.schemas import Chosen, Level, SummaryOut
from coalescope.glossary.schemas import QuantityOut


class SideOut(BaseModel):
    """One of the two."""

    experiment: str
    title: str
    kind: Kind
    data_version: int
    where: Chosen


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
    found: bool = Field(description="Whether anything is, beyond chance")
    verdict: RegressionVerdict = Field(
        description="not_known: there is no interval, settings of A are not in B, or the sides "
        "differ in settings, or may be of two sessions; within_chance: the interval holds the "
        "limit; not_worse: it leaves out what is beyond it"
    )
    overall: bool = Field(description="Whether the whole interval of the overall ratio is beyond")
    cells: list[dict[str, Level]] = Field(
        description="Settings whose whole simultaneous intervals are beyond"
    )
    reason: str | None = Field(description="Why not all is known, and what to do")


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
    judged = None if regression is None else describe_regression(regression)
    return ComparisonOut.model_validate({**describe_comparison(compared), "regression": judged})
