# SPDX-License-Identifier: Apache-2.0
"""Formulas beside the kernel's rule, applied to one packet after the other on many queues."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate

POINTS = 200
TRIED = pytest.mark.parametrize("points", [40, pytest.param(POINTS, marks=pytest.mark.soak)])
FORGOTTEN = 20  # packets until a queue has forgotten how it began
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
DEFERRED, SUSPENDED = MODELS["deferred-interrupts"], MODELS["suspended-interrupts"]
INTERRUPT, TIMER, BUSY = range(3)


class Deferral:
    """Queues side by side, packet by packet.

    A poll that found something, and the `cost` of each packet that the application has to handle
    then, are followed by timers until one finds something or `deferrals` found nothing; then the
    next packet interrupts. While the application is at work it finds what comes.
    """

    def __init__(self, arrivals, timeout, deferrals, cost=0.0):
        lanes, length = arrivals.shape
        self.started = np.empty_like(arrivals)  # when the application gets to a packet
        self.told = np.empty_like(arrivals)  # when a loop finds it
        self.by = np.empty_like(arrivals, dtype=int)
        self.polls = np.zeros_like(arrivals)  # timers that ended since the packet before
        self.interrupts = np.zeros_like(arrivals, dtype=bool)
        found, done, by = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes, dtype=int)
        for k in range(length):
            now = arrivals[:, k]
            waiting = now <= found  # for a poll that is due
            busy = ~waiting & (now < done)
            fresh = ~waiting & ~busy
            # timers run one after the other from the moment that nothing was left to do
            clock, passed, waits = done.copy(), np.zeros(lanes), fresh.copy()
            still = np.flatnonzero(fresh)
            for _ in range(int(deferrals)):
                clock[still] += timeout
                passed[still] += 1
                finds = clock[still] >= now[still]
                waits[still[finds]] = False
                still = still[~finds]
            self.interrupts[:, k] = waits  # none of them found it
            found = np.where(fresh, np.where(waits, now, clock), found)
            by = np.where(fresh, np.where(waits, INTERRUPT, TIMER), np.where(busy, BUSY, by))
            begin = np.maximum(found, done)
            done = begin + cost
            self.started[:, k], self.told[:, k] = begin, np.where(busy, now, found)
            self.by[:, k], self.polls[:, k] = by, passed


def random_points(seed, points):
    rng = np.random.default_rng(seed)
    for _ in range(points):
        rate_hz = float(np.exp(rng.uniform(np.log(1e3), np.log(1e6))))
        queues = int(rng.integers(1, 9))
        expected = float(np.exp(rng.uniform(np.log(0.2), np.log(1.5))))
        # interrupts remain so frequent that the simulation knows their rate well enough
        deferrals = int(rng.integers(0, int(1.5 / expected) + 1))
        yield (
            rng,
            {
                "gro_flush_timeout_us": 1e6 * expected * queues / rate_hz,
                "packet_rate_hz": rate_hz,
                "napi_defer_hard_irqs": float(deferrals),
                "queues": float(queues),
            },
        )


def simulated(rng, values, cost=0.0):
    rate = 1e-6 * values["packet_rate_hz"] / values["queues"]
    # a packet of all queues lies together, as the rule goes from packet to packet
    times = np.asfortranarray(np.cumsum(rng.exponential(1.0 / rate, (20_000, 80)), axis=1))
    run = Deferral(times, values["gro_flush_timeout_us"], values["napi_defer_hard_irqs"], cost)
    return rate, times[:, FORGOTTEN:], run


@pytest.mark.slow
@TRIED
def test_deferral_within_one_percent_of_the_rule_at_random_points(points):
    for rng, values in random_points(2005, points):
        said = evaluate(DEFERRED, values)
        rate, times, run = simulated(rng, values)
        timeout, queues = values["gro_flush_timeout_us"], values["queues"]
        waits = run.told[:, FORGOTTEN:] - times
        share = run.interrupts[:, FORGOTTEN:].mean()
        polls = run.polls[:, FORGOTTEN:].mean()
        assert said["rx_interrupt_rate_hz"] == pytest.approx(1e6 * queues * rate * share, rel=0.01)
        assert said["interrupt_share"] == pytest.approx(share, rel=0.01)
        assert said["timer_poll_rate_hz"] == pytest.approx(1e6 * queues * rate * polls, rel=0.01)
        assert said["packets_per_poll"] == pytest.approx(1.0 / (share + polls), rel=0.01)
        assert said["added_latency_us"] == pytest.approx(waits.mean(), rel=0.01)
        for name, q in PERCENTILES.items():
            said_us = said[f"added_latency_{name}_us"]
            assert said_us == pytest.approx(np.quantile(waits, q), abs=0.01 * timeout), name


@pytest.mark.slow
@TRIED
def test_suspension_within_one_percent_of_the_rule_at_random_points(points):
    for rng, values in random_points(2006, points):
        per_queue = 1e-6 * values["packet_rate_hz"] / values["queues"]
        busy = float(rng.uniform(0.05, 0.6))
        cost = busy / per_queue
        said = evaluate(SUSPENDED, {**values, "packet_cost_us": cost})
        rate, times, run = simulated(rng, values, cost)
        by, interrupts = run.by[:, FORGOTTEN:], run.interrupts[:, FORGOTTEN:].mean()
        assert said["busy_poll_share"] == pytest.approx((by == BUSY).mean(), rel=0.01)
        assert said["interrupt_share"] == pytest.approx(interrupts, rel=0.01)
        assert said["timer_share"] == pytest.approx((by == TIMER).mean(), rel=0.01, abs=1e-9)
        queues = values["queues"]
        found = 1e6 * queues * rate * np.array([interrupts, run.polls[:, FORGOTTEN:].mean()])
        assert said["rx_interrupt_rate_hz"] == pytest.approx(found[0], rel=0.01)
        assert said["timer_poll_rate_hz"] == pytest.approx(found[1], rel=0.01)
        # served at once, a queue of one server and equal packets waits ρc/2(1 - ρ)
        queueing = 0.5 * busy * cost / (1.0 - busy)
        waits = (run.started[:, FORGOTTEN:] - times).mean()
        assert said["added_latency_us"] + queueing == pytest.approx(waits, rel=0.01)
        timeout = values["gro_flush_timeout_us"]
        otherwise = (run.told[:, FORGOTTEN:] - times)[by != BUSY]
        for name, q in PERCENTILES.items():
            said_us = said[f"added_latency_{name}_us"]
            assert said_us == pytest.approx(np.quantile(otherwise, q), abs=0.01 * timeout), name


def served_at_once(times, cost):
    """Waits in a queue of one server without moderation."""
    waits = np.zeros_like(times)
    done = np.full(len(times), -np.inf)
    for k in range(times.shape[1]):
        waits[:, k] = np.maximum(0.0, done - times[:, k])
        done = times[:, k] + waits[:, k] + cost
    return waits


@pytest.mark.slow
@pytest.mark.parametrize("busy", [0.2, 0.6])
@pytest.mark.parametrize("deferrals", [1.0, 3.0])
def test_what_moderation_adds_is_spread_as_its_percentiles_say(busy, deferrals):
    """The whole wait is that of the queue alone, and by itself a wait of those percentiles."""
    rng = np.random.default_rng(7)
    values = {
        "gro_flush_timeout_us": 12.0,
        "packet_rate_hz": 1e5,
        "napi_defer_hard_irqs": deferrals,
        "queues": 1.0,
    }
    said = evaluate(SUSPENDED, {**values, "packet_cost_us": 10.0 * busy})
    _, times, run = simulated(rng, values, 10.0 * busy)
    whole = run.started[:, FORGOTTEN:] - times
    alone = served_at_once(times, 10.0 * busy)[:, 10:]
    timeout = values["gro_flush_timeout_us"]
    share = 2.0 * said["added_latency_us"] / timeout  # of packets that come while a timer runs
    added = np.where(rng.random(alone.shape) < share, timeout * rng.random(alone.shape), 0.0)
    for name, q in PERCENTILES.items():
        said_us = said[f"added_latency_{name}_us"]
        assert said_us == pytest.approx(np.quantile(added, q), abs=0.01 * timeout), name
        if name != "p999":
            expected = np.quantile(alone + added, q)
            assert np.quantile(whole, q) == pytest.approx(expected, rel=0.02, abs=0.1), name
    # the control: added in full, without the queue of others, percentiles do not add up
    both = np.quantile(alone, 0.9) + said["added_latency_p90_us"]
    assert np.quantile(whole, 0.9) < 0.98 * both


def test_the_comparison_tells_the_number_of_timers():
    """Negative control: with one timer more, interrupts are more than 1 % fewer."""
    values = {
        "gro_flush_timeout_us": 20.0,
        "packet_rate_hz": 5e4,
        "napi_defer_hard_irqs": 1.0,
        "queues": 1.0,
    }
    said = evaluate(DEFERRED, values)
    more = {**values, "napi_defer_hard_irqs": 2.0}
    rate, _, run = simulated(np.random.default_rng(1), more)
    found = 1e6 * rate * run.interrupts[:, FORGOTTEN:].mean()
    assert said["rx_interrupt_rate_hz"] != pytest.approx(found, rel=0.01)


def test_nothing_deferred_is_an_interrupt_each():
    for off in ({"napi_defer_hard_irqs": 0.0}, {"gro_flush_timeout_us": 0.0}):
        values = {"gro_flush_timeout_us": 20.0, "packet_rate_hz": 5e4, **off}
        said = evaluate(DEFERRED, values)
        if "napi_defer_hard_irqs" in off:
            assert said["rx_interrupt_rate_hz"] == pytest.approx(5e4)
            assert said["interrupt_share"] == pytest.approx(1.0)
        assert said["added_latency_us"] == said["added_latency_p999_us"] == 0.0


def test_regimes_by_load():
    """Rare packets interrupt, more are found by timers, most by the application."""
    shares = []
    for rate in (100.0, 1e5, 4.9e5):
        said = evaluate(
            SUSPENDED,
            {
                "gro_flush_timeout_us": 20.0,
                "packet_rate_hz": rate,
                "napi_defer_hard_irqs": 2.0,
                "packet_cost_us": 2.0,
            },
        )
        three = [said[f"{loop}_share"] for loop in ("interrupt", "timer", "busy_poll")]
        assert sum(three) == pytest.approx(1.0)
        shares.append(int(np.argmax(three)))
    assert shares == [INTERRUPT, TIMER, BUSY]


def test_an_application_that_cannot_follow_polls_all():
    values = {"gro_flush_timeout_us": 20.0, "packet_rate_hz": 1e6, "packet_cost_us": 2.0}
    said = evaluate(SUSPENDED, values)
    assert said["busy_poll_share"] == 1.0
    assert said["rx_interrupt_rate_hz"] == said["timer_share"] == 0.0
