# SPDX-License-Identifier: Apache-2.0
"""The busiest receive queue, against flows that are hashed one by one."""

import numpy as np
import pytest
from coalescope_models import expected_busiest
from coalescope_models.catalogue import MODELS, evaluate
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

MODEL = MODELS["queue-imbalance"]


def exact_busiest(flows, queues):
    """Mean of the largest of a multinomial: Σ P(max > k).

    P(max ≤ k) is the coefficient of x^n in (Σ_{j ≤ k} e^-μ μ^j/j!)^q over that of a Poisson count.
    """
    mean, counts = flows / queues, np.arange(flows + 1)
    poisson = np.exp(-mean + counts * np.log(mean) - gammaln(counts + 1))
    all_of_them = np.exp(-flows + flows * np.log(flows) - gammaln(flows + 1))
    expected, most = 0.0, 0
    while most < flows:
        power, base, left = np.zeros(flows + 1), np.where(counts <= most, poisson, 0.0), queues
        power[0] = 1.0
        while left:
            if left % 2:
                power = np.convolve(power, base)[: flows + 1]
            base, left = np.convolve(base, base)[: flows + 1], left // 2
        below = power[flows] / all_of_them
        expected, most = expected + 1.0 - below, most + 1
        if 1.0 - below < 1e-9:
            break
    return expected


@pytest.mark.parametrize("queues", [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128])
def test_the_approximation_against_the_exact_mean(queues):
    for flows in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512):
        told = expected_busiest(float(flows), float(queues), 1.0 / queues, 0.0, 0.0, np)
        assert told == pytest.approx(exact_busiest(flows, queues), rel=0.05), flows


def hashed(flows, queues, entries, rng, count=3000):
    """Share of the busiest queue when a table of entries names queues in turn."""
    queue = (np.arange(entries) % queues)[rng.integers(entries, size=(count, flows))]
    rows = np.arange(count)[:, None] * queues
    loads = np.bincount((rows + queue).ravel(), minlength=count * queues).reshape(count, queues)
    return loads.max(axis=1).mean() / flows


def test_the_busiest_share_against_hashed_flows_at_random_points():
    """200 points and those at which the approximation is worst, with the errors that it states."""
    rng = np.random.default_rng(19)
    points = [np.exp(rng.uniform(0.0, np.log((3000.0, 128.9)))).astype(int) for _ in range(200)]
    for flows, queues in [*points, (372, 125), (129, 115), (2, 2)]:
        values = {"streams": float(flows), "mtu_bytes": 1500.0, "queues": float(queues)}
        found = evaluate(MODEL, values)
        share = hashed(flows, queues, 128, rng)
        stated = 0.05 if 128 % queues == 0 else 0.09
        assert found["busiest_queue_percent"] == pytest.approx(100.0 * share, rel=stated), values
        assert found["queue_imbalance"] == pytest.approx(queues * share, rel=stated)


def test_one_flow_has_one_queue_and_one_queue_has_all_flows():
    for more in ({"streams": 1.0, "queues": 32.0}, {"streams": 500.0, "queues": 1.0}):
        assert evaluate(MODEL, {"mtu_bytes": 1500.0, **more})["busiest_queue_percent"] == 100.0


def test_a_table_that_queues_do_not_divide_is_never_even():
    """48 queues in 128 entries: 32 queues have 3, 16 have 2, however many flows there are."""
    values = {"streams": 1e9, "mtu_bytes": 1500.0, "queues": 48.0}
    assert evaluate(MODEL, values)["queue_imbalance"] == pytest.approx(48 * 3 / 128, rel=1e-3)
    assert evaluate(MODEL, {**values, "queues": 64.0})["queue_imbalance"] == pytest.approx(
        1, rel=1e-3
    )
    # more queues than entries stay empty
    more = evaluate(MODEL, {**values, "queues": 256.0})
    assert more["queue_imbalance"] == pytest.approx(2.0, rel=1e-3)


@given(streams=st.floats(1.0, 1e6), queues=st.floats(1.0, 300.0), entries=st.floats(1.0, 4096.0))
def test_a_share_is_a_share_whatever_the_numbers(streams, queues, entries):
    values = {"streams": streams, "mtu_bytes": 1500.0, "queues": queues, "table_entries": entries}
    found = evaluate(MODEL, values)
    least = 100.0 / min(round(queues + 1e-9), round(entries + 1e-9), streams)
    assert 0.99 * least <= found["busiest_queue_percent"] <= 100.0 * (1 + 1e-9)


def test_throughput_ends_at_the_busiest_cpu():
    values = {"streams": 16.0, "mtu_bytes": 1500.0, "queues": 8.0, "byte_cost_ns": 0.0}
    found = evaluate(MODEL, {**values, "packet_cost_us": 1.0, "link_rate_mbps": 400_000.0})
    assert found["busiest_cpu_percent"] == pytest.approx(100.0)
    expected = 8.0 * 1518.0 / (0.01 * found["busiest_queue_percent"])
    assert found["throughput_mbps"] == pytest.approx(expected)
    # 4.2 of 16 flows in one of 8 queues: half of what eight CPUs could do
    assert found["throughput_mbps"] / (8.0 * 8.0 * 1518.0) == pytest.approx(0.476, rel=0.05)
