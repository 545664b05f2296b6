# SPDX-License-Identifier: Apache-2.0
"""What a fit says of parameters that noise leaves unknown, and of fits that pass through all."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.inference.fitting import CONDITION_LIMIT, fit_linear, fit_nonlinear

UNDETERMINED, THROUGH_ALL = "Poorly determined", "nothing is left to judge it by"
LEVELS = {"delay_us": np.tile([0.0, 40.0, 160.0, 640.0], 2), "mtu_bytes": [1500.0] * 4 + [9000] * 4}


def costs(noise, settings=12):
    rng = np.random.default_rng(1)
    mtu, per_interrupt = (
        grid.ravel()[:settings] for grid in np.meshgrid([1500, 4500], [1.5, 2, 4, 8, 16, 30])
    )
    packets = 5e6 / mtu
    table = {
        "rx_megabytes": np.full(settings, 5000.0),
        "rx_kilopackets": packets,
        "rx_kilointerrupts": packets / per_interrupt,
    }
    cpu = np.column_stack(list(table.values())) @ [0.8, 0.3, 1.1]
    return {**table, "system_cpu_jiffies": cpu * (1.0 + noise * rng.normal(size=settings))}


@pytest.mark.parametrize("method", ["ols", "robust", "ols-hc3"])
def test_noise_alone_leaves_a_cost_unknown_however_different_the_columns(method):
    noisy = fit_linear("cpu-overhead", costs(0.15), method, resamples=400, rng=1)
    assert noisy.identifiable
    assert noisy.diagnostics.condition_number < CONDITION_LIMIT
    beta = noisy.estimates["beta"]
    assert beta.standard_error > 0.5 * beta.value > 0.0
    share = f"{100.0 * beta.standard_error / beta.value:.3g} %"
    assert f"beta (standard error {share} of its estimate)" in noisy.message
    assert "alpha (standard" not in noisy.message
    quiet = fit_linear("cpu-overhead", costs(0.003), method, resamples=400, rng=1)
    assert UNDETERMINED not in (quiet.message or "")


@pytest.mark.parametrize(("robust", "loud"), [(False, 0.6), (True, 1.2)])
def test_the_same_of_models_that_are_not_linear(robust, loud):
    model = MODELS["request-response"]
    levels = {name: np.repeat(own, 3) for name, own in LEVELS.items()}
    truth = {"idle_us": np.array(220.0), "delay_waits": np.array(2.15)}
    speed = evaluate(model, {**levels, **truth})["throughput_mbps"]
    rng = np.random.default_rng(2)
    for noise, said in ((loud, True), (0.01, False)):
        measured = speed * np.exp(noise * rng.normal(size=len(speed)))
        found = fit_nonlinear(
            model,
            {**levels, "throughput_mbps": measured},
            "throughput_mbps",
            list(truth),
            robust=robust,
        )
        assert found.diagnostics.condition_number < CONDITION_LIMIT
        assert (UNDETERMINED in (found.message or "")) == said


def through(rows, method, runs):
    """The first, second and last setting of these, so often each."""
    chosen = np.repeat([0, 1, 11], runs)
    rng = np.random.default_rng(3)
    table = {name: own[chosen] for name, own in rows.items()}
    table["system_cpu_jiffies"] = table["system_cpu_jiffies"] * (
        1.0 + 0.001 * rng.normal(size=len(chosen))
    )
    return fit_linear("cpu-overhead", table, method, cells=chosen, resamples=0)


@pytest.mark.parametrize("method", ["ols", "robust", "paper-tls"])
def test_as_many_settings_as_costs_leave_nothing_to_judge_by(method):
    rows = costs(0.0)
    exact = through(rows, method, 5)
    assert exact.diagnostics.degrees_of_freedom == 0
    assert THROUGH_ALL in exact.message
    more = fit_linear("cpu-overhead", costs(0.001), method, resamples=0)
    assert THROUGH_ALL not in (more.message or "")


def test_of_as_many_runs_as_costs_none_is_an_outlier():
    found = through(costs(0.0), "robust", 1)
    assert not found.identifiable
    assert "none can be seen to be an outlier" in found.message
