# SPDX-License-Identifier: Apache-2.0
"""Ends of the delay, for every model that has one: towards none, and without end."""

import math

import pytest
from coalescope_models.catalogue import MODELS, evaluate
from hypothesis import given, settings
from hypothesis import strategies as st

DELAYED = [model for model in MODELS.values() if "delay_us" in {q.name for q in model.inputs}]
#: Of a loop without any time of its own, or whose clients wait for no timer, there is no limit.
LEAST = {"idle_us": 1.0, "delay_waits": 0.1}
#: More of them cannot come of a longer delay; but a host whose CPU binds carries more with it.
RATES = ("throughput_mbps", "goodput_mbps", "rx_interrupt_rate_hz", "request_rate_hz")


def within_sliders(data, model):
    values = {q.name: data.draw(st.floats(*q.typical), q.name) for q in model.inputs}
    for p in model.parameters:
        whole = p.step >= 1.0 and p.name in ("moderation_kind", "connections", "clients")
        drawn = (
            st.integers(int(p.lo), int(p.hi))
            if whole
            else st.floats(max(p.lo, LEAST.get(p.name, p.lo)), p.hi)
        )
        values[p.name] = float(data.draw(drawn, p.name))
    return values


@pytest.mark.parametrize("model", DELAYED, ids=lambda model: model.id)
def test_a_delay_towards_none_has_a_limit(model):
    @settings(max_examples=40)
    @given(data=st.data())
    def check(data):
        values = within_sliders(data, model)
        small, smaller = (evaluate(model, {**values, "delay_us": d}) for d in (1e-12, 1e-15))
        for name, limit in smaller.items():
            assert math.isfinite(limit), name
            assert small[name] == pytest.approx(limit, rel=1e-6, abs=1e-6), name

    check()


@pytest.mark.parametrize("model", DELAYED, ids=lambda model: model.id)
def test_a_delay_without_end_stays_finite_and_raises_no_rate(model):
    @settings(max_examples=40)
    @given(data=st.data())
    def check(data):
        values = within_sliders(data, model)
        long, longer = (evaluate(model, {**values, "delay_us": d}) for d in (1e7, 1e9))
        assert all(math.isfinite(value) for value in longer.values())
        rates = set() if model.id.startswith("receive-") else set(RATES)
        for name in rates & longer.keys():
            assert longer[name] <= long[name] * (1 + 1e-9), name

    check()
