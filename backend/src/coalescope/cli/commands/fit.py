# SPDX-License-Identifier: Apache-2.0
"""coalescope fit EXPERIMENT MODEL."""

import sys
from argparse import Namespace
from collections.abc import Mapping

from coalescope_models.inference.fitting import Estimate, FitResult, LackOfFit, chance, statistic
from coalescope_models.inference.methods import METHODS

from coalescope.cli.exit_statuses import done_if
from coalescope.cli.local_store import experiment_of, local_store
from coalescope.cli.output import (
    chosen_levels,
    counted,
    print_heading,
    print_json,
    print_left_out,
    print_table,
    printable,
    shown,
)
from coalescope.cli.user_model_file import is_file, model_of
from coalescope.errors import CoalescopeError
from coalescope.fits import nonlinear
from coalescope.fits.nonlinear import MAX_NONLINEAR_RESAMPLES, NonlinearFit
from coalescope.fits.schemas import FitOut, fit_out, nonlinear_fit_out
from coalescope.fits.service import (
    MAX_RESAMPLES,
    Fit,
    FitRequest,
    default_method,
    fit,
    select_rows,
    worst_point,
)


def run(arguments: Namespace) -> int:
    """Fit a model to an experiment; 1 if the data cannot determine it."""
    _check_options(arguments)
    found = _linear(arguments) if arguments.output is None else [_nonlinear(arguments)]
    if arguments.json:
        shown_fits = [_out(fitted) for fitted in found]
        print_json(shown_fits[0] if len(shown_fits) == 1 else shown_fits)
    else:
        for number, fitted in enumerate(found):
            if number:
                print()
            _print(fitted)
    unknown = [fitted for fitted in found if not fitted.result.identifiable]
    sys.stdout.flush()
    for fitted in unknown:
        which = f"{fitted.result.method}: " if len(found) > 1 else ""
        print(f"coalescope: {which}{fitted.result.message}", file=sys.stderr)
    return done_if(not unknown)


def _check_options(arguments: Namespace) -> None:
    if arguments.output is not None and arguments.base:
        raise CoalescopeError(
            "wrong_fit",
            "--base is of linear fits.",
            advice="Leave out --output, or add a constant to a model of your own.",
        )
    only_nonlinear = [name for name in ("free", "hold") if getattr(arguments, name)]
    if arguments.output is None and (only_nonlinear or is_file(_model(arguments))):
        named = f"--{only_nonlinear[0]}" if only_nonlinear else "A model of your own"
        raise CoalescopeError(
            "wrong_fit",
            f"{named} goes with --output.",
            advice="Name the output to fit, and the parameters to find with --free.",
        )
    given = set(arguments.methods or ())
    if arguments.output is not None and not (given <= {"robust"} and arguments.free):
        raise CoalescopeError(
            "wrong_fit",
            "--output needs --free."
            if given <= {"robust"}
            else "With --output, the only other --method is robust.",
            advice="Name the parameters to find, as in --free rtt_min_us,window_bytes.",
        )
    most = MAX_RESAMPLES if arguments.output is None else MAX_NONLINEAR_RESAMPLES
    if arguments.resamples is not None and arguments.resamples > most:
        raise CoalescopeError("too_many_resamples", f"{most} resamples are the most.")


def _model(arguments: Namespace) -> str:
    typed: str = arguments.model or arguments.model_option
    return typed


def _linear(arguments: Namespace) -> list[Fit]:
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = experiment_of(connection, arguments)
        asked = arguments.methods or [default_method(experiment, _model(arguments))]
        methods = METHODS if "all" in asked else tuple(dict.fromkeys(asked))
        requests = [
            FitRequest(
                model=_model(arguments),
                method=method,
                where=tuple(arguments.where),
                resamples=10_000 if arguments.resamples is None else arguments.resamples,
                seed=arguments.seed,
                response=arguments.response,
                pooled=tuple(arguments.pool),
                without=arguments.without,
                base=arguments.base,
            )
            for method in methods
        ]
        selection = select_rows(connection, experiment, requests[0])
    return [fit(selection, request) for request in requests]


def _nonlinear(arguments: Namespace) -> NonlinearFit:
    model, sources = model_of(_model(arguments))
    request = nonlinear.NonlinearRequest(
        model=model,
        output=arguments.output,
        free=arguments.free,
        held=dict(arguments.hold),
        response=arguments.response,
        where=tuple(arguments.where),
        pooled=tuple(arguments.pool),
        weighting=arguments.weighting,
        robust="robust" in (arguments.methods or ()),
        resamples=1_000 if arguments.resamples is None else arguments.resamples,
        seed=arguments.seed,
        sources=sources,
        without=arguments.without,
    )
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = experiment_of(connection, arguments)
        points = nonlinear.select_points(connection, experiment, request)
    return nonlinear.fit(points, request)


def _out(found: Fit) -> FitOut:
    return nonlinear_fit_out(found) if isinstance(found, NonlinearFit) else fit_out(found)


def _print(found: Fit) -> None:
    result = found.result
    print(f"{printable(found.experiment.title)} ({found.experiment.kind})")
    chosen = "".join(f", {levels}" for levels in chosen_levels(found.where))
    points = "rows" if result.bootstrap.unit == "rows" else "cells"
    print(f"{result.model} by {result.method}: {result.response} of {result.n} {points}{chosen}")
    print_left_out(found.without)
    if found.left_out:
        print(f"left out: {counted(found.left_out, 'run')} without a measure that the fit needs")
    if not result.identifiable:
        print("no estimates")
        return
    print()
    heads = ["parameter", "estimate", "95 % interval", "standard error", "unit"]
    rows = [
        [
            name,
            _digits(estimate.value),
            _interval(estimate.ci95),
            _digits(estimate.standard_error, 2),
            estimate.unit,
        ]
        for name, estimate in result.estimates.items()
    ]
    if any(estimate.ci95_if_model_holds for estimate in result.estimates.values()):
        heads.append("if the model held")
        for row, estimate in zip(rows, result.estimates.values(), strict=True):
            row.append(_interval(estimate.ci95_if_model_holds))
    print_table(heads, rows)
    _print_diagnostics(found)
    if result.message and result.identifiable:
        print_heading(result.message)


def _print_diagnostics(found: Fit) -> None:
    result, diagnostics = found.result, found.result.diagnostics
    inflation = ", ".join(
        f"{name} {_digits(value, 3)}" for name, value in diagnostics.variance_inflation.items()
    )
    print_heading("Diagnostics")
    rows = [
        ("largest deviation", f"{_digits(diagnostics.max_abs_deviation_percent, 3)} %"),
        ("residual deviation", f"{_digits(diagnostics.residual_sd_percent, 3)} %"),
        ("degrees of freedom", str(diagnostics.degrees_of_freedom)),
        ("condition number", _digits(diagnostics.condition_number, 3)),
        ("variance inflation", inflation),
        ("intervals", _bootstrap(result)),
    ]
    if diagnostics.lack_of_fit is not None:
        rows.append(("lack of fit", _lack_of_fit(diagnostics.lack_of_fit)))
    if result.residuals:
        rows.append(("worst residual", _worst(found)))
    if found.without_probes is not None:
        rows.append(("without probes", _estimates(found.without_probes)))
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"  {label.ljust(width)}  {value}")


def _estimates(found: Mapping[str, Estimate]) -> str:
    return ", ".join(
        f"{name} {_digits(estimate.value)} ({_interval(estimate.ci95)})"
        for name, estimate in found.items()
    )


def _interval(ends: tuple[float, float] | None) -> str:
    return "–" if ends is None else f"{shown(ends[0], 4)} to {shown(ends[1], 4)}"


def _lack_of_fit(found: LackOfFit) -> str:
    verdict = "rejected" if found.rejected else "not rejected"
    return f"{statistic(found)}, {chance(found)}: the model is {verdict}"


def _worst(found: Fit) -> str:
    unit = found.result.response_unit
    residual, factors = worst_point(found.result, found.factors)
    place = ", ".join(f"{name} {shown(value)}" for name, value in factors.items())
    return (
        f"{-residual.deviation_percent:+.2f} % at {place}: "
        f"{residual.observed:.5g} {unit} observed, {residual.predicted:.5g} {unit} predicted"
    )


def _bootstrap(result: FitResult) -> str:
    plan = result.bootstrap
    if plan.unit == "clusters" and result.independence is not None:
        found = result.independence
        return f"each of {found.clusters} {found.cluster_kind}s left out in turn"
    if result.method in ("robust", "nonlinear-robust", "ols-hc3"):
        made = "HC3" if result.method == "ols-hc3" else "from the scores"
        return f"{made} of the {'cells' if plan.unit == 'cells' else 'runs'}"
    if result.method == "nonlinear" and plan.unit == "rows":
        return "from the curvature at the minimum: there are no replicates"
    if plan.resamples == 0:
        return "none asked for"
    if result.method == "nonlinear" and plan.unit == "cells":
        return "from the curvature at the minimum and the deviations of the cells"
    drawn = {"replicates": "replicates within cells"}.get(plan.unit, plan.unit)
    groups = f", {plan.strata} strata" if plan.unit == "rows" and plan.strata > 1 else ""
    return f"bootstrap of {drawn}{groups}, {plan.resamples} resamples, seed {plan.seed}"


def _digits(value: float | None, digits: int = 4) -> str:
    return shown(value, digits)
