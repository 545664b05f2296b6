# SPDX-License-Identifier: Apache-2.0
"""coalescope fit EXPERIMENT MODEL."""

import sys
from argparse import Namespace

from coalescope_models.fitting import FitResult

from coalescope.cli.local_store import local_store
from coalescope.cli.output import print_heading, print_json, print_table, printable, shown
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import get_experiment
from coalescope.fits.schemas import fit_out
from coalescope.fits.service import MAX_RESAMPLES, Fit, FitRequest, fit, select_rows


def run(arguments: Namespace) -> int:
    """Fit a model to an experiment; 1 if the data cannot determine it."""
    if arguments.resamples > MAX_RESAMPLES:
        raise CoalescopeError("too_many_resamples", f"{MAX_RESAMPLES} resamples are the most.")
    request = FitRequest(
        model=arguments.model,
        method=arguments.method,
        where=tuple(arguments.where),
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = get_experiment(connection, arguments.experiment)
        selection = select_rows(connection, experiment, request)
    found = fit(selection, request)
    if arguments.json:
        print_json(fit_out(found))
    else:
        _print(found)
    if not found.result.identifiable:
        sys.stdout.flush()
        print(f"coalescope: {found.result.message}", file=sys.stderr)
        return 1
    return 0


def _print(found: Fit) -> None:
    result = found.result
    print(f"{printable(found.experiment.title)} ({found.experiment.kind})")
    chosen = "".join(f", {name} {shown(value)}" for name, value in found.where.items())
    points = "cells" if result.bootstrap.unit == "replicates" else "rows"
    print(f"{result.model} by {result.method}: {result.response} of {result.n} {points}{chosen}")
    if found.left_out:
        print(f"{found.left_out} runs lack a measure that the fit needs and are left out")
    print()
    print_table(
        ("parameter", "estimate", "95 % interval", "standard error", "unit"),
        [
            (
                name,
                _digits(estimate.value),
                "–"
                if estimate.ci95 is None
                else f"{shown(estimate.ci95[0], 4)} to {shown(estimate.ci95[1], 4)}",
                _digits(estimate.standard_error, 2),
                estimate.unit,
            )
            for name, estimate in result.estimates.items()
        ],
    )
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
    if result.residuals:
        rows.append(("worst residual", _worst(found)))
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"  {label.ljust(width)}  {value}")


def _worst(found: Fit) -> str:
    unit = found.result.response_unit
    residual, factors = max(
        zip(found.result.residuals, found.factors, strict=True),
        key=lambda pair: abs(pair[0].deviation_percent),
    )
    place = ", ".join(f"{name} {shown(value)}" for name, value in factors.items())
    return (
        f"{residual.deviation_percent:+.2f} % at {place}: "
        f"{residual.predicted:.5g} {unit} predicted, {residual.observed:.5g} {unit} observed"
    )


def _bootstrap(result: FitResult) -> str:
    plan = result.bootstrap
    if plan.resamples == 0:
        return "none asked for"
    drawn = "replicates within cells" if plan.unit == "replicates" else "rows"
    groups = f", {plan.strata} strata" if plan.unit == "rows" and plan.strata > 1 else ""
    return f"bootstrap of {drawn}{groups}, {plan.resamples} resamples, seed {plan.seed}"


def _digits(value: float | None, digits: int = 4) -> str:
    return shown(value, digits)
