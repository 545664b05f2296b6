# SPDX-License-Identifier: Apache-2.0
"""What a fit returns. Every field is finite or None, so `dataclasses.asdict` gives plain JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..statistics import Independence

#: Share of resamples without an estimate from which on intervals are not given: half of what each
#: end of a 95 % interval leaves out.
_DEGENERATE_LIMIT = 0.0125


@dataclass(frozen=True)
class Estimate:
    """One parameter. All but the unit is None when the data cannot tell it.

    Attributes:
        value: the estimate.
        unit: unit of the response per unit of the column.
        ci95: 95 % interval of the replicates' spread, or, where there are none, of the deviations
            of the points from the model. None where the replicates reject the model, and where the
            runs or their blocks are too few to show whether they are independent.
        standard_error: of the same spread as `ci95` or `ci95_if_independent`.
        ci95_if_model_holds: where the replicates reject the model, the interval of their spread
            alone: it would cover the truth if the model were right. Otherwise None, as where
            outlying runs move the estimates by too much of it.
        ci95_if_independent: where `ci95` is None, the interval that holds if what it is made of is
            independent: of a rejected model, the misfit from setting to setting; else the runs or
            blocks. None where nothing says so much.
    """

    value: float | None
    unit: str
    ci95: tuple[float, float] | None
    standard_error: float | None
    ci95_if_model_holds: tuple[float, float] | None
    ci95_if_independent: tuple[float, float] | None


@dataclass(frozen=True)
class LackOfFit:
    """A test of the model against the spread of its replicates.

    Attributes:
        f: mean square of the cells' deviations over that of the replicates within cells.
        model_degrees_of_freedom: cells less parameters.
        noise_degrees_of_freedom: replicates less cells.
        p_value: probability of such an F or a larger one if the model is right.
        rejected: whether `p_value` is below 0.01.
        misfit_percent: root mean square deviation of cells, over the degrees of freedom.
        noise_percent: standard deviation of a replicate within its cell.
        bounded: whether `noise_percent` is at most that and `f` at least: of means whose counts
            scatter too, how counts and response go together is not said.
    """

    f: float
    model_degrees_of_freedom: int
    noise_degrees_of_freedom: int
    p_value: float
    rejected: bool
    misfit_percent: float
    noise_percent: float
    bounded: bool


@dataclass(frozen=True)
class Diagnostics:
    """How far to trust the estimates.

    Attributes:
        condition_number: of the normalised columns, each scaled to unit length; 1 is best. A
            relative error of the data can grow by this factor in an estimate.
        variance_inflation: for each parameter, how much the correlation of its column with the
            others multiplies its variance. About the origin, as the model has no intercept.
        max_abs_deviation_percent: largest deviation, in percent of the observed response.
        residual_sd_percent: root of the sum of squared deviations over degrees of freedom.
        degrees_of_freedom: points less parameters.
        lack_of_fit: test of the model against replicates; None without replicates.
    """

    condition_number: float | None
    variance_inflation: dict[str, float | None]
    max_abs_deviation_percent: float | None
    residual_sd_percent: float | None
    degrees_of_freedom: int
    lack_of_fit: LackOfFit | None


@dataclass(frozen=True)
class Residual:
    """One point: its place in the table (the first row of its cell), and how far off the model is.

    `deviation_percent` is 100 (predicted − observed)/observed, as the 2005 paper counts it;
    the residual of statistics, observed − predicted, has the other sign.
    """

    index: int
    observed: float
    predicted: float
    deviation_percent: float


ONE_RESAMPLE = "No intervals: one resample has no spread. Ask for a thousand or more."


@dataclass(frozen=True)
class Bootstrap:
    """How the intervals were made. The methods "robust" and "ols-hc3" draw none: their scores are
    summed by `unit`.

    Attributes:
        unit: what was drawn: "rows" of the table, "replicates" within their cells, or, where these
            reject the model, whole "cells"; or, where replicates depend on when they were recorded,
            "clusters" of them, each left out in turn.
        resamples: how often.
        seed: of the generator; None when a generator was handed in.
        strata: in how many groups rows or replicates were drawn.
        degenerate: resamples that determine no estimate; they are left out.
    """

    unit: Literal["rows", "replicates", "cells", "clusters"]
    resamples: int
    seed: int | None
    strata: int
    degenerate: int

    @property
    def carries_intervals(self) -> bool:
        """Whether enough resamples determine an estimate."""
        left = self.resamples - self.degenerate
        return left >= 2 and self.degenerate <= _DEGENERATE_LIMIT * self.resamples


@dataclass(frozen=True)
class FitResult:
    """A fit of a model to a table.

    Attributes:
        model: id of the model.
        method: one of `METHODS`, "nonlinear" or "nonlinear-robust".
        response: the measure that was fitted.
        response_unit: its unit.
        n: number of points: rows, or cells where rows are replicates.
        estimates: one for each parameter.
        covariance: of the bootstrap, in the order of `estimates`, of the same spread as `ci95` or
            `ci95_if_independent`; None without one.
        diagnostics: how far to trust the estimates.
        residuals: one for each point; empty when there is no estimate.
        identifiable: False when the data cannot tell the parameters apart.
        message: why, and what to measure; or what to know about the intervals.
        bootstrap: how the intervals were made.
        independence: what the sequence of the runs says about their replicates; None where rows are
            no replicates, or nothing was said about when they were recorded.
    """

    model: str
    method: str
    response: str
    response_unit: str
    n: int
    estimates: dict[str, Estimate]
    covariance: list[list[float]] | None
    diagnostics: Diagnostics
    residuals: list[Residual]
    identifiable: bool
    message: str | None
    bootstrap: Bootstrap
    independence: Independence | None = None
