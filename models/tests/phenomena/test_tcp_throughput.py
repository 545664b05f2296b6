# SPDX-License-Identifier: Apache-2.0
"""Zec et al. 2002, against the paper's own scenarios and an independent root finder."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.expr import FLOATS
from coalescope_models.phenomena.tcp_throughput import padhye_packet_rate_hz
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

MODEL = MODELS["tcp-coalescing-throughput"]
#: N and RTT_min [µs] of the measurements in the paper.
SCENARIOS = [(2, 1137.0), (1, 739.0), (2, 1696.0)]


def throughput(delay_us, nics, rtt_us, **more):
    values = {
        "delay_us": delay_us,
        "mtu_bytes": 1500,
        "coalescing_nics": nics,
        "rtt_min_us": rtt_us,
    }
    return evaluate(MODEL, {**values, **more})


def test_window_and_medium_of_the_paper():
    """16384-byte windows hold 11 segments of 1460 bytes; 100 Mb/s carries about 7500 packets/s."""
    outputs = throughput(0.0, 1, 739.0)
    assert outputs["window_packets"] == 11.0
    assert outputs["medium_packet_rate_hz"] == pytest.approx(7500.0, rel=1e-15)


@pytest.mark.parametrize(("nics", "rtt"), SCENARIOS)
def test_without_delay_it_is_window_over_round_trip(nics, rtt):
    """Eq. 10: min(W/RTT, B_max); W/RTT alone is beyond the medium at 0.739 and 1.137 ms."""
    outputs = throughput(0.0, nics, rtt)
    assert outputs["carried_packet_rate_hz"] == pytest.approx(min(11e6 / rtt, 7500.0), rel=1e-15)
    wide = throughput(0.0, nics, rtt, link_rate_mbps=10_000.0)
    assert wide["carried_packet_rate_hz"] == 11e6 / rtt


def root_of_equation_14(delay_s, nics, rtt_s, window, largest):
    """Solve B = W/(RTT + N T_d/2 (1 + B/B_max)) by bracketing, with 50 digits for the last steps.

    Nothing of the closed form is used: only eq. 14 as the paper states it.
    """

    def gap(rate):
        return rate * (rtt_s + nics * delay_s / 2 * (1 + rate / largest)) - window

    start = brentq(gap, 0.0, 2.0 * window / rtt_s, xtol=1e-300, rtol=1e-14)
    with localcontext() as context:
        context.prec = 50
        a = Decimal(nics) * Decimal(delay_s) / 2
        rate, top = Decimal(start), Decimal(largest)
        for _ in range(3):  # Newton; the equation is a smooth, increasing function of the rate
            value = rate * (Decimal(rtt_s) + a * (1 + rate / top)) - Decimal(window)
            rate -= value / (Decimal(rtt_s) + a * (1 + 2 * rate / top))
        return float(min(rate, top))


@pytest.mark.parametrize(("nics", "rtt"), SCENARIOS)
def test_against_an_independent_root_finder(nics, rtt):
    """1,000 delays for each scenario, from 10 ms down to where eq. 16 has cancelled away."""
    delays = np.concatenate(([0.0], np.logspace(-12, 4, 999)))
    # a medium that does not bound, so that the root itself is compared
    outputs = throughput(delays, nics, rtt, link_rate_mbps=1000.0)
    largest = float(outputs["medium_packet_rate_hz"][0])
    assert largest == pytest.approx(75_000.0)
    expected = [
        root_of_equation_14(delay * 1e-6, nics, rtt * 1e-6, 11, largest) for delay in delays
    ]
    np.testing.assert_allclose(outputs["carried_packet_rate_hz"], expected, rtol=1e-12)
    assert np.max(expected) < largest


def test_the_published_form_fails_that_comparison():
    """Negative control: eq. 16 as printed loses its digits as T_d → 0."""

    def published(delay, nics, rtt, window, largest):
        nt = nics * delay
        root = math.sqrt((nt + 2 * rtt) ** 2 + 8 * window * nt / largest)
        return largest * (root / (2 * nt) - rtt / nt - 0.5)

    exact = root_of_equation_14(1e-15, 2, 1137e-6, 11, 75_000.0)
    assert abs(published(1e-15, 2, 1137e-6, 11, 75_000.0) / exact - 1) > 1e-4
    assert published(1e-3, 2, 1137e-6, 11, 75_000.0) == pytest.approx(
        root_of_equation_14(1e-3, 2, 1137e-6, 11, 75_000.0), rel=1e-9
    )


@given(
    delay=st.floats(0.0, 1e5),
    nics=st.integers(0, 8),
    rtt=st.floats(1.0, 1e5),
    window=st.floats(0.0, 1e7),
    mtu=st.integers(68, 9000),
)
def test_the_result_solves_equation_14_or_is_the_medium(delay, nics, rtt, window, mtu):
    outputs = throughput(delay, nics, rtt, window_bytes=window, mtu_bytes=mtu)
    rate, largest = outputs["carried_packet_rate_hz"], outputs["medium_packet_rate_hz"]
    assert 0.0 <= rate <= largest
    round_trip = 1e-6 * (rtt + nics * delay / 2 * (1 + rate / largest))
    if rate < largest:
        assert rate * round_trip == pytest.approx(outputs["window_packets"], rel=1e-12)
    else:
        assert rate * round_trip <= outputs["window_packets"] * (1 + 1e-12)
    # (18): payload and frames of the same packets
    payload = min(mtu - 40, max(window, 1.0))
    assert outputs["goodput_mbps"] == pytest.approx(8e-6 * payload * rate, rel=1e-14)
    assert outputs["throughput_mbps"] == pytest.approx(8e-6 * (payload + 58) * rate, rel=1e-14)


@given(delay=st.floats(0.0, 1e4), more=st.floats(0.0, 1e4), nics=st.integers(0, 4))
def test_delay_never_raises_throughput(delay, more, nics):
    slower = throughput(delay + more, nics, 739.0)["carried_packet_rate_hz"]
    assert slower <= throughput(delay, nics, 739.0)["carried_packet_rate_hz"] * (1 + 1e-14)


@pytest.mark.parametrize("model", ["tcp-coalescing-throughput", "tcp-lossy-throughput"])
def test_a_window_smaller_than_a_segment_is_one_shorter_segment(model):
    """8 KB at MTU 9000: a window a round trip, as at any MTU that it fills."""
    values = {"delay_us": 0.0, "window_bytes": 8192.0, "rtt_min_us": 5000.0}
    jumbo = evaluate(MODELS[model], {**values, "mtu_bytes": 9000.0})
    filled = evaluate(MODELS[model], {**values, "mtu_bytes": 8232.0})
    assert jumbo["goodput_mbps"] == pytest.approx(filled["goodput_mbps"], rel=1e-12)
    if model == "tcp-coalescing-throughput":
        assert jumbo["goodput_mbps"] == pytest.approx(8.0 * 8192 / 5000)
        assert throughput(10.0, 1, 739.0, window_bytes=0.0)["goodput_mbps"] == 0.0


def test_the_captions_that_contradict_the_text_are_told():
    assert any("figures 6 and 7" in note for note in MODEL.notes)


def test_padhye_without_loss_is_window_over_round_trip():
    """Eq. 9 is eq. 8 at p = 0."""
    assert padhye_packet_rate_hz(11, 1e-3, 2, 1.0, 0.0, FLOATS) == pytest.approx(11e3)


@given(
    p=st.floats(1e-6, 0.9),
    rtt=st.floats(1e-3, 1.0),
    b=st.sampled_from([1, 2]),
    t0=st.floats(0.1, 3),
)
def test_padhye_is_equation_8(p, rtt, b, t0):
    window = 20
    timeouts = t0 * min(1.0, 3 * math.sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    expected = min(window / rtt, 1 / (rtt * math.sqrt(2 * b * p / 3) + timeouts))
    got = padhye_packet_rate_hz(window, rtt, b, t0, p, FLOATS)
    assert got == pytest.approx(expected, rel=1e-13)
