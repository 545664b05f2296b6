# SPDX-License-Identifier: Apache-2.0
"""The composed predictor against its parts, the published knees, and its own limits."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.phenomena.receive_path import BUS, CPU, LINK, OFFER, WINDOW
from coalescope_models.vocabulary.following import TICK_US
from coalescope_models.vocabulary.quantity import QUANTITIES
from hypothesis import given
from hypothesis import strategies as st

OPEN, WINDOWED = MODELS["receive-open-loop"], MODELS["receive-windowed"]
CHEAP = {
    **{"byte_cost_ns": 0.1, "packet_cost_us": 0.1, "interrupt_cost_us": 0.1},
    "system_call_cost_us": 0.0,
}


def predict(model, delay=0.0, mtu=1500.0, **more):
    return evaluate(model, {"delay_us": delay, "mtu_bytes": mtu, **more})


def drawn(model, data):
    return {p.name: data.draw(st.floats(p.lo, p.hi), label=p.name) for p in model.parameters}


@pytest.mark.parametrize(
    ("mtu", "bound"), [(1500, 987.0), (3000, 993.4), (4500, 995.6), (6000, 996.7)]
)
@pytest.mark.parametrize("model", [OPEN, WINDOWED], ids=lambda m: m.id)
def test_a_host_that_can_afford_it_reaches_the_link_bound(model, mtu, bound):
    found = predict(model, 100.0, mtu, **CHEAP)
    assert round(found["throughput_mbps"], 1) == bound
    assert found["binding_constraint"] == LINK
    assert found.get("drop_percent", 0.0) == 0.0


@pytest.mark.parametrize(
    ("change", "binding"),
    [
        ({"offered_mbps": 500.0}, OFFER),
        ({"bus_rate_mbps": 800.0}, BUS),
        ({"packet_cost_us": 20.0}, CPU),
    ],
)
def test_what_binds_a_stream_is_named(change, binding):
    found = predict(OPEN, 100.0, **{**CHEAP, **change})
    assert found["binding_constraint"] == binding
    assert QUANTITIES["binding_constraint"].meaning(binding)


def test_ten_windows_bind_beyond_the_delay_at_which_the_study_saw_them():
    """Geist et al. 2005: at MTU 6000, throughput decays from 2000; PPI bounded beyond 3000."""
    delays = np.array([640.0, 1600, 2000, 3000, 5000]) * TICK_US
    found = predict(WINDOWED, delays, 6000.0)
    assert list(found["binding_constraint"]) == [LINK, LINK, LINK, WINDOW, WINDOW]
    assert found["packets_per_interrupt"][-2:].tolist() == [50.0, 50.0]
    assert found["throughput_mbps"][-1] < 0.6 * found["throughput_mbps"][0]


def test_windows_follow_zec_where_nothing_else_binds():
    zec = MODELS["tcp-coalescing-throughput"]
    shared = {"delay_us": np.linspace(0.0, 5000.0, 21), "mtu_bytes": 1500.0}
    path = {"window_bytes": 16384.0, "rtt_min_us": 739.0, "link_rate_mbps": 100.0}
    expected = evaluate(zec, {**shared, **path, "medium_efficiency": 1.0})
    found = evaluate(WINDOWED, {**shared, **path, **CHEAP, "connections": 1.0})
    np.testing.assert_allclose(found["throughput_mbps"], expected["throughput_mbps"], rtol=1e-12)


def test_a_window_below_a_segment_carries_the_window_and_no_more():
    path = {"window_bytes": 8192.0, "rtt_min_us": 5000.0, "connections": 1.0, **CHEAP}
    found = predict(WINDOWED, 0.0, 9000.0, **path)
    assert found["throughput_mbps"] == pytest.approx(8.0 * (8192 + 58) / 5000)


@pytest.mark.parametrize(
    ("kind", "packets", "wait"),
    [
        (0.0, 1.0, 0.0),
        (1.0, 1 + 80, None),  # 79.9 gaps, and the frame under way
        (2.0, 256.0, None),
        (3.0, 1 + 80, None),
        (4.0, 983.04 / 12.304, None),
        (5.0, 983.04 / 12.304, None),
    ],
)
def test_packets_per_interrupt_of_each_moderation(kind, packets, wait):
    found = predict(OPEN, 960 * TICK_US, moderation_kind=kind, **CHEAP)
    assert found["packets_per_interrupt"] == pytest.approx(packets)
    if wait is not None:
        assert found["added_latency_us"] == wait


@pytest.mark.parametrize("mtu", [1500.0, 3000.0, 4500.0, 6000.0])
def test_the_frame_under_way_is_completed(mtu):
    """Geist et al. 2005: 2.000 packets an interrupt at a delay of 10, whatever the MTU."""
    found = predict(OPEN, 10 * TICK_US, mtu, **CHEAP)
    assert found["packets_per_interrupt"] == pytest.approx(2.0, abs=5e-4)
    timer = evaluate(MODELS["timer-packets-per-interrupt"], {"delay_us": 983.04, "mtu_bytes": mtu})
    found = predict(OPEN, 983.04, mtu, **CHEAP)
    assert found["packets_per_interrupt"] == pytest.approx(timer["packets_per_interrupt"])


def slots(load, frame_us, delay_us, interrupts, rng):
    """Packets of each interrupt, where each frame time brings one with the same probability."""
    brought = rng.random(interrupts * (1 + round(2 * (delay_us + frame_us) / frame_us / load)))
    packets, at, counts = np.flatnonzero(brought < load), 0, []
    while at < len(packets) and len(counts) < interrupts:
        # the timer starts at the end of a frame; one that is under way at its end belongs to it
        until = packets[at] + int(np.ceil(delay_us / frame_us))
        after = int(np.searchsorted(packets, until, side="right"))
        counts.append(after - at)
        at = after
    return np.array(counts)


@pytest.mark.parametrize("delay", [10.24, 100.0, 400.0])
@pytest.mark.parametrize("load", [0.2, 0.5, 1.0])
def test_packets_per_interrupt_against_frames_played_one_by_one(load, delay):
    found = predict(OPEN, delay, **CHEAP, offered_mbps=load * 987.0)
    counts = slots(load, 12.304, delay, 4000, np.random.default_rng(5))
    error = 4.0 * counts.std() / np.sqrt(len(counts)) + 1e-3 * counts.mean()
    assert len(counts) == 4000
    assert abs(counts.mean() - found["packets_per_interrupt"]) <= error


def test_interrupts_go_before_packets_down_to_a_livelock():
    """Every packet interrupts, 10 µs each and 5 µs of its own: of 1 s, offers take ever more."""
    costs = {"byte_cost_ns": 0.0, "packet_cost_us": 5.0, "interrupt_cost_us": 10.0}
    rates = np.array([50e3, 66e3, 80e3, 90e3, 100e3, 200e3])
    found = predict(
        OPEN,
        moderation_kind=0.0,
        system_call_cost_us=0.0,
        link_rate_mbps=10_000.0,
        offered_mbps=rates * 8 * 1518 / 1e6,
        **costs,
    )
    expected = [50e3, 66e3, (1e6 - 800e3) / 5, (1e6 - 900e3) / 5, 0.0, 0.0]
    np.testing.assert_allclose(found["carried_packet_rate_hz"], expected, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(found["rx_interrupt_rate_hz"], np.minimum(rates, 100e3), rtol=1e-9)
    np.testing.assert_allclose(found["system_cpu_percent"], [75, 99, 100, 100, 100, 100])
    assert found["drop_percent"][-1] == 100.0
    assert found["binding_constraint"].tolist()[2:] == [CPU] * 4


@pytest.mark.parametrize("kind", [2.0, 3.0])
def test_a_packet_timer_shorter_than_the_gap_interrupts_for_each(kind):
    """facts of the 8254x: below 12.3 µs at MTU 1500 every packet interrupts, RADV has no effect."""
    found = predict(OPEN, 1e3, moderation_kind=kind, packet_delay_us=12.2, **CHEAP)
    assert found["packets_per_interrupt"] == 1.0
    assert found["added_latency_us"] == pytest.approx(12.2)


def test_windows_wait_for_the_timer_that_is_there():
    """A packet timer by itself knows no absolute delay; one below the gap makes it of no effect."""
    alone = [predict(WINDOWED, d, moderation_kind=2.0, packet_delay_us=500.0) for d in (10.0, 5e3)]
    assert alone[0] == alone[1]
    short = predict(WINDOWED, 1e4, moderation_kind=3.0, packet_delay_us=5.0, **CHEAP)
    assert short["binding_constraint"] == 0.0


def packets_a_second(window, gap_us, rtt_us, pause_us, ring):
    """Play a packet timer: all that came is let go when no packet came for a pause, or the ring
    is full; each then comes again a round trip later, one behind the other."""
    coming, waiting, line_us, now, count = [0.0] * window, 0, 0.0, 0.0, 0
    coming = [k * gap_us for k in range(window)]
    while now < 400 * (rtt_us + pause_us + window * gap_us):
        if waiting and (waiting == ring or not coming or coming[0] > now + pause_us):
            now += 0.0 if waiting == ring else pause_us
            for _ in range(waiting):
                line_us = max(now + rtt_us, line_us + gap_us)
                coming.append(line_us)
            count, waiting = count + waiting, 0
        else:
            now, waiting = max(now, coming.pop(0)), waiting + 1
    return 1e6 * count / now


@pytest.mark.parametrize(
    ("window", "pause", "ring"), [(20, 500.0, 256), (20, 5.0, 256), (200, 50.0, 64), (8, 1e3, 4)]
)
def test_a_packet_timer_by_itself_against_packets_played_one_by_one(window, pause, ring):
    found = predict(
        WINDOWED,
        0.0,
        moderation_kind=2.0,
        packet_delay_us=pause,
        rtt_min_us=100.0,
        connections=1.0,
        window_bytes=window * 1460.0,
        ring_descriptors=float(ring),
        **CHEAP,
    )
    played = packets_a_second(window, 12.304, 100.0, pause, ring)
    assert found["carried_packet_rate_hz"] == pytest.approx(
        played, rel=0.05 if ring >= window else 0.3
    )
    if ring >= window and pause > 12.304:
        assert found["packets_per_interrupt"] == window


def test_the_leading_edge_of_the_emulated_device_at_delay_20():
    """A window of 20.48 µs and packets 12.304 µs apart: 1.664 packets an interrupt."""
    found = predict(OPEN, 20 * TICK_US, moderation_kind=5.0, **CHEAP)
    assert found["packets_per_interrupt"] == pytest.approx(1.664, abs=1e-3)


@pytest.mark.parametrize(("mtu", "most_hz"), [(1500, 7812.5), (9000, 7812.5)])
def test_the_shortest_window_of_the_emulated_device_bounds_interrupts(mtu, most_hz):
    """QEMU's 82540EM: a window is 500 × 256 ns at least, 128 µs."""
    found = predict(OPEN, 500 * 0.256, mtu, moderation_kind=5.0, **CHEAP)
    assert found["rx_interrupt_rate_hz"] == pytest.approx(most_hz)


@given(data=st.data(), delay=st.floats(0.0, 1e4), mtu=st.floats(576.0, 9000.0))
@pytest.mark.parametrize("model", [OPEN, WINDOWED], ids=lambda m: m.id)
def test_what_always_holds(model, data, delay, mtu):
    values = drawn(model, data)
    found = predict(model, delay, mtu, **values)
    bound = values["link_rate_mbps"] * (mtu + 18) / (mtu + 38)
    assert 0.0 <= found["throughput_mbps"] <= bound * (1 + 1e-9)
    assert 1.0 <= found["packets_per_interrupt"] <= values["ring_descriptors"] * (1 + 1e-12)
    assert 0.0 <= found["system_cpu_percent"] <= 100.0 * (1 + 1e-9)
    assert found["added_latency_us"] >= 0.0
    told = found["rx_interrupt_rate_hz"] * found["packets_per_interrupt"]
    if model is OPEN:
        assert -1e-9 <= found["drop_percent"] <= 100.0
        busy = values["interrupt_cost_us"] * found["rx_interrupt_rate_hz"]
        if busy < 1e6 * (1 - 1e-9):
            assert told == pytest.approx(found["arriving_packet_rate_hz"])
        assert busy <= 1e6 * (1 + 1e-9)
    else:
        assert told == pytest.approx(found["carried_packet_rate_hz"])


@given(data=st.data(), delay=st.floats(0.0, 1e4), more=st.floats(1.0, 1e4))
def test_longer_delays_never_cost_a_stream_more(data, delay, more):
    values = {**drawn(OPEN, data), "moderation_kind": 1.0}
    a, b = (predict(OPEN, d, **values) for d in (delay, delay + more))
    assert b["receive_cost_us"] <= a["receive_cost_us"] * (1 + 1e-12)
    assert b["throughput_mbps"] >= a["throughput_mbps"] * (1 - 1e-12)
    assert b["added_latency_us"] >= a["added_latency_us"] * (1 - 1e-9)
