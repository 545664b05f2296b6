# SPDX-License-Identifier: Apache-2.0
import random

import pytest
from coalescope_models.phenomena.policies import (
    DIM_RX_COMPLETIONS,
    DIM_RX_EVENTS,
    Arrival,
    ClosedLoop,
    Costs,
    Dim,
    DynamicThrottle,
    Fixed,
    Interrupt,
    Phase,
    arrivals,
    beside_best_fixed,
    replay,
    simulate,
)
from coalescope_models.phenomena.policies.dim import Rates, compare
from coalescope_models.phenomena.policies.dynamic_throttle import (
    RATES_HZ,
    REGISTER_US,
    next_class,
    throttle_register,
)
from hypothesis import given
from hypothesis import strategies as st

COSTS = Costs(interrupt_us=5.0, packet_us=1.0)
LOOP = ClosedLoop(clients=3, reply_bytes=1500, round_trip_us=100.0)


def steady(gap_us, count, size=1518, start_us=0.0):
    return [Arrival(start_us + gap_us * k, size) for k in range(count)]


def test_intervals_are_those_of_the_kernel():
    """lib/dim's receive profiles in µs, and the rates of e1000's classes per second."""
    assert DIM_RX_EVENTS == (1, 8, 64, 128, 256)
    assert DIM_RX_COMPLETIONS == (2, 8, 16, 32, 64)
    assert tuple(RATES_HZ.values()) == (70_000, 20_000, 4_000)


# --- the loops


def test_without_moderation_every_packet_interrupts():
    run = replay(Fixed(0.0), steady(12.3, 100), COSTS)
    assert (run.interrupts, run.packets, run.mean_wait_us) == (100, 100, 0.0)
    assert run.cpu_us == 100 * 5.0 + 100 * 1.0


def test_an_interval_bounds_the_rate():
    run = replay(Fixed(125.0), steady(12.3, 20_000), COSTS)
    assert run.interrupt_rate_hz == pytest.approx(8_000, rel=0.01)
    # packets come evenly within an interval and wait for its end
    assert run.mean_wait_us == pytest.approx(62.5, rel=0.15)


def test_a_lone_packet_never_waits():
    assert replay(Fixed(250.0), steady(1000.0, 50), COSTS).mean_wait_us == 0.0


def test_arrivals_must_rise():
    with pytest.raises(ValueError, match="rising"):
        replay(Fixed(100.0), [Arrival(1.0, 1), Arrival(5.0, 1), Arrival(4.0, 1)], COSTS)


@given(
    gaps=st.lists(st.floats(0.0, 500.0), min_size=1, max_size=200),
    interval=st.floats(0.0, 300.0),
)
def test_every_packet_is_brought_once(gaps, interval):
    t, arrivals = 0.0, []
    for gap in gaps:
        t += gap
        arrivals.append(Arrival(t, 100))
    for policy in (Fixed(interval), DynamicThrottle(1), Dim()):
        run = replay(policy, arrivals, COSTS)
        assert run.packets == len(arrivals)
        assert 1 <= run.interrupts <= len(arrivals)
        assert run.mean_wait_us >= 0.0


def test_a_closed_loop_slows_down_with_the_interval():
    rates = [simulate(Fixed(i), LOOP, COSTS, 1e6).packet_rate_hz for i in (0.0, 120.0, 500.0)]
    assert rates[0] > rates[1] > rates[2]
    # one interrupt in each interval brings every client's reply
    assert rates[2] == pytest.approx(3 / 500e-6, rel=0.01)


# --- e1000's dynamic throttle


def test_a_stream_of_full_frames_stays_at_low_latency():
    """A gigabit brings 6 kB in the 50 µs of that class; only more than 10 kB is taken for bulk."""
    run = replay(DynamicThrottle(3), steady(12.3, 20_000), COSTS)
    assert [c.interval_us for c in run.choices] == [50.0]


def test_a_stream_of_jumbo_frames_settles_at_bulk():
    run = replay(DynamicThrottle(3), steady(72.3, 20_000, size=9018), COSTS)
    assert run.choices[-1].interval_us == 250.0
    assert run.choices[-1].t_us < 1_000.0
    assert run.interrupt_rate_hz == pytest.approx(4_000, rel=0.02)


def test_small_requests_get_the_lowest_latency_in_mode_1_only():
    small = steady(200.0, 500, size=64)
    assert replay(DynamicThrottle(1), small, COSTS).choices[-1].interval_us == pytest.approx(
        1e6 / 70_000
    )
    assert [c.interval_us for c in replay(DynamicThrottle(3), small, COSTS).choices] == [50.0]


def test_rates_rise_slowly_and_fall_at_once():
    throttle = DynamicThrottle(3)
    assert throttle.after(Interrupt(0.0, 20, 30_000)) == 250.0, "bulk at once"
    rates = [1e6 / throttle.after(Interrupt(1.0, 1, 1_000)) for _ in range(5)]
    assert rates == pytest.approx([9_000, 14_000, 19_000, 20_000, 20_000])


@pytest.mark.parametrize(
    ("rate", "register"), [(8_000, 488), (4_000, 976), (20_000, 195), (70_000, 55)]
)
def test_a_register_of_whole_units_lets_a_little_more_through(rate, register):
    assert throttle_register(rate) == register
    assert rate <= 1e6 / (REGISTER_US * register) < 1.02 * rate


def test_after_a_burst_it_comes_back():
    burst = steady(72.3, 2_000, size=9018)
    calm = steady(500.0, 200, size=300, start_us=burst[-1].t_us + 500.0)
    choices = replay(DynamicThrottle(3), [*burst, *calm], COSTS).choices
    assert 250.0 in [c.interval_us for c in choices]
    assert choices[-1].interval_us == 50.0


@pytest.mark.parametrize(
    ("now", "packets", "size", "then"),
    [
        ("lowest latency", 1, 9_000, "bulk"),
        ("lowest latency", 2, 1_000, "low latency"),
        ("lowest latency", 1, 64, "lowest latency"),
        ("low latency", 8, 12_000, "bulk"),
        ("low latency", 40, 12_000, "lowest latency"),
        ("low latency", 1, 64, "lowest latency"),
        ("low latency", 2, 5_000, "bulk"),
        ("low latency", 4, 2_000, "low latency"),
        ("bulk", 20, 30_000, "bulk"),
        ("bulk", 40, 30_000, "low latency"),
        ("bulk", 2, 3_000, "low latency"),
    ],
)
def test_classes(now, packets, size, then):
    assert next_class(now, packets, size) == then


# --- Linux DIM


def test_dim_compares_bytes_then_packets_then_interrupts():
    before = Rates(100.0, 10.0, 1.0)
    assert compare(Rates(111.0, 1.0, 9.0), before) == "better"
    assert compare(Rates(105.0, 8.0, 0.1), before) == "worse"
    assert compare(Rates(105.0, 10.5, 0.8), before) == "better"
    assert compare(Rates(95.0, 9.5, 1.05), before) == "same"


def test_dim_goes_to_fewer_interrupts_under_a_steady_stream():
    run = replay(Dim(), steady(2.0, 200_000), COSTS)
    intervals = [choice.interval_us for choice in run.choices]
    assert set(intervals) <= set(DIM_RX_EVENTS)
    assert max(intervals) == 256.0
    assert run.choices[-1].interval_us == 256.0
    # and stays: the last change lies in the first half
    assert run.choices[-1].t_us < run.elapsed_us / 2


def test_dim_wavers_and_rests_where_nothing_differs():
    """Packets far apart: no profile changes anything, and it cannot know that."""
    run = replay(Dim(), steady(1_000.0, 12_800), COSTS)
    intervals = {choice.interval_us for choice in run.choices}
    assert intervals == {1.0, 8.0}
    assert 60 < len(run.choices) < 120, "of 200 measurements it rests in about half"


def test_dim_wakes_up_when_the_load_changes():
    stream = steady(2.0, 50_000)
    calm = steady(50.0, 5_000, start_us=stream[-1].t_us)
    run = replay(Dim(), [*stream, *calm], COSTS)
    parked = max(c.t_us for c in run.choices if c.t_us < stream[-1].t_us)
    assert parked < stream[-1].t_us / 2
    assert any(c.t_us > stream[-1].t_us for c in run.choices)


# --- beside the best fixed interval


def price(run):
    return run.cpu_us_per_packet + 0.01 * run.mean_wait_us


def test_adapting_is_compared_with_what_would_have_been_best():
    stream = steady(12.3, 20_000)
    found = beside_best_fixed(lambda p: replay(p, stream, COSTS), DynamicThrottle(3), price)
    assert found.best_price <= found.price
    assert found.cost_percent >= 0.0
    # 5/n + 0.01 × interval/2 is least near an interval of √(2 × 5 × 12.3/0.01) = 111 µs
    assert found.best_interval_us in (64.0, 128.0)


def test_on_mixed_traffic_adapting_can_win():
    mixed, t = [], 0.0
    for _ in range(20):
        mixed += steady(2.0, 2_000, start_us=t)
        t = mixed[-1].t_us + 300.0
        # pairs of requests: the second waits for the interval that is set
        for _ in range(300):
            mixed += [Arrival(t, 300), Arrival(t + 5.0, 300)]
            t += 300.0

    def dear_wait(run):
        return run.cpu_us_per_packet + 0.05 * run.mean_wait_us

    def run(policy):
        return replay(policy, mixed, COSTS)

    found = beside_best_fixed(run, DynamicThrottle(3), dear_wait, [0.0, 250.0])
    assert found.cost_percent < 30.0
    assert found.adaptive.interrupts < run(Fixed(0.0)).interrupts


def test_shares_of_the_time_add_up_to_one():
    phases = [Phase(1e5, 80_000.0, 1518), Phase(1e5, 2_000.0, 128, random=True)]
    packets = list(arrivals(phases, random.Random(3)))
    assert [a.t_us for a in packets] == sorted(a.t_us for a in packets)
    assert len(packets) == pytest.approx(8_200, abs=60)
    run = replay(DynamicThrottle(3), packets, COSTS)
    shares = run.shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert set(shares) == {choice.interval_us for choice in run.choices}


def test_in_a_closed_loop_bulk_moderation_costs_throughput():
    """What the founding paper found for NFS: no long interval is good for those who wait."""

    def run(policy):
        return simulate(policy, LOOP, COSTS, 200_000.0)

    found = beside_best_fixed(run, DynamicThrottle(3), lambda r: 1e6 / r.packet_rate_hz)
    assert found.best_interval_us <= 14.3
    assert found.price >= found.best_price
