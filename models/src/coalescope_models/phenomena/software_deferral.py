# SPDX-License-Identifier: Apache-2.0
"""Interrupts that Linux itself puts off: timers between polls, and polls of the application.

A poll that found packets leaves the interrupt masked and starts a timer (`gro_flush_timeout`). When
it ends the kernel polls again; `napi_defer_hard_irqs` polls in a row that find nothing unmask the
interrupt (Linux, Documentation/networking/napi.rst, “Software IRQ coalescing”). Preferred busy
polling keeps both away while the application finds packets (“IRQ mitigation”). These are three
loops that hand packets up: interrupt, timer, application. The formulas are this project's own, by
renewal theory: packets come at random (Poisson, rate λ), and a poll needs no time of its own.
"""

from __future__ import annotations

from typing import Any

_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def deferred_interrupts(
    gro_flush_timeout_us: Any,
    packet_rate_hz: Any,
    napi_defer_hard_irqs: Any,
    queues: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return interrupts, polls and waits where a timer polls before the interrupt is back.

    Of each timer T a share e = exp(-λT) passes without a packet. After a poll that found some, N
    timers in a row are empty with the probability e^N: then the next packet interrupts. Else the
    first that is not empty is the next poll to find some. So between two such polls there are
    K = (1 - e^N)/(1 - e) timers on average, which take V = KT + e^N/λ with the wait for the packet
    that interrupts, and interrupts come at the rate e^N/V.

    Packets that come while a timer runs wait for its end, evenly between 0 and T; the one that
    interrupts does not. So a share q waits no longer than max(0, T - (1 - q) V/K).

    Source:
        This project's own derivation, by renewal theory, of the rule of Linux, napi.rst, “Software
        IRQ coalescing” [linux_napi].

    Args:
        gro_flush_timeout_us: T [µs].
        packet_rate_hz: packets per second, of all queues together.
        napi_defer_hard_irqs: N; 0 defers nothing.
        queues: receive queues, each with a NAPI instance; packets are spread over them evenly.
        xp: array namespace.

    Returns:
        rx_interrupt_rate_hz and timer_poll_rate_hz of all queues together [1/s]; packets_per_poll,
        of polls after an interrupt or a timer; interrupt_share, packets that an interrupt tells of
        out of all; added_latency_us, the mean wait, and added_latency_p50_us, p90, p99 and p999,
        its percentiles [µs].
    """
    rate = 1e-6 * packet_rate_hz / queues
    gone, timers, cycle_us = _deferral(gro_flush_timeout_us, rate, napi_defer_hard_irqs, xp)
    return {
        "rx_interrupt_rate_hz": 1e6 * queues * gone / cycle_us,
        "timer_poll_rate_hz": 1e6 * queues * timers / cycle_us,
        "packets_per_poll": rate * cycle_us / (gone + timers),
        "interrupt_share": gone / (rate * cycle_us),
        "added_latency_us": 0.5 * gro_flush_timeout_us**2.0 * timers / cycle_us,
        **_percentiles_us(gro_flush_timeout_us, timers, cycle_us, xp),
    }


def suspended_interrupts(
    gro_flush_timeout_us: Any,
    packet_rate_hz: Any,
    napi_defer_hard_irqs: Any,
    packet_cost_us: Any,
    queues: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return which of three loops hands packets up where the application polls while it finds some.

    The application takes c for each packet and polls again (preferred busy polling), with
    interrupts and timers suspended for up to `irq_suspend_timeout`, which is taken to be longer
    than it needs for what one poll finds. It goes on until a poll finds nothing; from then on it is
    as in `deferred_interrupts`. So a queue is busy for the share ρ = λc of the time, and of what is
    left a cycle of that function takes V: interrupts come at the rate (1 - ρ) e^N/V.

    Packets that come while the queue is busy are found by the application; they queue as they would
    without moderation. What moderation adds to the wait, beyond that of a queue that is served at
    once, does not depend on it, and is what packets that come otherwise wait until they are found
    (Fuhrmann and Cooper 1985): mean and percentiles are those of `deferred_interrupts`.

    Source:
        This project's own derivation of the rules of Linux, napi.rst, “Software IRQ coalescing” and
        “IRQ mitigation” [linux_napi]; the wait by the theorem of Fuhrmann and Cooper 1985
        [fuhrmann_1985] doi:10.1287/opre.33.5.1117.

    Args:
        gro_flush_timeout_us: T [µs].
        packet_rate_hz: packets per second, of all queues together.
        napi_defer_hard_irqs: N; 0 defers nothing.
        packet_cost_us: c, CPU time of a packet until the application polls again [µs].
        queues: receive queues, each with an application of its own that polls it.
        xp: array namespace.

    Returns:
        rx_interrupt_rate_hz and timer_poll_rate_hz of all queues together [1/s]; interrupt_share,
        timer_share and busy_poll_share, packets that each loop hands up out of all;
        added_latency_us, the mean of what moderation adds to the wait, and added_latency_p50_us,
        p90, p99 and p999, its percentiles [µs]; not known (NaN) where the application cannot
        follow, as a queue that never empties has no steady wait. Percentiles of the whole wait are
        less than their sum with those of the queue.
    """
    rate = 1e-6 * packet_rate_hz / queues
    gone, timers, cycle_us = _deferral(gro_flush_timeout_us, rate, napi_defer_hard_irqs, xp)
    busy = xp.minimum(1.0, rate * packet_cost_us)
    idle = 1.0 - busy
    steady_us = cycle_us * idle / idle  # 0/0, not known, where the queue never empties
    return {
        "rx_interrupt_rate_hz": 1e6 * queues * idle * gone / cycle_us,
        "timer_poll_rate_hz": 1e6 * queues * idle * timers / cycle_us,
        "interrupt_share": idle * gone / (rate * cycle_us),
        "timer_share": idle * gro_flush_timeout_us * timers / cycle_us,
        "busy_poll_share": busy,
        "added_latency_us": 0.5 * gro_flush_timeout_us**2.0 * timers / steady_us,
        **_percentiles_us(gro_flush_timeout_us, timers, steady_us, xp),
    }


def _percentiles_us(timeout_us: Any, timers: Any, cycle_us: Any, xp: Any) -> dict[str, Any]:
    """Percentiles of the wait of packets of which some come while timers run, and some do not."""
    return {
        f"added_latency_{name}_us": xp.maximum(0.0, timeout_us - (1.0 - share) * cycle_us / timers)
        for name, share in _PERCENTILES.items()
    }


def _deferral(timeout_us: Any, rate: Any, deferrals: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return e^N, K and V of `deferred_interrupts`; `rate` in packets per µs."""
    arriving = xp.maximum(rate * timeout_us, 1e-300)
    gone = xp.exp(-deferrals * arriving)
    timers = xp.expm1(-deferrals * arriving) / xp.expm1(-arriving)
    return gone, timers, timers * timeout_us + gone / rate
