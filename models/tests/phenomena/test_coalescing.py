# SPDX-License-Identifier: Apache-2.0
"""Formulas beside the rules themselves, applied to one arrival after the other on many queues."""

import math

import numpy as np
import pytest
from coalescope_models import usecs_or_frames_wait_us
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.phenomena.link import packet_gap_us
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

POINTS = 200
TRIED = pytest.mark.parametrize("points", [40, pytest.param(POINTS, marks=pytest.mark.soak)])
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def arrivals_at_random(rng, rate, packets, cycle):
    """About a million arrivals, the interrupt before them, and which of them count.

    The queues have forgotten their start by then, and do not begin to count in step.
    """
    length = int(40 + 30 * packets)
    queues = 1 + 1_000_000 // length
    times = np.cumsum(rng.exponential(1.0 / rate, (queues, length)), axis=1)
    since = -cycle * rng.random(queues)
    begin = length // 4 + rng.integers(0, int(2.0 + 2.0 * packets), (queues, 1))
    return times, since, begin + np.arange(length // 2)


def throttled(arrivals, delay, since):
    """When each packet's interrupt comes: at least `delay` after the last one."""
    told = np.empty_like(arrivals)
    due = since
    for k in range(arrivals.shape[1]):
        now = arrivals[:, k]
        due = np.where(now <= due, due, np.maximum(now, due + delay))
        told[:, k] = due
    return told


def gathered(arrivals, delay, since, frames=math.inf):
    """When each packet's interrupt comes: `delay` after the first, or with the last of `frames`."""
    due = np.empty_like(arrivals)
    last = np.empty(arrivals.shape, dtype=bool)
    count = np.zeros(arrivals.shape[0])
    until = since + delay
    for k in range(arrivals.shape[1]):
        now = arrivals[:, k]
        new = now > until
        until = np.where(new, now + delay, until)
        count = np.where(new, 1, count + 1)
        due[:, k], last[:, k] = until, count >= frames
        until = np.where(last[:, k], -math.inf, until)
    told = np.where(last, arrivals, due)
    for k in reversed(range(arrivals.shape[1] - 1)):
        with_next = ~last[:, k] & (due[:, k] == due[:, k + 1])
        told[:, k] = np.where(with_next, told[:, k + 1], told[:, k])
    return told


def counted(arrivals, told, part):
    """What was counted: packets per interrupt, time between interrupts, waits."""
    told, arrivals = (np.take_along_axis(each, part, axis=1) for each in (told, arrivals))
    interrupts = np.diff(told, axis=1) > 0
    waits = told - arrivals
    return {
        "packets_per_interrupt": interrupts.size / interrupts.sum(),
        "interrupt_gap_us": (told[:, -1] - told[:, 0]).sum() / interrupts.sum(),
        "added_latency_us": waits.mean(),
        **{f"added_latency_{name}_us": np.quantile(waits, q) for name, q in PERCENTILES.items()},
    }


def random_points(seed, points):
    rng = np.random.default_rng(seed)
    for _ in range(points):
        rate_hz = float(np.exp(rng.uniform(np.log(1e3), np.log(1.5e6))))
        queues = int(rng.integers(1, 9))
        expected = float(np.exp(rng.uniform(np.log(0.3), np.log(30.0))))
        delay = 1e6 * expected * queues / rate_hz
        yield rng, {"delay_us": delay, "packet_rate_hz": rate_hz, "queues": float(queues)}


def compare(said, found, delay, of_delay=0.01):
    for name, value in found.items():
        if name not in said:
            continue
        if name.startswith("added_latency_p"):  # of a wait that is 0 there is no percentage
            assert said[name] == pytest.approx(value, abs=of_delay * delay), name
        else:
            assert said[name] == pytest.approx(value, rel=0.01), name


@pytest.mark.slow
@TRIED
@pytest.mark.parametrize(
    ("model", "rule"),
    [("throttle-poisson", throttled), ("first-packet-timer-poisson", gathered)],
)
def test_within_one_percent_of_the_rule_at_random_points(model, rule, points):
    for rng, values in random_points(2005, points):
        said = evaluate(MODELS[model], values)
        rate = 1e-6 * values["packet_rate_hz"] / values["queues"]
        delay = values["delay_us"]
        times, since, part = arrivals_at_random(
            rng, rate, said["packets_per_interrupt"], delay + 1 / rate
        )
        compare(said, counted(times, rule(times, delay, since), part), delay)
        assert said["rx_interrupt_rate_hz"] == pytest.approx(
            1e6 * values["queues"] / said["interrupt_gap_us"]
        )


@pytest.mark.slow
@TRIED
def test_timer_and_count_within_one_percent_of_the_rule_at_random_points(points):
    for rng, values in random_points(2006, points):
        frames = int(rng.integers(1, 65))
        said = evaluate(MODELS["usecs-or-frames-poisson"], {**values, "rx_frames": float(frames)})
        rate = 1e-6 * values["packet_rate_hz"] / values["queues"]
        delay = values["delay_us"]
        times, since, part = arrivals_at_random(
            rng, rate, said["packets_per_interrupt"], delay + 1 / rate
        )
        found = counted(times, gathered(times, delay, since, frames), part)
        # percentiles are approximated within 1 %, beside what chance leaves
        compare(said, found, delay, 0.016)
        for name, share in PERCENTILES.items():
            exact = usecs_or_frames_wait_us(share, delay, 1e6 * rate, frames)
            assert exact == pytest.approx(found[f"added_latency_{name}_us"], abs=0.01 * delay)


def test_the_comparison_tells_one_rule_from_another():
    """Negative control: the other rule is more than 1 % away."""
    rng, values = next(random_points(2005, 1))
    said = evaluate(MODELS["throttle-poisson"], values)
    rate = 1e-6 * values["packet_rate_hz"] / values["queues"]
    times, since, part = arrivals_at_random(rng, rate, said["packets_per_interrupt"], 1 / rate)
    with pytest.raises(AssertionError):
        compare(
            said,
            counted(times, gathered(times, values["delay_us"], since), part),
            values["delay_us"],
        )


@pytest.mark.parametrize("frames", [2, 3, 4, 5, 8, 16, 64, 128, 256])
def test_the_approximation_is_as_near_to_the_exact_sum_as_is_said(frames):
    rate_hz = 1e5
    k = np.arange(1, frames)
    for expected in np.geomspace(1e-3, 3000.0, 200):
        delay = 1e6 * expected / rate_hz
        said = evaluate(
            MODELS["usecs-or-frames-poisson"],
            {"delay_us": delay, "packet_rate_hz": rate_hz, "rx_frames": float(frames)},
        )
        at_least = poisson.sf(k - 1, expected)
        packets = 1.0 + at_least.sum()
        wait = 1e6 / rate_hz * (k * at_least).sum() / packets
        assert said["packets_per_interrupt"] == pytest.approx(packets, rel=0.002)
        assert said["added_latency_us"] == pytest.approx(wait, rel=0.006)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 8, 16, 64, 256])
def test_percentiles_are_as_near_to_the_exact_ones_as_is_said(frames):
    for expected in np.geomspace(0.01, 20.0 * frames, 25 if frames < 100 else 8):
        values = {"delay_us": 10.0 * expected, "packet_rate_hz": 1e5, "rx_frames": float(frames)}
        said = evaluate(MODELS["usecs-or-frames-poisson"], values)
        for name, share in PERCENTILES.items():
            exact = usecs_or_frames_wait_us(share, values["delay_us"], 1e5, frames)
            found = said[f"added_latency_{name}_us"]
            assert found == pytest.approx(exact, abs=0.01 * values["delay_us"]), (expected, name)


@given(delay=st.floats(1.0, 1e3), rate=st.floats(1e3, 1e6), share=st.sampled_from([0.1, 0.5, 0.99]))
def test_many_frames_leave_the_timer_alone(delay, rate, share):
    values = {"delay_us": delay, "packet_rate_hz": rate}
    timer = evaluate(MODELS["first-packet-timer-poisson"], values)
    both = evaluate(MODELS["usecs-or-frames-poisson"], {**values, "rx_frames": 5000.0})
    for name, value in both.items():
        assert value == pytest.approx(timer[name], rel=1e-4), name
    few = usecs_or_frames_wait_us(share, delay, rate, 3 + int(4e-6 * rate * delay) + 20)
    assert few == pytest.approx(min(delay, share * timer["interrupt_gap_us"]), rel=1e-3)


@pytest.mark.parametrize("model", ["throttle-poisson", "first-packet-timer-poisson"])
def test_ends(model):
    """Rare packets are alone; without a delay nothing waits; a long delay sets the pace."""
    rare = evaluate(MODELS[model], {"delay_us": 10.0, "packet_rate_hz": 0.1})
    assert rare["packets_per_interrupt"] == pytest.approx(1.0, abs=1e-5)
    alone = 0.0 if model == "throttle-poisson" else 10.0
    assert rare["added_latency_us"] == pytest.approx(alone, abs=1e-4)
    none = evaluate(MODELS[model], {"delay_us": 0.0, "packet_rate_hz": 1e5})
    assert none["packets_per_interrupt"] == 1.0
    assert none["added_latency_p999_us"] == none["added_latency_us"] == 0.0
    long = evaluate(MODELS[model], {"delay_us": 1e4, "packet_rate_hz": 1e6})
    assert long["rx_interrupt_rate_hz"] == pytest.approx(100.0, rel=1e-3)
    assert long["added_latency_us"] == pytest.approx(5e3, rel=1e-3)
    assert long["added_latency_p99_us"] == pytest.approx(9.9e3, rel=1e-3)


def test_queues_have_a_throttle_each():
    one = evaluate(MODELS["throttle-poisson"], {"delay_us": 50.0, "packet_rate_hz": 1e5})
    eight = evaluate(
        MODELS["throttle-poisson"], {"delay_us": 50.0, "packet_rate_hz": 8e5, "queues": 8.0}
    )
    assert eight["rx_interrupt_rate_hz"] == pytest.approx(8 * one["rx_interrupt_rate_hz"])
    assert eight["added_latency_p99_us"] == pytest.approx(one["added_latency_p99_us"])


@pytest.mark.parametrize("frames", [1, 2])
def test_a_first_frame_that_interrupts_waits_for_nothing(frames):
    assert usecs_or_frames_wait_us(0.999, 100.0, 1e5, 1) == 0.0
    said = evaluate(
        MODELS["usecs-or-frames-poisson"],
        {"delay_us": 100.0, "packet_rate_hz": 1e5, "rx_frames": float(frames)},
    )
    assert (said["packets_per_interrupt"] == 1.0) == (frames == 1)


def test_back_to_back_is_the_rule_at_random_points():
    rng = np.random.default_rng(2007)
    for _ in range(POINTS):
        delay, mtu = float(rng.uniform(0.0, 300.0)), int(rng.integers(68, 9001))
        link, frames = float(rng.choice([1e3, 1e4, 1e5])), int(rng.integers(1, 257))
        gap = packet_gap_us(mtu, link)
        said = evaluate(
            MODELS["usecs-or-frames-back-to-back"],
            {
                "delay_us": delay,
                "mtu_bytes": mtu,
                "rx_frames": float(frames),
                "link_rate_mbps": link,
            },
        )
        n = int(said["packets_per_interrupt"])
        times = gap * np.arange(1, 40 * n + 1)[None, :]
        told = gathered(times, delay, np.array([-1e9]), frames)
        waits = (told - times)[0, : 39 * n]  # whole cycles
        assert len(np.unique(told[0, : 39 * n])) == 39
        assert said["added_latency_us"] == pytest.approx(waits.mean(), rel=1e-6, abs=1e-6)
        for name, share in PERCENTILES.items():
            exact = np.quantile(waits, share, method="inverted_cdf")
            assert said[f"added_latency_{name}_us"] == pytest.approx(exact, abs=1e-6)
