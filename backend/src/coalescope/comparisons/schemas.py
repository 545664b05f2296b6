# SPDX-License-Identifier: Apache-2.0
"""Comparisons as the API shows them."""

from dataclasses import replace

from coalescope_models.vocabulary.quantity import Better
from pydantic import BaseModel, Field

from coalescope.comparisons.compared import Compared, Verdict
from coalescope.comparisons.description import describe_comparison
from coalescope.comparisons.regressions import (
    RegressionVerdict,
    describe_regression,
    regressions,
)
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
    p_value: float = Field(
        description="The largest level at which nothing would be called worse; 1 where nothing can "
        "be"
    )


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
    p_value: float = Field(
        description="The smallest, overall or of the cells together; 1 where none is known"
    )
    overall_verdict: Verdict | None
    only_a: list[dict[str, Level]]
    only_b: list[dict[str, Level]]
    regression: RegressionOut | None = Field(description="Where a limit was given")
    message: str | None = Field(description="What limits the answer, and what to measure")


def judged_comparison(
    compared: Compared, fail_if_worse_percent: float | None, *, same_session: bool, level: float
) -> ComparisonOut:
    """That comparison as the API shows it, at a level, and judged where a limit is given.

    Errors: 422 as `regressions`.
    """
    judged = None
    if fail_if_worse_percent is not None:
        found = regressions(compared, fail_if_worse_percent, same_session=same_session, level=level)
        judged = describe_regression(found)
    described = describe_comparison(replace(compared, level=level))
    return ComparisonOut.model_validate({**described, "regression": judged})
