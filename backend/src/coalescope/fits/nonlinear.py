# SPDX-License-Identifier: Apache-2.0
"""Fit parameters of any model to a measure: choose the runs, find its inputs in them, fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from coalescope_models.catalogue import Model
from coalescope_models.inference.fitting import (
    FitInputError,
    Stated,
    Weighting,
    fit_nonlinear,
    most_work,
)
from coalescope_models.inference.statistics import Timeline
from coalescope_models.vocabulary.quantity import QUANTITIES
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError, did_you_mean, sentence
from coalescope.experiments.records import Choice, ExperimentRecord, Factors
from coalescope.fits.inputs import Source, candidates, choose
from coalescope.fits.means import stated
from coalescope.fits.pooling import check_pooled, setting_labels
from coalescope.fits.service import Fit, with_worst_point
from coalescope.glossary.quantities import measure
from coalescope.runs.records import RunValues
from coalescope.runs.selection import select_runs
from coalescope.runs.sequence import sequence_of
from coalescope.user_models.confinement import Run, here

MAX_NONLINEAR_RESAMPLES = 10_000
# numbers that all searches together compute: ten seconds on one core if none settles early
_MOST_WORK = 10_000_000_000


@dataclass(frozen=True)
class NonlinearRequest:
    """What to fit and how.

    Attributes:
        model: any model.
        output: its output that is compared with the response.
        free: parameters to find.
        held: values of other parameters, and of inputs that the experiment does not have.
        response: measure to compare with; None for the one of the output's name.
        where: FACTOR, VALUE pairs as text.
        pooled: factors to ignore.
        weighting: of deviations.
        robust: whether outlying runs count less.
        resamples: of the bootstrap.
        seed: of the bootstrap.
        sources: the factor or measure that an input is taken from, where it is said.
        without: identities of runs to leave out.

    """

    model: Model
    output: str
    free: tuple[str, ...]
    held: Mapping[str, float] = field(default_factory=dict)
    response: str | None = None
    where: tuple[tuple[str, str], ...] = ()
    pooled: tuple[str, ...] = ()
    weighting: Weighting = "relative"
    robust: bool = False
    resamples: int = 1_000
    seed: int = 1
    sources: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Points:
    """What is fitted, as it was read in one transaction."""

    experiment: ExperimentRecord
    where: Choice
    response: str
    columns: Mapping[str, NDArray[np.float64]]
    factors: Sequence[Factors]
    settings: NDArray[np.int64]
    when: Timeline
    sources: Mapping[str, tuple[str, ...]]
    left_out: int
    without: Sequence[str]
    stated: Stated | None


@dataclass(frozen=True)
class NonlinearFit(Fit):
    """A fit, and what it was made of.

    `assumed` are values that the output depends on and that were neither found nor measured.
    `inputs` and `runs` are in the order of the residuals: the means of the model's inputs over the
    runs behind each, and how many those are.
    """

    output: str
    held: Mapping[str, float]
    assumed: Mapping[str, float]
    sources: Mapping[str, Sequence[str]]
    pooled: Sequence[str]
    inputs: Sequence[Mapping[str, float]]
    runs: Sequence[int]


def select_points(
    connection: Connection,
    experiment: ExperimentRecord,
    request: NonlinearRequest,
    work_factor: int = 1,
) -> Points:
    """Read what is to be fitted; it may take `work_factor` times as long as a request may.

    Errors: 422 for an output or parameter that the model does not have, a response that is no
    measure, an input that no run has, and too much work.
    """
    response = _response(request)
    taken = [q.name for q in request.model.inputs if q.name not in request.held]
    options = {name: candidates(name, request.sources.get(name)) for name in taken}
    named = {part for sources in options.values() for s in sources for part in s.names}
    measures = [response, *sorted(named)]
    chosen = select_runs(connection, experiment, measures, request.where, request.without)
    check_pooled(chosen.runs, request.pooled)
    having = [run for run in chosen.runs if response in run.values]
    if not having:
        raise CoalescopeError(
            "not_available",
            f"The fit is not available: no run has {response}.",
            where={"measure": response},
            advice="Name a measure that the experiment has as the response.",
        )
    sources = {name: choose(name, request.sources.get(name), having) for name in taken}
    _refuse_pooled_inputs(request.pooled, sources)
    rows, columns = _columns(having, sources, response)
    inputs = {q.name for q in request.model.inputs}
    fixed = {n: np.full(len(rows), v) for n, v in request.held.items() if n in inputs}
    settings = setting_labels(rows, request.pooled)
    _refuse_too_much(len(np.unique(settings)), request, _MOST_WORK * work_factor)
    return Points(
        experiment=experiment,
        where=chosen.where,
        response=response,
        columns={**columns, **fixed},
        factors=[run.factors for run in rows],
        settings=settings,
        when=sequence_of([run.when for run in rows]),
        sources={name: source.names for name, source in sources.items()},
        left_out=len(chosen.runs) - len(rows),
        without=chosen.without,
        stated=stated(rows, response, {}),
    )


def fit(points: Points, request: NonlinearRequest, run: Run = here) -> NonlinearFit:
    """Fit. Data that cannot determine the parameters give a fit that says so, with no values.

    Errors: 422 for a parameter that the model does not have, or that is both held and free; and
    what `run` refuses.
    """
    inputs = {quantity.name for quantity in request.model.inputs}
    replicated = len(np.unique(points.settings)) < len(points.settings)
    try:
        result = run(
            fit_nonlinear,
            request.model,
            points.columns,
            request.output,
            request.free,
            response=points.response,
            held={name: v for name, v in request.held.items() if name not in inputs},
            cells=points.settings if replicated else None,
            when=points.when,
            stated=None if replicated else points.stated,
            weighting=request.weighting,
            robust=request.robust,
            resamples=request.resamples if replicated else 0,
            rng=request.seed,
        )
    except FitInputError as error:
        raise CoalescopeError(
            "wrong_fit",
            sentence(str(error), [request.model.id, *request.model.names]),
            where={"model": request.model.id, "field": error.name},
            advice=f"{did_you_mean(error.name, request.model.names)}GET /api/models lists inputs, "
            "outputs and parameters of each model.",
        ) from None
    _, settings, runs = np.unique(points.settings, return_inverse=True, return_counts=True)
    means = {n: np.bincount(settings, points.columns[n]) / runs for n in sorted(inputs)}
    factors = [points.factors[residual.index] for residual in result.residuals]
    places = [settings[residual.index] for residual in result.residuals]
    return NonlinearFit(
        experiment=points.experiment,
        where=points.where,
        result=with_worst_point(result, factors),
        factors=factors,
        left_out=points.left_out,
        without=points.without,
        output=request.output,
        held=request.held,
        assumed=_assumed(request),
        sources=points.sources,
        pooled=request.pooled,
        inputs=[{n: float(of[k]) for n, of in means.items()} for k in places],
        runs=[int(runs[k]) for k in places],
    )


def _assumed(request: NonlinearRequest) -> dict[str, float]:
    values = {**request.model.defaults, **request.held}
    needed = request.model.graph.needed(request.output)
    return {name: values[name] for name in needed if name in values and name not in request.free}


def _response(request: NonlinearRequest) -> str:
    outputs = request.model.graph.outputs
    if request.output not in outputs:
        raise CoalescopeError(
            "wrong_fit",
            f"{request.model.id} has no output {request.output[:80]!r}.",
            where={"model": request.model.id, "field": "output"},
            advice=f"{did_you_mean(request.output, outputs)}Its outputs are {', '.join(outputs)}.",
        )
    response = request.response or request.output
    if measure(response) is None:
        meant = did_you_mean(response, (q.name for q in QUANTITIES.values() if q.role == "measure"))
        raise CoalescopeError(
            "no_such_response",
            f"{response[:80]!r} is not a measure.",
            where={"field": "response"},
            advice=f"{meant}Name the measure that the output is to be compared with.",
        )
    if any(quantity.name == response for quantity in request.model.inputs):
        raise CoalescopeError(
            "no_such_response",
            f"{response} is an input of {request.model.id}: it cannot be fitted to it.",
            where={"field": "response"},
            advice="Name another measure.",
        )
    return response


def _columns(
    runs: Sequence[RunValues], sources: Mapping[str, Source], response: str
) -> tuple[list[RunValues], dict[str, NDArray[np.float64]]]:
    """The runs that have every input, and their values."""
    found = [(run, {n: source.of(run) for n, source in sources.items()}) for run in runs]
    whole = [(run, own) for run, own in found if None not in own.values()]
    if not whole:
        raise CoalescopeError(
            "not_available",
            f"The fit is not available: no run has all of {', '.join([*sources, response])}.",
            where={"field": ", ".join(sources)},
            advice="Each is there in some run; a fit needs them together in the same runs.",
        )
    columns = {n: np.array([own[n] for _, own in whole], dtype=np.float64) for n in sources}
    columns[response] = np.array([run.values[response] for run, _ in whole])
    return [run for run, _ in whole], columns


def _refuse_pooled_inputs(pooled: Sequence[str], sources: Mapping[str, Source]) -> None:
    for name, source in sources.items():
        for part in source.names:
            if part in pooled:
                raise CoalescopeError(
                    "wrong_fit",
                    f"{part} cannot be pooled: the model's input {name} comes from it.",
                    where={"field": "pooled"},
                    advice=f"Pool other factors, or give {name} a fixed value (held).",
                )


def _refuse_too_much(settings: int, request: NonlinearRequest, most: int) -> None:
    """Errors: 422 for a fit that would take long, before any of it is done."""

    def work(resamples: int) -> int:
        return most_work(request.model, settings, len(request.free), resamples)

    if work(request.resamples) <= most:
        return
    left = most - work(0)
    if left < 0:
        raise CoalescopeError(
            "too_much_work",
            f"A fit of {len(request.free)} parameters of a graph of "
            f"{len(request.model.graph.nodes)} nodes to {settings} settings takes too long.",
            where={"field": "where"},
            advice="Select fewer settings, or fit fewer parameters.",
        )
    raise CoalescopeError(
        "too_many_draws",
        f"{request.resamples} resamples of {settings} settings take too long.",
        where={"field": "resamples"},
        advice=f"Ask for at most {left // (work(1) - work(0))}, or select fewer settings.",
    )
