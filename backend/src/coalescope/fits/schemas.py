# SPDX-License-Identifier: Apache-2.0
"""Fits as the API shows them: the models' own result types, with what was fitted."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from coalescope_models.catalogue import Model
from coalescope_models.inference.fitting import Bootstrap, Diagnostics, Estimate, Weighting
from coalescope_models.inference.statistics import Independence
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.schemas import Chosen, Level, Where
from coalescope.fits.nonlinear import (
    MAX_NONLINEAR_RESAMPLES,
    NonlinearFit,
    NonlinearRequest,
)
from coalescope.fits.service import MAX_RESAMPLES, Fit, FitRequest, Method, default_method
from coalescope.predictions.service import require_model
from coalescope.runs.selection import LeftOut, where_pairs
from coalescope.user_models.schemas import UserModelIn
from coalescope.user_models.service import read_user_model
from coalescope.web.whole_numbers import JSON_INTEGER

#: `probe_cpu_s` is the probes' own code alone; "Overhead" in benchmarks/README.md has the whole.
LEAST_COUNTING_COST = (
    "the least that counting cost (all of it was three to four times that in benchmarks)"
)


class FitIn(BaseModel):
    """What to fit and how."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "cpu-overhead",
                    "method": "ols",
                    "where": {"workload": "nfs"},
                    "resamples": 10000,
                    "seed": 1,
                }
            ]
        },
    )

    model: str = Field(description="Id of a model with a linear fit")
    method: Method | None = Field(
        default=None,
        description="By default the one that the data set names as its paper's, else ols. ols: "
        "least squares of all runs, in percent of their cell. ols-hc3: least squares with "
        "standard errors that hold where variances differ (HC3), without resamples. wls: least "
        "squares weighed by how the replicates' spread goes with the response. robust: "
        "outlying runs do not move it. whitened: weighed by the noise of counts and response "
        "alike, for counts that err; a model that the replicates reject distorts it most. "
        "paper-tls: total least squares as in Geist et al. 2005; its result depends on the units "
        "(10⁶ bytes, thousands)",
    )
    base: bool = Field(
        default=False,
        description="Fit also what passes without traffic, in the response's unit per second of "
        "`elapsed_s`",
    )
    response: str | None = Field(
        default=None,
        description="The measure to fit; by default the one that most runs have, and of equals "
        "what receiving alone cost",
    )
    where: Where = Field(default_factory=dict)
    pooled: Annotated[list[str], Field(max_length=32)] = Field(
        default_factory=list,
        description="Factors to ignore: cells that differ in them only are taken for one",
    )
    without: LeftOut = Field(
        default_factory=list, description="Runs to leave out of this fit; nothing is deleted"
    )
    resamples: Annotated[int, Field(ge=0, le=MAX_RESAMPLES), JSON_INTEGER] = Field(
        default=10_000, description="Bootstrap resamples behind the intervals; 0 for none"
    )
    seed: Annotated[int, Field(ge=0, lt=2**53), JSON_INTEGER] = Field(
        default=1, description="The same seed gives the same intervals"
    )

    def request(self, experiment: ExperimentRecord) -> FitRequest:
        """Return it as the service takes it, for an experiment."""
        return FitRequest(
            model=self.model,
            method=self.method or default_method(experiment, self.model),
            base=self.base,
            where=where_pairs(self.where),
            resamples=self.resamples,
            seed=self.seed,
            response=self.response,
            pooled=tuple(self.pooled),
            without=tuple(sorted(set(self.without))),
        )


class NonlinearFitIn(BaseModel):
    """Which parameters of which model to find, and how."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "receive-windowed",
                    "output": "throughput_mbps",
                    "free": ["rtt_min_us", "window_bytes"],
                    "held": {"connections": 10},
                    "where": {"workload": "tcp"},
                    "seed": 1,
                }
            ]
        },
    )

    model: str | UserModelIn = Field(description="Id of any model, or a model of your own")
    output: str = Field(description="The output of the model to compare with the response")
    free: Annotated[list[str], Field(min_length=1, max_length=12)] = Field(
        description="Parameters to find, within the domains of the glossary, or the range that a "
        "model of your own gives"
    )
    held: dict[str, FiniteFloat] = Field(
        default_factory=dict,
        description="Values of other parameters, or of inputs that the experiment does not have; "
        "parameters that are not given keep their default",
    )
    response: str | None = Field(
        default=None, description="The measure to compare with; by default that of the output"
    )
    where: Where = Field(default_factory=dict)
    pooled: Annotated[list[str], Field(max_length=32)] = Field(
        default_factory=list,
        description="Factors to ignore: cells that differ in them only are taken for one",
    )
    without: LeftOut = Field(
        default_factory=list, description="Runs to leave out of this fit; nothing is deleted"
    )
    weighting: Weighting = Field(
        default="relative", description="Of deviations: in percent, or in the response's unit"
    )
    robust: bool = Field(
        default=False,
        description="Minimise Tukey's bisquare instead of squares: outlying runs do not move it",
    )
    resamples: Annotated[int, Field(ge=0, le=MAX_NONLINEAR_RESAMPLES), JSON_INTEGER] = Field(
        default=1_000, description="Bootstrap resamples behind the intervals; 0 for none"
    )
    seed: Annotated[int, Field(ge=0, lt=2**53), JSON_INTEGER] = Field(
        default=1, description="The same seed gives the same intervals"
    )

    def request(self) -> NonlinearRequest:
        """Return it as the service takes it. Errors: 422 for the model."""
        if isinstance(self.model, str):
            model: Model = require_model(self.model)
            sources = {}
        else:
            model, sources = read_user_model(self.model), self.model.sources()
        return NonlinearRequest(
            model=model,
            output=self.output,
            free=tuple(self.free),
            held=self.held,
            response=self.response,
            where=where_pairs(self.where),
            pooled=tuple(self.pooled),
            weighting=self.weighting,
            robust=self.robust,
            resamples=self.resamples,
            seed=self.seed,
            sources=sources,
            without=tuple(self.without),
        )


class ResidualOut(BaseModel):
    """One point: its setting, its response, and how far off the model is."""

    index: int = Field(description="Row of the table, or first row of the cell")
    factors: dict[str, Level]
    observed: float
    predicted: float
    deviation_percent: float = Field(
        description="100 (predicted − observed)/observed, as the 2005 paper counts it: "
        "the residual, observed − predicted, with the other sign"
    )


class FittedOut(ResidualOut):
    """One point of a fit, with where the model was evaluated for it."""

    inputs: dict[str, float] = Field(description="Of the model: the means over its runs")
    runs: int


class FitOut(BaseModel):
    """Estimates with intervals, what to think of them, and every residual."""

    experiment: str
    data_version: int
    where: Chosen
    model: str
    method: Method | Literal["nonlinear", "nonlinear-robust"]
    response: str = Field(description="The measure that was fitted")
    response_unit: str
    n: int = Field(description="Points: rows, or cells where rows are replicates")
    left_out: int = Field(description="Runs without a measure that the fit needs")
    without: list[str] = Field(description="Current runs that were left out as asked")
    estimates: dict[str, Estimate]
    without_probes: dict[str, Estimate] | None = Field(
        description=f"The estimates of a linear fit without {LEAST_COUNTING_COST}: `probe_cpu_s` "
        "is taken off the response, so that each cost is at most this; null if that is not known "
        "of each run",
    )
    covariance: list[list[float]] | None = Field(description="In the order of the estimates")
    diagnostics: Diagnostics
    residuals: Sequence[ResidualOut]
    identifiable: bool
    message: str | None = Field(
        description="Why there are no values or no intervals; that replicates reject the model, "
        "where and by how much; that runs are outlying; that a cost is held at 0; that methods "
        "disagree"
    )
    bootstrap: Bootstrap
    independence: Independence | None = Field(
        description="What the sequence of the runs says about their replicates; null where rows "
        "are no replicates"
    )


class NonlinearFitOut(FitOut):
    """A nonlinear fit, with what it was made of."""

    output: str = Field(description="The output of the model that was compared with the response")
    held: dict[str, float] = Field(description="Values of parameters and inputs that were given")
    assumed: dict[str, float] = Field(
        description="Values that the output depends on and that were neither found nor taken from "
        "the data, given or defaults: what is fitted holds if these are right"
    )
    sources: dict[str, list[str]] = Field(
        description="The factors or measures that each input was taken from"
    )
    pooled: list[str]
    residuals: Sequence[FittedOut]


def fit_out(fit: Fit) -> FitOut:
    """Return that fit as the API shows it."""
    return FitOut.model_validate(_members(fit))


def nonlinear_fit_out(fit: NonlinearFit) -> NonlinearFitOut:
    """Return that fit as the API shows it."""
    own = {name: getattr(fit, name) for name in ("output", "held", "assumed", "sources", "pooled")}
    members = _members(fit)
    residuals = [
        {**residual, "inputs": inputs, "runs": runs}
        for residual, inputs, runs in zip(members["residuals"], fit.inputs, fit.runs, strict=True)
    ]
    return NonlinearFitOut.model_validate({**members, **own, "residuals": residuals})


def _members(fit: Fit) -> dict[str, Any]:
    result = asdict(fit.result)
    residuals = [
        {**residual, "factors": factors}
        for residual, factors in zip(result.pop("residuals"), fit.factors, strict=True)
    ]
    probes = fit.without_probes
    return {
        "without_probes": probes and {name: asdict(found) for name, found in probes.items()},
        "experiment": fit.experiment.slug,
        "data_version": fit.experiment.data_version,
        "where": fit.where,
        "left_out": fit.left_out,
        "without": fit.without,
        "residuals": residuals,
        **result,
    }
