# SPDX-License-Identifier: Apache-2.0
"""Interrupt cost, polling, end systems, moderation bounds and the bus, against what was printed."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.phenomena.tcp_throughput import padhye_packet_rate_hz
from hypothesis import given
from hypothesis import strategies as st

LIVELOCK = MODELS["interrupt-livelock"]
LOAD = MODELS["coalesced-interrupt-load"]
ENDS = MODELS["end-system-costs"]
NAPI = MODELS["napi-receive"]
MODERATION = MODELS["moderation-trade"]
BUS = MODELS["bus-bound"]
LOSSY, LOSSLESS = MODELS["tcp-lossy-throughput"], MODELS["tcp-coalescing-throughput"]

# Zec et al. 2002


def test_livelock_near_180_000_interrupts_a_second():
    found = evaluate(LIVELOCK, {"interrupt_rate_hz": np.array([90e3, 179e3, 250e3])})
    assert found["livelock_rate_hz"][0] == pytest.approx(180e3, rel=1e-3)
    assert found["system_cpu_percent"] == pytest.approx([50.0, 99.5, 100.0], abs=0.1)


def test_the_four_variants_differ_as_figure_1_orders_them():
    """A register read and the cascaded controller each make it slower."""

    def rate(reads, cascaded):
        values = {"interrupt_rate_hz": 1.0, "register_reads": reads, "cascaded": cascaded}
        return evaluate(LIVELOCK, values)["livelock_rate_hz"]

    assert rate(0, 0) > rate(0, 1) > rate(1, 1)
    assert rate(0, 0) > rate(1, 0) > rate(1, 1)


@given(rate=st.floats(1.0, 2e5), delay=st.floats(0.0, 1e4))
def test_load_limits(rate, delay):
    found = evaluate(LOAD, {"packet_rate_hz": rate, "delay_us": delay})
    assert found["packets_per_interrupt"] == pytest.approx(1 + rate * delay / 1e6)
    assert found["rx_interrupt_rate_hz"] <= rate * (1 + 1e-12)
    assert found["rx_interrupt_rate_hz"] * delay <= 1e6 * (1 + 1e-12)
    assert 0.0 <= found["system_cpu_percent"] <= 100.0
    if delay == 0.0:
        assert found["added_latency_us"] == 0.0


def test_polling_wins_at_high_rates_and_loses_at_low_ones():
    found = evaluate(LOAD, {"packet_rate_hz": np.array([10.0, 50e3]), "delay_us": 0.0})
    assert found["polling_cpu_percent"][0] > found["system_cpu_percent"][0]
    assert found["polling_cpu_percent"][1] < found["system_cpu_percent"][1]


@given(delay=st.floats(0.0, 5000.0), window=st.floats(4096.0, 262144.0))
def test_without_loss_it_is_the_loss_free_model(delay, window):
    values = {"delay_us": delay, "mtu_bytes": 1500.0, "window_bytes": window}
    lossy = evaluate(LOSSY, {**values, "loss_percent": 0.0})
    lossless = evaluate(LOSSLESS, values)
    assert lossy["throughput_mbps"] == pytest.approx(lossless["throughput_mbps"], rel=1e-9)


@given(loss=st.floats(0.01, 5.0), more=st.floats(0.01, 5.0), delay=st.floats(0.0, 5000.0))
def test_more_loss_is_never_faster(loss, more, delay):
    values = {"delay_us": delay, "mtu_bytes": 1500.0}
    a, b = (evaluate(LOSSY, {**values, "loss_percent": p}) for p in (loss, loss + more))
    assert b["throughput_mbps"] <= a["throughput_mbps"] * (1 + 1e-12)


def test_the_full_formula_by_hand():
    """Padhye et al. 2000 at p = 1 %, b = 2, T0 = 1 s, RTT = 100 ms, no window limit."""
    p, b, t0, rtt = 0.01, 2.0, 1.0, 0.1
    expected = 1 / (
        rtt * np.sqrt(2 * b * p / 3)
        + t0 * min(1, 3 * np.sqrt(3 * b * p / 8)) * p * (1 + 32 * p * p)
    )
    assert padhye_packet_rate_hz(1e9, rtt, b, t0, p, np) == pytest.approx(expected)


# Chase et al. 1999


def test_receivers_saturate_near_300_at_mtu_1500():
    found = evaluate(ENDS, {"mtu_bytes": 1500.0})
    assert found["throughput_mbps"] == pytest.approx(300.0, rel=0.03)
    assert found["system_cpu_percent"] == pytest.approx(100.0)


def test_an_adapter_that_binds_at_313():
    """Miata with the LANai-4: 313 Mb/s is what its processor handles, not the host."""
    rate = 313e6 / (8 * 1518)
    values = {"mtu_bytes": 1500.0, "copies": 0.0, "checksums": 0.0, "adapter_packet_rate_hz": rate}
    found = evaluate(ENDS, values)
    assert found["throughput_mbps"] == pytest.approx(313.0)
    assert found["system_cpu_percent"] < 100.0


def test_large_packets_without_copies_leave_the_cpu_free():
    """Monet: 90 % at MTU 1500 (410 Mb/s), below 30 % with 8 KB, zero-copy and offload at 956 Mb/s.

    Page remapping needs whole pages, so what MTU 1500 pays more for a packet is its copy.
    """
    host = {"checksums": 0.0, "packet_cost_us": 12.0, "interrupt_cost_us": 8.0}
    small = {"mtu_bytes": 1500.0, "copy_cost_ns": 4.4, "adapter_packet_rate_hz": 410e6 / 8 / 1518}
    assert evaluate(ENDS, {**host, **small})["system_cpu_percent"] == pytest.approx(90.0, abs=1.0)
    large = {"mtu_bytes": 8192.0, "copies": 0.0, "adapter_packet_rate_hz": 956e6 / 8 / 8210}
    found = evaluate(ENDS, {**host, **large})
    assert found["throughput_mbps"] == pytest.approx(956.0)
    assert found["system_cpu_percent"] < 30.0


@given(mtu=st.floats(576.0, 60000.0), more=st.floats(1.0, 5000.0))
def test_larger_packets_and_fewer_touches_never_cost_more(mtu, more):
    a, b = (evaluate(ENDS, {"mtu_bytes": m}) for m in (mtu, min(mtu + more, 65536.0)))
    assert b["throughput_mbps"] >= a["throughput_mbps"] * (1 - 1e-12)
    zero_copy = evaluate(ENDS, {"mtu_bytes": mtu, "copies": 0.0})
    assert zero_copy["cpu_limited_throughput_mbps"] >= a["cpu_limited_throughput_mbps"]
    assert a["sender_cpu_percent"] <= a["system_cpu_percent"] * (1 + 1e-12)


# Ronciak et al. 2005


def test_a_fast_processor_bounces_between_polling_and_interrupts():
    """Polls faster than packets come: one interrupt a packet, as the study warns."""
    values = {"napi_weight": 64.0, "frame_bytes": 1518.0}
    bouncing = evaluate(NAPI, {**values, "packet_cost_us": 0.2, "interrupt_cost_us": 0.5})
    assert bouncing["packets_per_interrupt"] == 1.0
    loaded = evaluate(NAPI, {**values, "packet_cost_us": 11.0})
    assert loaded["packets_per_interrupt"] > 2.0


def test_lower_weights_leave_the_ring_more_slack_and_cost_more_polls():
    found = evaluate(
        NAPI,
        {"napi_weight": np.array([8.0, 32.0, 64.0]), "frame_bytes": 256.0, "packet_cost_us": 2.0},
    )
    assert np.all(np.diff(found["ring_slack_us"]) < 0.0)
    assert np.all(np.diff(found["system_cpu_percent"]) <= 0.0)


def test_queues_carry_what_one_cannot():
    values = {"napi_weight": 64.0, "frame_bytes": 64.0, "packet_cost_us": 2.0}
    one, four = (evaluate(NAPI, {**values, "queues": q}) for q in (1.0, 4.0))
    assert one["drop_percent"] > 50.0
    assert four["drop_percent"] == pytest.approx(0.0, abs=1e-9)


@given(weight=st.floats(1.0, 64.0), frame=st.floats(64.0, 9018.0), load=st.floats(0.01, 1.0))
def test_polling_never_delivers_more_than_is_offered(weight, frame, load):
    found = evaluate(NAPI, {"napi_weight": weight, "frame_bytes": frame, "link_load": load})
    offered = load * 1e9 / (8 * (frame + 20))
    assert found["carried_packet_rate_hz"] <= offered * (1 + 1e-12)
    assert 0.0 <= found["drop_percent"] <= 100.0
    assert found["system_cpu_percent"] <= 100.0 * (1 + 1e-9)


def test_nothing_that_is_offered_is_nothing_dropped():
    values = {"napi_weight": 64.0, "frame_bytes": 64.0}
    assert evaluate(NAPI, {**values, "link_load": 0.0})["drop_percent"] == 0.0
    assert evaluate(NAPI, {**values, "link_load": 1e-300})["drop_percent"] == 0.0


def test_a_ring_that_nothing_comes_to_lasts_for_ever():
    values = {"napi_weight": 64.0, "frame_bytes": 64.0, "link_load": 0.0}
    assert evaluate(NAPI, values)["ring_slack_us"] == np.inf


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.id)
def test_guards_against_division_by_zero_leave_no_enormous_number(model):
    """Where an input is zero, an output is a size that exists, infinite, or not known."""
    point = {q.name: 0.7 * q.typical[0] + 0.3 * q.typical[1] for q in model.inputs}
    zeros = [q for q in (*model.inputs, *map(model.quantity, model.defaults)) if q.contains(0.0)]
    for quantity in zeros:
        for name, value in evaluate(model, {**point, quantity.name: 0.0}).items():
            assert not np.isfinite(value) or abs(value) < 1e15, (quantity.name, name, value)


# Dillon 2004


@pytest.mark.parametrize(
    ("load", "expected"),
    [(1.9e6 * 672 / 1e9, 237.5), (672 / 512, 244.1), (1.0, 186.0)],
)
def test_the_three_counts_of_the_ring(load, expected):
    values = {"moderation_rate_hz": 8000.0, "frame_bytes": 64.0}
    scaled = evaluate(MODERATION, {**values, "link_rate_mbps": 1000.0 * load, "link_load": 1.0})
    assert scaled["packets_per_interrupt"] == pytest.approx(expected, abs=0.05)


def test_moderation_adds_at_most_one_interval_a_host():
    found = evaluate(MODERATION, {"moderation_rate_hz": 8000.0, "frame_bytes": 64.0})
    assert found["added_latency_us"] == 125.0


@pytest.mark.parametrize(("rate", "ping_ms"), [(100e3, 0.061), (30e3, 0.078), (8e3, 0.176)])
def test_pings_of_the_message(rate, ping_ms):
    """0.057 ms without, and half an interval at each of two hosts: within 8 µs of what he saw."""
    found = evaluate(MODERATION, {"moderation_rate_hz": rate, "frame_bytes": 64.0})
    assert found["latency_us"] == pytest.approx(1000 * ping_ms, abs=13.0)


@pytest.mark.parametrize(
    ("rate", "idle"), [(8e3, 66), (10e3, 60), (20e3, 35), (30e3, 7), (100e3, 2)]
)
def test_idle_times_of_the_message(rate, idle):
    """Two costs, set by two of the five points."""
    found = evaluate(MODERATION, {"moderation_rate_hz": rate, "frame_bytes": 1518.0})
    assert found["idle_cpu_percent"] == pytest.approx(idle, abs=3.0)


def test_flow_control_turns_overflow_into_waiting():
    values = {"moderation_rate_hz": 4000.0, "frame_bytes": 64.0, "link_load": 1.0}
    with_pause, without = (evaluate(MODERATION, {**values, "flow_control": f}) for f in (1.0, 0.0))
    assert with_pause["drop_percent"] == 0.0
    assert without["drop_percent"] > 25.0
    assert without["packets_per_interrupt"] == 256.0


# The bus of the 2005 study


def test_the_bus_is_marginally_fast_enough():
    found = evaluate(BUS, {"mtu_bytes": np.array([1500.0, 6000.0])})
    assert found["bus_peak_mbps"][0] == pytest.approx(1066.7, abs=0.1)
    assert np.all(found["bus_throughput_mbps"] < found["bus_peak_mbps"])
    assert np.all(found["bus_throughput_mbps"] > 0.85 * found["bus_peak_mbps"])


@given(mtu=st.floats(576.0, 9000.0), overhead=st.floats(0.0, 32.0), more=st.floats(0.0, 32.0))
def test_overhead_never_helps(mtu, overhead, more):
    a, b = (
        evaluate(BUS, {"mtu_bytes": mtu, "burst_overhead_clocks": o})
        for o in (overhead, min(overhead + more, 1e3))
    )
    assert b["bus_throughput_mbps"] <= a["bus_throughput_mbps"] * (1 + 1e-12)
