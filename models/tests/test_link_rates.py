# SPDX-License-Identifier: Apache-2.0
"""Hosts of today: models take links of up to 800 Gb/s, and fits are not held to a slider's end."""

import math

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.inference.fitting import fit_nonlinear

FASTEST_MBPS = 800_000.0
LINKED = {
    model_id: parameter
    for model_id, model in MODELS.items()
    for parameter in model.parameters
    if parameter.name == "link_rate_mbps"
}
#: Outputs without a value at these settings: of a receiver that polls all the time.
UNKNOWN = {"napi-receive": {"packets_per_interrupt"}}


def test_nearly_all_models_of_throughput_have_a_link():
    assert len(LINKED) > 8


@pytest.mark.parametrize("model_id", LINKED)
def test_the_slider_of_a_link_reaches_800_gigabits_and_a_fit_goes_beyond(model_id):
    parameter = LINKED[model_id]
    assert parameter.hi >= FASTEST_MBPS
    assert parameter.bounds[1] == math.inf


@pytest.mark.parametrize("model_id", LINKED)
def test_a_model_has_numbers_at_800_gigabits(model_id):
    model = MODELS[model_id]
    inputs = {quantity.name: 1500.0 for quantity in model.inputs}
    found = evaluate(model, {**model.defaults, **inputs, "link_rate_mbps": FASTEST_MBPS})
    assert found
    assert {name for name, value in found.items() if math.isnan(value)} == UNKNOWN.get(
        model_id, set()
    )
    assert not any(math.isinf(value) for value in found.values()), found


@pytest.mark.parametrize("rate_mbps", [100_000.0, 400_000.0, FASTEST_MBPS, 1_600_000.0])
def test_the_rate_of_a_fast_link_is_found(rate_mbps):
    """From a search that starts at 1 Gb/s; the last is beyond every slider."""
    mtu = np.array([1500.0, 3000.0, 4500.0, 9000.0])
    truth = {"mtu_bytes": mtu, "link_rate_mbps": rate_mbps}
    throughput = evaluate(MODELS["link-bound"], truth)["throughput_mbps"]
    table = {"mtu_bytes": mtu, "throughput_mbps": throughput}
    result = fit_nonlinear("link-bound", table, "throughput_mbps", ["link_rate_mbps"], resamples=0)
    assert result.estimates["link_rate_mbps"].value == pytest.approx(rate_mbps, rel=1e-6)
