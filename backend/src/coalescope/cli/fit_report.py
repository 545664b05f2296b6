# SPDX-License-Identifier: Apache-2.0
"""A fit for people, whoever computed it."""

from collections.abc import Collection, Mapping

from coalescope_models.inference.fitting import Estimate, LackOfFit, chance, statistic

from coalescope.cli.output import (
    chosen_levels,
    counted,
    print_heading,
    print_left_out,
    print_table,
    printable,
    shown,
)
from coalescope.fits.schemas import LEAST_COUNTING_COST, FitOut, NonlinearFitOut


def print_fit(found: FitOut, heading: str) -> None:
    """Estimates, what to think of them, and what there is to know first."""
    print(printable(heading))
    chosen = "".join(f", {levels}" for levels in chosen_levels(found.where))
    points = "rows" if found.bootstrap.unit == "rows" else "cells"
    print(f"{found.model} by {found.method}: {found.response} of {found.n} {points}{chosen}")
    print_left_out(found.without)
    if found.left_out:
        print(f"left out: {counted(found.left_out, 'run')} without a measure that the fit needs")
    if found.method == "paper-tls":
        print("paper-tls: the result depends on the units of the counts (10⁶ bytes, thousands)")
    if not found.identifiable:
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
        for name, estimate in found.estimates.items()
    ]
    _add_conditional(heads, rows, found.estimates.values())
    print_table(heads, rows)
    _print_diagnostics(found)
    if isinstance(found, NonlinearFitOut) and found.assumed:
        print_heading(f"Held, not measured: {_held(found.assumed)}")
        print("  what is fitted holds if these are right")
    if found.message and found.identifiable:
        print_heading(found.message)


def _add_conditional(
    heads: list[str], rows: list[list[str]], estimates: Collection[Estimate]
) -> None:
    """Append a column of each kind of interval that holds only on a condition."""
    conditional = {
        "if independent": [own.ci95_if_independent for own in estimates],
        "if the model held": [own.ci95_if_model_holds for own in estimates],
    }
    for head, ends in conditional.items():
        if any(ends):
            heads.append(head)
            for row, interval in zip(rows, ends, strict=True):
                row.append(_interval(interval))


def _print_diagnostics(found: FitOut) -> None:
    diagnostics = found.diagnostics
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
        ("intervals", _bootstrap(found)),
    ]
    if diagnostics.lack_of_fit is not None:
        rows.append(("lack of fit", _lack_of_fit(diagnostics.lack_of_fit)))
    if found.residuals:
        rows.append(("worst residual", _worst(found)))
    if found.without_probes is not None:
        rows.append(("without probes", _upper_bounds(found.without_probes)))
        rows.append(("", f"without {LEAST_COUNTING_COST}"))
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"  {label.ljust(width)}  {value}")


def _held(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in values.items())


def _upper_bounds(found: Mapping[str, Estimate]) -> str:
    return ", ".join(
        f"{name} at most {_digits(estimate.value)} ({_interval_on_its_condition(estimate)})"
        for name, estimate in found.items()
    )


def _interval(ends: tuple[float, float] | None) -> str:
    return "–" if ends is None else f"{shown(ends[0], 4)} to {shown(ends[1], 4)}"


def _interval_on_its_condition(estimate: Estimate) -> str:
    if estimate.ci95_if_independent:
        return f"{_interval(estimate.ci95_if_independent)} if independent"
    return _interval(estimate.ci95)


def _lack_of_fit(found: LackOfFit) -> str:
    verdict = "rejected" if found.rejected else "not rejected"
    return f"{statistic(found)}, {chance(found)}: the model is {verdict}"


def _worst(found: FitOut) -> str:
    unit = found.response_unit
    worst = max(found.residuals, key=lambda residual: abs(residual.deviation_percent))
    place = ", ".join(f"{name} {shown(value)}" for name, value in worst.factors.items())
    return (
        f"{-worst.deviation_percent:+.2f} % at {place}: "
        f"{worst.observed:.5g} {unit} observed, {worst.predicted:.5g} {unit} predicted"
    )


def _bootstrap(found: FitOut) -> str:
    plan = found.bootstrap
    if not any(own.ci95 or own.ci95_if_independent for own in found.estimates.values()):
        return "none"
    if plan.unit == "clusters" and found.independence is not None:
        sequence = found.independence
        return f"each of {sequence.clusters} {sequence.cluster_kind}s left out in turn"
    if found.method in ("robust", "nonlinear-robust", "ols-hc3"):
        made = "HC3" if found.method == "ols-hc3" else "from the scores"
        return f"{made} of the {'cells' if plan.unit == 'cells' else 'runs'}"
    if found.method == "nonlinear" and plan.unit == "rows":
        return "from the curvature at the minimum: there are no replicates"
    if found.method == "nonlinear" and (plan.unit == "cells" or plan.resamples == 0):
        return "from the curvature at the minimum and the deviations of the cells"
    drawn = {"replicates": "replicates within cells"}.get(plan.unit, plan.unit)
    groups = f", {plan.strata} strata" if plan.unit == "rows" and plan.strata > 1 else ""
    return f"bootstrap of {drawn}{groups}, {plan.resamples} resamples, seed {plan.seed}"


def _digits(value: float | None, digits: int = 4) -> str:
    return shown(value, digits)
