# SPDX-License-Identifier: Apache-2.0
"""Sleeping between interrupts, against packets played one by one."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate

WAKING, ENERGY = MODELS["wake-up-latency"], MODELS["receive-energy"]
POINTS = 200


def drawn(rng, ranges):
    """A point, its numbers spread evenly over their magnitudes."""
    return {n: float(np.exp(rng.uniform(np.log(a), np.log(b)))) for n, (a, b) in ranges.items()}


def interrupts(arrivals, delay_us, busy_us):
    """Play a throttle: each interrupt, the packets that it brings, and since when the CPU is idle.

    Interrupts are masked while the CPU is busy, for as long as `busy_us` of idle time and packets.
    """
    at, free_us, raised_us = 0, 0.0, -np.inf
    while at < len(arrivals):
        t_us = max(arrivals[at], raised_us + delay_us, free_us)
        first = at
        while at < len(arrivals) and arrivals[at] <= t_us:
            at += 1
        yield t_us, arrivals[first:at], t_us - free_us, raised_us
        free_us = t_us + busy_us(t_us - free_us, at - first)
        raised_us = t_us


def sleeps(v, rng, packets=40_000):
    """Each wake-up's latency, whether CPU and link slept deep, and the distance of interrupts."""
    arrivals = np.cumsum(rng.exponential(1e6 / v["packet_rate_hz"], packets)).tolist()

    def exit_us(idle_us):
        return v["deep_exit_us" if idle_us > v["deep_residency_us"] else "shallow_exit_us"]

    def busy_us(idle_us, _):
        return exit_us(idle_us) + v["interrupt_cost_us"]

    latency, deep, asleep, distance = [], [], [], []
    for t_us, brought, idle_us, raised_us in interrupts(arrivals, v["delay_us"], busy_us):
        # what the link last carried: a packet that had to wait, or the last interrupt
        waited = [each for each in brought[-2:] if each < t_us]
        deep.append(idle_us > v["deep_residency_us"])
        asleep.append(t_us - max(waited[-1:] or [raised_us]) > v["link_idle_us"])
        latency.append(exit_us(idle_us) + asleep[-1] * v["link_exit_us"])
        distance.append(t_us - raised_us)
    return [np.array(column, float)[1:] for column in (latency, deep, asleep, distance)]


def test_waking_up_against_events_at_random_points():
    rng = np.random.default_rng(16)
    ranges = {
        "packet_rate_hz": (200.0, 200_000.0),
        "delay_us": (0.1, 2000.0),
        "interrupt_cost_us": (0.5, 30.0),
        "shallow_exit_us": (0.1, 20.0),
        "deep_exit_us": (20.0, 300.0),
        "deep_residency_us": (20.0, 1000.0),
        "link_exit_us": (1.0, 100.0),
        "link_idle_us": (1.0, 200.0),
    }
    assert set(ranges) == set(WAKING.names)
    for _ in range(POINTS):
        v = drawn(rng, ranges)
        found, columns = evaluate(WAKING, v), sleeps(v, rng)
        names = ("wake_latency_us", "deep_wake_percent", "link_wake_percent")
        expected = [
            found[name] / each for name, each in zip(names, (1.0, 100.0, 100.0), strict=True)
        ]
        expected.append(1e6 / found["rx_interrupt_rate_hz"])
        for told, column in zip(expected, columns, strict=True):
            # 1 %, and what chance leaves of the events, four times; neighbours depend on each other
            error = 4.0 * np.sqrt(2.0 * max(column.var(), 1.0 / len(column)) / len(column))
            assert told == pytest.approx(column.mean(), rel=0.01, abs=error), (v, expected)


def test_a_longer_delay_can_cost_latency():
    """At 5,000 interrupts a second the CPU never sleeps deep, at 1,000 each time."""
    v = {"packet_rate_hz": 50_000.0, "link_exit_us": 0.0}
    short, long = (evaluate(WAKING, {**v, "delay_us": d}) for d in (200.0, 1000.0))
    assert short["wake_latency_us"] == pytest.approx(2.0, abs=1e-3)
    assert long["wake_latency_us"] == 133.0
    assert evaluate(WAKING, {**v, "delay_us": 0.0})["longest_wake_latency_us"] == 133.0


def energy(v, rng, packets=20_000):
    """Power, shares of the time at work and in deep sleep, interrupts per second, in that order."""
    gap_us = 8.0 * (v["mtu_bytes"] + 38.0) / (v["link_rate_mbps"] * v["link_load"])
    arrivals = np.cumsum(rng.exponential(gap_us, packets)).tolist()
    joules = working = sleeping = spent = 0.0
    count = 0

    def busy_us(_, brought):
        return v["interrupt_cost_us"] + v["packet_cost_us"] * brought

    for _, brought, idle_us, _ in interrupts(arrivals, v["delay_us"], busy_us):
        deep_uj = v["deep_power_w"] * idle_us
        deep_uj += (v["shallow_power_w"] - v["deep_power_w"]) * v["deep_residency_us"]
        if idle_us > v["deep_residency_us"]:
            joules, sleeping = joules + deep_uj, sleeping + idle_us
        else:
            joules += v["shallow_power_w"] * idle_us
        busy = busy_us(idle_us, len(brought))
        joules, working = joules + v["active_power_w"] * busy, working + busy
        spent, count = spent + idle_us + busy, count + 1
    return v["other_power_w"] + joules / spent, working / spent, sleeping / spent, count / spent


def test_energy_against_events_at_random_points():
    rng = np.random.default_rng(17)
    ranges = {
        "delay_us": (0.1, 2000.0),
        "mtu_bytes": (576.0, 9000.0),
        "interrupt_cost_us": (0.5, 10.0),
        "packet_cost_us": (0.1, 3.0),
        "active_power_w": (5.0, 20.0),
        "shallow_power_w": (2.0, 5.0),
        "deep_power_w": (0.1, 2.0),
        "deep_residency_us": (20.0, 1000.0),
        "other_power_w": (1.0, 10.0),
        "link_rate_mbps": (500.0, 1000.0),
        "link_load": (0.01, 1.0),
    }
    assert set(ranges) == set(ENERGY.names)
    for _ in range(POINTS):
        v = drawn(rng, ranges)
        found, (power, working, _, _) = evaluate(ENERGY, v), energy(v, rng)
        assert found["package_power_w"] == pytest.approx(power, rel=0.01), v
        assert found["system_cpu_percent"] == pytest.approx(100.0 * working, rel=0.01, abs=0.5), v
        rate_hz = 1e6 * v["link_rate_mbps"] * v["link_load"] / (8.0 * (v["mtu_bytes"] + 38.0))
        bytes_a_second = rate_hz * (v["mtu_bytes"] + 18.0)
        told = found["energy_j_per_gb"]
        if found["system_cpu_percent"] < 100.0:
            assert told == pytest.approx(1e9 * found["package_power_w"] / bytes_a_second)
            assert found["packet_energy_uj"] == pytest.approx(
                1e6 * found["package_power_w"] / rate_hz
            )


def test_time_in_deep_idle_against_events():
    """Away from the delay at which every sleep becomes deep."""
    rng = np.random.default_rng(18)
    v = {"mtu_bytes": 1500.0, **ENERGY.defaults}
    for delay_us in (0.0, 50.0, 300.0, 1000.0):
        at = {**v, "delay_us": delay_us, "deep_residency_us": 200.0}
        found, (_, _, sleeping, rate) = evaluate(ENERGY, at), energy(at, rng, 60_000)
        assert found["deep_idle_percent"] == pytest.approx(100.0 * sleeping, abs=1.0)
        assert found["rx_interrupt_rate_hz"] == pytest.approx(1e6 * rate, rel=0.02)


def test_a_full_cpu_draws_its_power_and_takes_what_it_can():
    v = {"delay_us": 0.0, "mtu_bytes": 1500.0, "link_load": 1.0, "packet_cost_us": 20.0}
    found = evaluate(ENERGY, v)
    assert found["system_cpu_percent"] == 100.0
    assert found["package_power_w"] == ENERGY.defaults["active_power_w"] + 8.5
    assert found["deep_idle_percent"] == 0.0
    # 20 µs a packet and a share of an interrupt, whatever is offered
    assert 20.0 * 16.5 < found["packet_energy_uj"] < 23.0 * 16.5
