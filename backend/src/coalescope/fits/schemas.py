# SPDX-License-Identifier: Apache-2.0
"""Fits as the API shows them: the models' own result types, with what was fitted."""

from dataclasses import asdict
from typing import Annotated

from coalescope_models.fitting import Bootstrap, Diagnostics, Estimate
from pydantic import BaseModel, ConfigDict, Field

from coalescope.experiments.schemas import Level
from coalescope.fits.service import MAX_RESAMPLES, Fit, FitRequest, Method


class FitIn(BaseModel):
    """What to fit and how."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "model": "cpu-overhead",
                    "method": "paper-tls",
                    "where": {"workload": "nfs"},
                    "resamples": 10000,
                    "seed": 1,
                }
            ]
        },
    )

    model: str = Field(description="Id of a model with a linear fit")
    method: Method = Field(
        default="paper-tls",
        description="Total least squares as in Geist et al. 2005, or ordinary least squares",
    )
    where: dict[str, Level] = Field(default_factory=dict, description="Only runs with these levels")
    resamples: Annotated[int, Field(ge=0, le=MAX_RESAMPLES)] = Field(
        default=10_000, description="Bootstrap resamples behind the intervals; 0 for none"
    )
    seed: Annotated[int, Field(ge=0, lt=2**53)] = Field(
        default=1, description="The same seed gives the same intervals"
    )

    def request(self) -> FitRequest:
        """Return it as the service takes it."""
        where = tuple(sorted((name, str(value)) for name, value in self.where.items()))
        return FitRequest(self.model, self.method, where, self.resamples, self.seed)


class ResidualOut(BaseModel):
    """One point: its setting, its response, and how far off the model is."""

    index: int = Field(description="Row of the table, or first row of the cell")
    factors: dict[str, Level]
    observed: float
    predicted: float
    deviation_percent: float = Field(description="100 (predicted − observed)/observed")


class FitOut(BaseModel):
    """Estimates with intervals, what to think of them, and every residual."""

    experiment: str
    data_version: int
    where: dict[str, Level]
    model: str
    method: Method
    response: str = Field(description="The measure that was fitted")
    response_unit: str
    n: int = Field(description="Points: rows, or cells where rows are replicates")
    left_out: int = Field(description="Runs without a measure that the fit needs")
    estimates: dict[str, Estimate]
    covariance: list[list[float]] | None = Field(description="In the order of the estimates")
    diagnostics: Diagnostics
    residuals: list[ResidualOut]
    identifiable: bool
    message: str | None = Field(description="Why there are no values, or no intervals")
    bootstrap: Bootstrap


def fit_out(fit: Fit) -> FitOut:
    """Return that fit as the API shows it."""
    result = asdict(fit.result)
    residuals = [
        {**residual, "factors": factors}
        for residual, factors in zip(result.pop("residuals"), fit.factors, strict=True)
    ]
    return FitOut.model_validate(
        {
            "experiment": fit.experiment.slug,
            "data_version": fit.experiment.data_version,
            "where": fit.where,
            "left_out": fit.left_out,
            "residuals": residuals,
            **result,
        }
    )
