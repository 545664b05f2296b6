# SPDX-License-Identifier: Apache-2.0
"""Fit a model to an experiment: choose the rows, fit, and say which setting each residual is of."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from coalescope_models.catalogue import MODELS, LinearFit, Model
from coalescope_models.inference.fitting import (
    Estimate,
    FitResult,
    Over,
    Residual,
    fit_linear,
    rejection,
)
from coalescope_models.inference.methods import DEFAULT_METHOD, METHODS
from numpy import float64
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import Choice, ExperimentRecord, Factors
from coalescope.fits.pooling import check_pooled
from coalescope.fits.table import FitTable, fit_table, needed_measures
from coalescope.predictions.service import require_model
from coalescope.runs.selection import select_runs

Method = Literal["ols", "ols-hc3", "wls", "robust", "whitened", "paper-tls"]

MAX_RESAMPLES = 100_000
# Rows times resamples: about ten seconds on one core, at 17 to 40 million a second.
_MAX_DRAWS = 200_000_000
#: What the first linear fit imports: a server does it before one is asked for.
OF_FIRST_FIT = "scipy.special"
# From here on, sending the parts to other machines costs less than it saves.
_WORTH_SPREADING = 20_000_000


@dataclass(frozen=True)
class FitRequest:
    """What to fit and how. `where` holds FACTOR, VALUE pairs as text.

    `response` is the measure to fit, None for the one that most runs have. Cells that differ in
    `pooled` factors only are taken for one. Runs of the identities in `without` are left out.
    `base` is whether to fit what passes without traffic, too.
    """

    model: str
    method: Method
    where: tuple[tuple[str, str], ...]
    resamples: int
    seed: int
    response: str | None = None
    pooled: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    base: bool = False


def default_method(experiment: ExperimentRecord, model: str) -> Method:
    """The method that the data set names for this model, as that of its paper; else `ols`."""
    own = experiment.source.get("default_fit") or {}
    named = own.get("method") if own.get("model") == model else None
    return cast("Method", named if named in METHODS else DEFAULT_METHOD)


@dataclass(frozen=True)
class Fit:
    """A fit and what it was made from.

    Attributes:
        experiment: whose runs, in the version that was fitted.
        where: levels that the runs were chosen by.
        result: estimates, diagnostics, residuals.
        factors: of each residual, in their order.
        left_out: runs without a measure that the fit needs.
        without: runs that were left out as asked.
        without_probes: the estimates where the least that counting cost is taken off the response;
            None if that is not known of each run.

    """

    experiment: ExperimentRecord
    where: Choice
    result: FitResult
    factors: Sequence[Factors]
    left_out: int
    without: Sequence[str]
    without_probes: Mapping[str, Estimate] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Selection:
    """The rows of a fit as they were read in one transaction."""

    experiment: ExperimentRecord
    model: Model
    where: Choice
    table: FitTable
    without: Sequence[str]


def select_rows(
    connection: Connection, experiment: ExperimentRecord, request: FitRequest, work_factor: int = 1
) -> Selection:
    """Read what is to be fitted; it may take `work_factor` times as long as a request may.

    Errors: 422 where there is no such model or it has no linear fit, for an unknown factor, if no
    run is chosen, and if a measure that the fit needs is missing.
    """
    model = require_model(request.model)
    fit = _linear_fit(model, base=request.base)
    selection = select_runs(
        connection, experiment, needed_measures(fit), request.where, request.without
    )
    check_pooled(selection.runs, request.pooled)
    table = fit_table(selection.runs, fit, request.response, request.pooled)
    draws = len(table.factors) * request.resamples
    most = _MAX_DRAWS * work_factor
    if draws > most:
        raise CoalescopeError(
            "too_many_draws",
            f"{request.resamples} resamples of {len(table.factors)} runs take too long.",
            where={"field": "resamples"},
            advice=f"Ask for at most {most // len(table.factors)}, or select fewer runs.",
        )
    return Selection(experiment, model, selection.where, table, selection.without)


def is_large(selection: Selection, request: FitRequest) -> bool:
    """Whether it is worth while to compute its bootstrap on other machines."""
    return len(selection.table.factors) * request.resamples >= _WORTH_SPREADING


def fit(selection: Selection, request: FitRequest, over: Over | None = None) -> Fit:
    """Fit. Where a cell has several runs, those are replicates and the model meets their means.

    `over` computes the parts of the bootstrap, in place of a thread for each core; the result is
    the same.
    Data that cannot determine the parameters give a fit that says so, with no values.
    """
    table = selection.table
    result = _fit(selection, table.columns, request, over)
    columns = table.columns_without_probes() if result.identifiable else None
    without = None if columns is None else _fit(selection, columns, request, over)
    factors = [table.factors[residual.index] for residual in result.residuals]
    return Fit(
        experiment=selection.experiment,
        where=selection.where,
        result=with_worst_point(result, factors),
        factors=factors,
        left_out=table.left_out,
        without=selection.without,
        without_probes=None if without is None else without.estimates,
    )


def _fit(
    selection: Selection,
    columns: Mapping[str, NDArray[float64]],
    request: FitRequest,
    over: Over | None,
) -> FitResult:
    table = selection.table
    return fit_linear(
        selection.model,
        columns,
        request.method,
        response=table.response,
        strata=None if table.replicated else table.strata(),
        cells=table.cells if table.replicated else None,
        when=table.when,
        stated=None if table.replicated else table.stated,
        base=request.base,
        resamples=request.resamples,
        rng=request.seed,
        workers=len(os.sched_getaffinity(0)) if over is None else over,
    )


def worst_point(result: FitResult, factors: Sequence[Factors]) -> tuple[Residual, Factors]:
    """The point that is farthest off the model, and its factors. The fit has residuals."""
    pairs = zip(result.residuals, factors, strict=True)
    return max(pairs, key=lambda pair: abs(pair[0].deviation_percent))


def with_worst_point(result: FitResult, factors: Sequence[Factors]) -> FitResult:
    """The same fit; where replicates reject its model, the message says next where it is worst."""
    misfit = result.diagnostics.lack_of_fit
    if misfit is None or not misfit.rejected or not result.residuals:
        return result
    residual, where = worst_point(result, factors)
    place = ", ".join(f"{name} {value}" for name, value in where.items())
    worst = f"It is farthest off at {place}: by {abs(residual.deviation_percent):.2g} %."
    said = rejection(misfit)
    return replace(result, message=(result.message or said).replace(said, f"{said} {worst}"))


def _linear_fit(model: Model, *, base: bool) -> LinearFit:
    if model.linear_fit is not None:
        return model.linear_fit.with_base() if base else model.linear_fit
    able = ", ".join(name for name, other in MODELS.items() if other.linear_fit is not None)
    raise CoalescopeError(
        "no_linear_fit",
        f"The model {model.id} cannot be fitted by a linear method.",
        where={"model": model.id},
        advice=f"Models with a linear fit: {able}. Any other is fitted by naming an output and the "
        "parameters to find.",
    )
