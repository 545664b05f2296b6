# SPDX-License-Identifier: Apache-2.0
"""What keeps a division from dividing by zero is no number: no output may be made of it."""

import math
from dataclasses import replace

import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.expr import Graph, trace
from hypothesis import example, given, settings
from hypothesis import strategies as st

#: No quantity of a model is so small by itself: a constant below it, in a sum or as an end, is one.
SMALL = 1e-6
NAPI, WAKING = MODELS["napi-receive"], MODELS["wake-up-latency"]
SUSPENDED = MODELS["suspended-interrupts"]


def with_other_guards(graph, factor):
    """The same graph, each of its guards another number."""
    used = {
        argument
        for node in graph.nodes
        if node.op in ("minimum", "maximum", "add", "sub")
        for argument in node.args
    }
    nodes = tuple(
        replace(node, value=factor * node.value)
        if index in used and node.op == "const" and 0.0 < abs(node.value) < SMALL
        else node
        for index, node in enumerate(graph.nodes)
    )
    return Graph(graph.inputs, nodes, graph.outputs)


def anywhere(model):
    """Points within the sliders, their ends more often than what is between."""
    ranges = {q.name: (*q.typical, 0.0) for q in model.inputs}
    ranges |= {p.name: (p.lo, p.hi, p.step) for p in model.parameters}
    return st.fixed_dictionaries({name: within(*own) for name, own in ranges.items()})


def within(lo, hi, step):
    inner = st.integers(int(lo), int(hi)).map(float) if step >= 1.0 else st.floats(lo, hi)
    return st.sampled_from([float(lo), float(hi)]) | inner


def made_of_a_guard(graph, guarded, values):
    """Outputs that differ with the guards. Rounding aside, a guard may only choose a limit."""
    told, other = graph.evaluate(values), guarded.evaluate(values)
    return [
        name
        for name, value in told.items()
        if math.isfinite(value) and not math.isclose(value, other[name], rel_tol=1e-4, abs_tol=1e-6)
    ]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_no_output_is_made_of_a_guard(model):
    other = with_other_guards(model.graph, 100.0)
    if other == model.graph:
        return  # it has none

    @settings(max_examples=100)
    @given(values=anywhere(model))
    def check(values):
        assert made_of_a_guard(model.graph, other, values) == []

    check()


def test_an_output_that_is_made_of_a_guard_is_found():
    """The control: packets per interrupt as they were."""

    def guarded(load, xp):
        return {"packets": load / xp.maximum(1.0 - load, 1e-12), "load": load}

    graph = trace(guarded, ("load",))
    other = with_other_guards(graph, 100.0)
    assert made_of_a_guard(graph, other, {"load": 1.0}) == ["packets"]
    assert made_of_a_guard(graph, other, {"load": 0.5}) == []


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_outputs_are_within_their_domains_or_not_known(model):
    @settings(max_examples=50)
    @given(values=anywhere(model))
    def check(values):
        found = evaluate(model, values)
        for quantity in model.outputs:
            value = found[quantity.name]
            lo, hi = quantity.domain
            if not math.isnan(value):
                assert lo is None or value >= lo - 1e-9 * max(1.0, abs(lo)), quantity.name
                assert hi is None or value <= hi * (1 + 1e-9), quantity.name

    check()


@pytest.mark.parametrize("poll_cost_us", [0.0, 1.0])
def test_a_host_that_only_polls_has_no_packets_per_interrupt(poll_cost_us):
    values = {"napi_weight": 64.0, "frame_bytes": 64.0, "poll_cost_us": poll_cost_us}
    full = evaluate(NAPI, values)
    assert full["drop_percent"] > 50.0
    assert full["rx_interrupt_rate_hz"] == 0.0
    assert math.isnan(full["packets_per_interrupt"])
    assert all(math.isfinite(v) for n, v in full.items() if n != "packets_per_interrupt")
    easy = evaluate(NAPI, {**values, "packet_cost_us": 0.1})
    carried = easy["packets_per_interrupt"] * easy["rx_interrupt_rate_hz"]
    assert carried == pytest.approx(easy["carried_packet_rate_hz"])


@given(load=st.floats(0.0, 1.0), cost_us=st.floats(0.0, 20.0))
@example(load=1.0, cost_us=0.672)
def test_interrupts_never_bring_packets_that_did_not_come(load, cost_us):
    values = {"napi_weight": 64.0, "frame_bytes": 64.0, "packet_cost_us": cost_us}
    free = {"link_load": load, "poll_cost_us": 0.0, "interrupt_cost_us": 0.0}
    found = evaluate(NAPI, {**values, **free})
    assert found["rx_interrupt_rate_hz"] <= found["carried_packet_rate_hz"] * (1 + 1e-12)
    assert math.isfinite(found["system_cpu_percent"])
    assert found["drop_percent"] >= 0.0


def test_a_cpu_that_hardly_ever_sleeps_deep_waits_no_less_than_nothing():
    """1 + a - b, of which nothing was left, put the mean wait at -0.1 µs, or at no number."""
    values = {"delay_us": 640.0, "shallow_exit_us": 50.0, "deep_exit_us": 0.0}
    values |= {"deep_residency_us": 600.0, "interrupt_cost_us": 0.0, "link_exit_us": 0.0}
    for rate in (50_000.0, 57_000.0):
        found = evaluate(WAKING, {**values, "packet_rate_hz": rate})
        assert found["deep_wake_percent"] == pytest.approx(100.0)
        assert found["wake_latency_us"] == pytest.approx(0.0, abs=1e-9)


def test_what_moderation_adds_to_a_queue_that_never_empties_is_not_known():
    values = {"gro_flush_timeout_us": 20.0, "packet_cost_us": 2.0}
    steady = evaluate(SUSPENDED, {**values, "packet_rate_hz": 400_000.0})
    assert all(math.isfinite(value) for value in steady.values())
    full = evaluate(SUSPENDED, {**values, "packet_rate_hz": 600_000.0})
    assert full["busy_poll_share"] == 1.0
    assert full["timer_share"] == full["rx_interrupt_rate_hz"] == 0.0
    assert {name for name, value in full.items() if math.isnan(value)} == {
        name for name in full if name.startswith("added_latency")
    }
