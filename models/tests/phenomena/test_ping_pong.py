# SPDX-License-Identifier: Apache-2.0
"""Round trips beside the rules of interrupts, applied to one request after the other."""

import math

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate

PING_PONG = MODELS["ping-pong-throttle"]
REQUESTS = 400


def throttled(base, delay, sent_after=None):
    """Mean round trip where the client's interrupts are `delay` apart.

    `sent_after`: that long after a request the interrupt also tells that it was sent.
    """
    last = now = 0.0
    for _ in range(REQUESTS):
        reply = now + base
        if sent_after is not None:
            sent = max(now + sent_after, last + delay)
            if sent < reply:
                last = sent
        now = last = max(reply, last + delay)
    return now / REQUESTS


def on_both_hosts(out, back, client_delay, server_delay):
    """Mean round trip where both hosts' interrupts are that far apart."""
    client = server = 0.0
    for _ in range(REQUESTS):
        server = max(client + out, server + server_delay)
        client = max(server + back, client + client_delay)
    return client / REQUESTS


def ticking(base, delay):
    """Mean round trip where the client's interrupts come at multiples of `delay`."""
    tick = 0
    for _ in range(REQUESTS):
        while tick * delay < base:
            tick += 1
        reply, tick = tick * delay, 0  # the next request starts at a tick
    return reply


def at_random(rng, base, delay, hosts):
    """Mean round trip of requests at random moments, with clocks that run on."""
    share = rng.random()
    now = rng.uniform(0.0, 1e3 * delay, 400_000)
    server = now + share * base
    if hosts == 2:
        phase = rng.random(len(now)) * delay
        server = phase + delay * np.ceil((server - phase) / delay)
    reply = server + (1.0 - share) * base
    return (delay * np.ceil(reply / delay) - now).mean()


def points(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        yield rng, float(rng.uniform(5.0, 500.0)), float(rng.uniform(5.0, 500.0))


def test_within_one_percent_of_the_rules_at_random_points():
    for rng, base, delay in points(2005):
        hosts = int(rng.integers(1, 3))
        said = evaluate(
            PING_PONG,
            {"delay_us": delay, "base_latency_us": base, "moderated_hosts": float(hosts)},
        )
        assert said["latency_us"] == pytest.approx(throttled(base, delay), rel=0.01)
        out = float(rng.uniform(0.0, base))
        both = on_both_hosts(out, base - out, delay, delay)
        assert said["latency_us"] == pytest.approx(both, rel=0.01)
        soon = 0.01 * min(base, delay)
        shared = throttled(base, delay, sent_after=soon)
        assert said["shared_interrupt_latency_us"] == pytest.approx(shared, rel=0.01)
        assert said["ticking_latency_us"] == pytest.approx(ticking(base, delay), rel=0.01)
        random = at_random(rng, base, delay, hosts)
        assert said["unlocked_latency_us"] == pytest.approx(random, rel=0.01)


def test_without_a_throttle_nothing_is_added():
    said = evaluate(PING_PONG, {"delay_us": 0.0, "base_latency_us": 57.0})
    assert set(said.values()) == {57.0}


@pytest.mark.parametrize(
    ("base", "shared"), [(99.0, 100.0), (101.0, 200.0), (199.0, 200.0), (250.0, 250.0)]
)
def test_a_shared_interrupt_jumps_to_the_second_period(base, shared):
    said = evaluate(PING_PONG, {"delay_us": 100.0, "base_latency_us": base})
    assert said["shared_interrupt_latency_us"] == shared
    assert said["ticking_latency_us"] == 100.0 * math.ceil(base / 100.0)


@pytest.mark.parametrize(("rate_hz", "ours"), [(100_000, 67), (30_000, 90), (8_000, 182)])
def test_random_moments_are_the_pings_of_dillon(rate_hz, ours):
    """Dillon 2004 measured 61, 78 and 176 µs; moderation-trade says the same as this."""
    said = evaluate(PING_PONG, {"delay_us": 1e6 / rate_hz})
    assert round(said["unlocked_latency_us"]) == ours
    trade = evaluate(
        MODELS["moderation-trade"], {"moderation_rate_hz": rate_hz, "frame_bytes": 64.0}
    )
    assert said["unlocked_latency_us"] == pytest.approx(trade["latency_us"])
