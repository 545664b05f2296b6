# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

import numpy as np
import pytest
from coalescope_models.catalogue import (
    MODELS,
    DomainError,
    MissingInputError,
    ModelError,
    UnknownModelError,
    UnknownNameError,
    evaluate,
    find,
)

LINK = MODELS["link-bound"]
TCP = MODELS["tcp-coalescing-throughput"]
# a fit may say that a cost is below zero
COSTS = {"alpha", "beta", "gamma", "system_cpu", "system_cpu_per_gb"}
PARTS = {"byte_cost_per_gb", "packet_cost_per_gb", "interrupt_cost_per_gb"}
MAY_BE_NEGATIVE = COSTS | PARTS


def test_the_ids():
    assert list(MODELS) == [
        "cpu-overhead",
        "cpu-overhead-surface",
        "cpu-overhead-open-loop",
        "link-bound",
        "timer-packets-per-interrupt",
        "bus-bound",
        "request-response",
        "tcp-coalescing-throughput",
        "tcp-lossy-throughput",
        "interrupt-livelock",
        "coalesced-interrupt-load",
        "end-system-costs",
        "napi-receive",
        "moderation-trade",
        "receive-open-loop",
        "receive-windowed",
        "receive-merging",
        "queue-imbalance",
        "wake-up-latency",
        "receive-energy",
        "receive-buffers",
        "throttle-poisson",
        "first-packet-timer-poisson",
        "usecs-or-frames-poisson",
        "usecs-or-frames-back-to-back",
        "deferred-interrupts",
        "suspended-interrupts",
        "ping-pong-throttle",
    ]
    assert all(MODELS[model_id].id == model_id == find(model_id).id for model_id in MODELS)


def test_each_has_tests_of_its_own():
    own = {path for path in Path(__file__).parent.rglob("test_*.py") if path != Path(__file__)}
    texts = "".join(path.read_text(encoding="utf-8") for path in own)
    assert [model_id for model_id in MODELS if f'"{model_id}"' not in texts] == []


def test_an_unknown_model_is_a_clear_error():
    with pytest.raises(
        UnknownModelError, match="no model 'cpu'; there are cpu-overhead, "
    ) as error:
        find("cpu")
    assert isinstance(error.value, KeyError)
    assert not str(error.value).startswith('"')


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_each_model_is_well_formed(model):
    assert model.graph is model.graph
    assert model.graph.inputs == model.names
    assert list(model.graph.outputs) == [quantity.name for quantity in model.outputs]
    assert set(model.axes) <= set(model.names)
    assert set(model.named) <= {quantity.name for quantity in model.outputs}
    assert len(set(model.names)) == len(model.names)
    assert model.summary.endswith(".")
    assert all(note.endswith(".") for note in model.notes)
    for quantity in model.inputs:
        assert quantity.typical is not None
    for parameter in model.parameters:
        assert parameter.lo <= parameter.default <= parameter.hi
        assert parameter.quantity.contains(parameter.lo)
        assert parameter.quantity.contains(parameter.hi)
        assert 0.0 < parameter.step <= (parameter.hi - parameter.lo) / 5
    if model.linear_fit is not None:
        assert {q.name for q in model.inputs} >= set(model.linear_fit.columns)
        assert {p.name for p in model.parameters} >= set(model.linear_fit.parameters)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_each_model_is_documented(model):
    assert model.use.endswith(".")
    assert model.use != model.summary
    for sentences in (model.assumptions, model.limits):
        assert len(sentences) >= 2, "two assumptions and two limits at least"
        assert all(len(words) > 20 and words.endswith(".") for words in sentences)
    # where in the paper, unless it is a message without sections
    assert model.id in ("moderation-trade", "receive-buffers") or re.search(
        "eq[.]|section|figure|“", model.citation
    )
    for quantity in (*model.inputs, *(p.quantity for p in model.parameters), *model.outputs):
        assert quantity.label and quantity.symbol and quantity.description.endswith(".")
        assert quantity.domain != (None, None) or quantity.name in MAY_BE_NEGATIVE


def test_the_default_unit_of_a_parameter_is_that_of_its_fit():
    model = MODELS["cpu-overhead"]
    units = dict(zip(model.linear_fit.parameters, model.linear_fit.units("jiffies"), strict=True))
    assert units == {p.name: p.quantity.unit for p in model.parameters}


def test_parameters_default_and_inputs_do_not():
    assert evaluate(LINK, {"mtu_bytes": 1500})["throughput_mbps"] == pytest.approx(
        1518 / 1538 * 1000
    )
    assert evaluate(LINK, {"mtu_bytes": 1500, "link_rate_mbps": 100})["throughput_mbps"] == (
        pytest.approx(1518 / 1538 * 100)
    )
    with pytest.raises(MissingInputError, match="link-bound needs a value for mtu_bytes"):
        evaluate(LINK, {})


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownNameError, match=r"'mtu'; it has mtu_bytes, link_rate_mbps") as error:
        evaluate(LINK, {"mtu": 1500})
    assert error.value.name == "mtu"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mtu_bytes": 67}, "mtu_bytes must be between 68 and 65536 bytes"),
        ({"mtu_bytes": np.array([1500, 70_000])}, "between 68 and 65536"),
        ({"mtu_bytes": np.array([[1500], [0]])}, "between 68 and 65536"),
        ({"mtu_bytes": 1500, "link_rate_mbps": -1.0}, "link_rate_mbps must be at least 0 Mb/s"),
    ],
)
def test_values_outside_the_domain_are_refused(values, words):
    with pytest.raises(DomainError, match=words):
        evaluate(LINK, values)


@pytest.mark.parametrize("value", ["1500", None, True, [1500.0], 1j])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ModelError, match="mtu_bytes must be a number"):
        evaluate(LINK, {"mtu_bytes": value})


def test_the_domain_itself_is_accepted():
    for mtu in (68, 65536, np.float64(68), np.int64(65536), np.array([68, 65536])):
        evaluate(LINK, {"mtu_bytes": mtu})


def test_not_known_stays_not_known():
    assert np.isnan(evaluate(LINK, {"mtu_bytes": float("nan")})["throughput_mbps"])
    got = evaluate(LINK, {"mtu_bytes": np.array([1500.0, np.nan])})["throughput_mbps"]
    assert list(np.isnan(got)) == [False, True]


def test_floats_give_floats_and_arrays_give_the_broadcast_shape():
    floats = evaluate(TCP, {"delay_us": 10, "mtu_bytes": np.float64(1500)})
    assert {type(value) for value in floats.values()} == {float}
    arrays = evaluate(TCP, {"delay_us": np.arange(3), "mtu_bytes": np.array([[1500], [9000]])})
    assert {value.shape for value in arrays.values()} == {(2, 3)}
    assert {value.dtype for value in arrays.values()} == {np.dtype(float)}
    # an output that does not depend on what varies still has its shape
    byte_cost = evaluate(
        MODELS["cpu-overhead-open-loop"], {"delay_us": np.arange(3), "mtu_bytes": 1500}
    )["byte_cost_per_gb"]
    assert byte_cost.tolist() == pytest.approx([812.997] * 3)
    one = evaluate(TCP, {"delay_us": np.array(10.0), "mtu_bytes": 1500})["goodput_mbps"]
    assert one == pytest.approx(floats["goodput_mbps"])


def test_division_by_zero_is_infinite_everywhere():
    surface = MODELS["cpu-overhead-surface"]
    values = {"mtu_bytes": 1500, "packets_per_interrupt": 0.0, "packet_fill": 1.0}
    assert evaluate(surface, values)["interrupt_cost_per_gb"] == float("inf")
    arrays = evaluate(surface, {**values, "packets_per_interrupt": np.array([0.0, 1.0])})
    assert arrays["interrupt_cost_per_gb"][0] == float("inf")
