# SPDX-License-Identifier: Apache-2.0
"""Interrupts, and how long packets wait for them, for the rules that devices have today.

Packets come at random (Poisson, rate λ on each queue) unless a function says otherwise. Taking an
interrupt is taken to need no time. The rules are those of the sources that each function names; the
formulas are this project's own, by renewal theory: an interrupt leaves nothing behind, so each
starts the same cycle anew.
"""

from __future__ import annotations

import math
from typing import Any

from .link import packet_gap_us

_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def throttle_poisson(delay_us: Any, packet_rate_hz: Any, queues: Any, xp: Any) -> dict[str, Any]:
    """Return what a throttle does to packets that come at random.

    Interrupts are at least D apart; a counter that has run down stays at zero, so that the next
    packet interrupts at once (Intel I210 datasheet, figure 7-15). If none comes within D, which
    has the probability exp(-λD), the next is 1/λ away on average:

        E[gap] = D + exp(-λD)/λ.

    Of the packets of a cycle λ(D - w) wait for longer than w, out of λ E[gap]. So the mean wait is
    D²/(2 E[gap]), and a share q of all packets waits no longer than max(0, D - (1 - q) E[gap]).

    Source:
        This project's own derivation, by renewal theory, of the rule of the Intel I210 datasheet,
        figure 7-15 [intel_i210].

    Args:
        delay_us: D, the shortest time between two interrupts [µs].
        packet_rate_hz: packets per second, of all queues together.
        queues: receive queues with a throttle each; packets are spread over them evenly.
        xp: array namespace.

    Returns:
        packets_per_interrupt; rx_interrupt_rate_hz of all queues together [1/s]; interrupt_gap_us,
        the mean time between two interrupts of a queue [µs]; added_latency_us, the mean wait, and
        added_latency_p50_us, p90, p99 and p999, its percentiles [µs].
    """
    rate = 1e-6 * packet_rate_hz / queues
    packets = rate * delay_us + xp.exp(-rate * delay_us)
    gap_us = packets / rate
    return {
        "packets_per_interrupt": packets,
        "rx_interrupt_rate_hz": packet_rate_hz / packets,
        "interrupt_gap_us": gap_us,
        "added_latency_us": 0.5 * delay_us * delay_us / gap_us,
        **{
            f"added_latency_{name}_us": xp.maximum(0.0, delay_us - (1.0 - share) * gap_us)
            for name, share in _PERCENTILES.items()
        },
    }


def first_packet_timer_poisson(
    delay_us: Any, packet_rate_hz: Any, queues: Any, xp: Any
) -> dict[str, Any]:
    """Return what a timer that the first packet starts does to packets that come at random.

    The timer runs for D from the first packet on and is not started anew (`rx-usecs`: Linux,
    ethtool.h, struct ethtool_coalesce, “time_since_first_completion >= usecs”). While it runs λD
    packets follow, and the next one comes 1/λ after the interrupt:

        E[gap] = D + 1/λ,    packets per interrupt = 1 + λD.

    The first packet waits D, the others evenly between 0 and D: a share q waits no longer than
    min(D, q E[gap]).

    Source:
        This project's own derivation, by renewal theory, of the rule of Linux, struct
        ethtool_coalesce, “time_since_first_completion” [linux_ethtool].

    Args:
        delay_us: D, time of the timer [µs].
        packet_rate_hz: packets per second, of all queues together.
        queues: receive queues with a timer each; packets are spread over them evenly.
        xp: array namespace.

    Returns:
        As `throttle_poisson`.
    """
    rate = 1e-6 * packet_rate_hz / queues
    packets = 1.0 + rate * delay_us
    gap_us = packets / rate
    return {
        "packets_per_interrupt": packets,
        "rx_interrupt_rate_hz": packet_rate_hz / packets,
        "interrupt_gap_us": gap_us,
        "added_latency_us": delay_us * (1.0 + 0.5 * rate * delay_us) / packets,
        **{
            f"added_latency_{name}_us": xp.minimum(delay_us, share * gap_us)
            for name, share in _PERCENTILES.items()
        },
    }


def usecs_or_frames_poisson(
    delay_us: Any, packet_rate_hz: Any, rx_frames: Any, queues: Any, xp: Any
) -> dict[str, Any]:
    """Return what a timer and a count of frames do to packets at random, whichever ends first.

    The interrupt comes D after the first packet, or with the N-th (`rx-usecs` and `rx-frames`:
    Linux, ethtool.h, struct ethtool_coalesce). With m = N - 1, μ = λD and X the Poisson number of
    packets in D, a cycle has 1 + min(X, m) packets, and they wait E[Y(Y + 1)]/2λ in all, where
    Y = min(X, m). Both follow from p = P(X = m) and Q = P(X < m):

        packets = 1 + m - (m - μ) Q - m p
        E[Y(Y + 1)] = m(m + 1)(1 - Q) + μ(μ + 2) Q - m(m + 1 + μ) p.

    Of a cycle's packets there wait longer than w < D on average R_N-1(λw) - R_N-2(λD), with
    R_k(u) = E max(0, k - X_u) and X_u a Poisson number of mean u: a share q of all waits no longer
    than min(D, u/λ) with R_N-1(u) = (1 - q) packets + R_N-2(λD) = r. Its root is taken as

        m - r + sL + (1.668 + 0.496 √m) exp(-r/s) + 0.106 L²,    L = -ln(1 - exp(-r/s)),

    with s = 0.374 √m - 0.215: numbers chosen to suit. For N = 2 it is -ln r itself.

    p is taken with Stirling's series. Q = P(X < m + 2) less P(X = m) and P(X = m + 1), and of that
    the cube root is nearly normal (Wilson and Hilferty 1931); the normal distribution is taken as
    1/(1 + exp(-1.5976 z - 0.07056 z³)) (Bowling et al. 2009). For N = 2, Q = exp(-μ) itself.
    Packets per interrupt are within 0.2 % of the exact sum, the mean wait within 0.6 %, and
    percentiles within 1 % of D; `usecs_or_frames_wait_us` has them exact.

    Source:
        This project's own derivation, by renewal theory, of the rule of Linux, struct
        ethtool_coalesce [linux_ethtool]. The Poisson distribution by Wilson and Hilferty 1931
        [wilson_1931] doi:10.1073/pnas.17.12.684, and the normal one by the logistic approximation
        of Bowling et al. 2009 [bowling_2009] doi:10.3926/jiem..v2n1.p114-127.

    Args:
        delay_us: D, time of the timer [µs].
        packet_rate_hz: packets per second, of all queues together.
        rx_frames: N, frames that interrupt before the time is over; below 2 each does.
        queues: receive queues that count for themselves; packets are spread over them evenly.
        xp: array namespace.

    Returns:
        As `throttle_poisson`.
    """
    rate = 1e-6 * packet_rate_hz / queues
    expected = rate * delay_us
    most = xp.maximum(1.0, rx_frames - 1.0)
    exactly, fewer = _poisson(expected, most, xp)
    gathered = 1.0 + most - (most - expected) * fewer - most * exactly
    waited = (
        most * (most + 1.0) * (1.0 - fewer)
        + expected * (expected + 2.0) * fewer
        - most * (most + 1.0 + expected) * exactly
    )
    packets = xp.where(rx_frames < 2.0, 1.0, gathered)
    more = xp.where(most < 1.5, 0.0, _left(expected, xp.maximum(1.0, most - 1.0), xp))
    return {
        "packets_per_interrupt": packets,
        "rx_interrupt_rate_hz": packet_rate_hz / packets,
        "interrupt_gap_us": packets / rate,
        "added_latency_us": xp.where(rx_frames < 2.0, 0.0, 0.5 * waited / rate / gathered),
        **{
            f"added_latency_{name}_us": xp.where(
                rx_frames < 2.0,
                0.0,
                xp.minimum(
                    delay_us, _came_within((1.0 - share) * gathered + more, most, xp) / rate
                ),
            )
            for name, share in _PERCENTILES.items()
        },
    }


def _poisson(mean: Any, count: Any, xp: Any) -> tuple[Any, Any]:
    """P(X = k) and P(X < k) of a Poisson number X, as `usecs_or_frames_poisson` takes them."""
    ratio = mean / count
    stirling = 1.0 / (12.0 * count) - 1.0 / (360.0 * count * count * count)
    exactly = xp.exp(-count * (ratio - 1.0 - xp.log(ratio)) - stirling) / xp.sqrt(
        2.0 * math.pi * count
    )
    shape = count + 2.0
    root = 1.0 - 1.0 / (9.0 * shape) - (mean / shape) ** (1.0 / 3.0)
    normal = xp.minimum(20.0, xp.maximum(-20.0, 3.0 * xp.sqrt(shape) * root))
    fewer_than_shape = 1.0 / (1.0 + xp.exp(-normal * (1.5976 + 0.07056 * normal * normal)))
    fewer = xp.where(
        count < 1.5,
        xp.exp(-mean),
        xp.maximum(0.0, fewer_than_shape - exactly * (1.0 + mean / (count + 1.0))),
    )
    return exactly, fewer


def _left(mean: Any, count: Any, xp: Any) -> Any:
    """R_k(u) of `usecs_or_frames_poisson`."""
    exactly, fewer = _poisson(mean, count, xp)
    return xp.where(count < 1.5, fewer, (count - mean) * fewer + count * exactly)


def _came_within(left: Any, count: Any, xp: Any) -> Any:
    """The mean u of which R_k(u) is as given, as `usecs_or_frames_poisson` takes it."""
    root = xp.sqrt(count)
    scale = 0.374 * root - 0.215
    share = xp.exp(-left / scale)
    log = -xp.log1p(-share)
    several = count - left + scale * log + share * (1.668 + 0.496 * root) + 0.106 * log * log
    return xp.maximum(0.0, xp.where(count < 1.5, -xp.log(left), several))


def usecs_or_frames_wait_us(
    share: float, delay_us: float, packet_rate_hz: float, rx_frames: int
) -> float:
    """Return the time that a share of all packets waits no longer than, for packets at random.

    Exact but for rounding, found by halving. The packet that is the j-th after the first waits for
    longer than w if it comes before D - w and fewer than N - 1 - j follow it within w. So with A
    and B Poisson numbers of means λ(D - w) and λw, of the packets of a cycle there wait longer

        P(B < N - 1) + Σ_j P(A >= j) P(B < N - 1 - j),    j = 1 … N - 2.

    Source:
        This project's own derivation of the rule of Linux, struct ethtool_coalesce [linux_ethtool].

    Args:
        share: between 0 and 1, such as 0.99.
        delay_us: time D of the timer [µs].
        packet_rate_hz: packets per second on the queue.
        rx_frames: N; below 2 nothing waits.
    """
    rate = 1e-6 * packet_rate_hz
    most = rx_frames - 1
    if most < 1:
        return 0.0
    fewer = _fewer_than(most, rate * delay_us)
    packets = 1.0 + sum(1.0 - fewer[k] for k in range(1, most + 1))
    low, high = 0.0, delay_us
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _waiting_longer(middle, delay_us, rate, most) > (1.0 - share) * packets:
            low = middle
        else:
            high = middle
    return high


def _waiting_longer(wait_us: float, delay_us: float, rate: float, most: int) -> float:
    """Packets of a cycle that wait for longer than a time, on average."""
    before = _fewer_than(most, rate * (delay_us - wait_us))
    within = _fewer_than(most, rate * wait_us)
    return within[most] + sum((1.0 - before[j]) * within[most - j] for j in range(1, most))


def _fewer_than(most: int, mean: float) -> list[float]:
    """P(X < k) of a Poisson number X for k = 0 … most."""
    if mean <= 0.0:
        return [0.0] + [1.0] * most
    found = [0.0]
    for k in range(most):
        found.append(found[-1] + math.exp(k * math.log(mean) - mean - math.lgamma(k + 1.0)))
    return found


def usecs_or_frames_back_to_back(
    delay_us: Any, mtu_bytes: Any, rx_frames: Any, link_rate_mbps: Any, xp: Any
) -> dict[str, Any]:
    """Return what a timer and a count of frames do to full packets back to back.

    The rule is that of `usecs_or_frames_poisson`. Packets come a gap g apart: n = min(N, 1 + ⌊D/g⌋)
    share an interrupt, which comes T = (n - 1) g after the first if the count ends the cycle, and
    D after it otherwise. They wait T, T - g, …, T - (n - 1) g; a share q waits no longer than
    T - (n - ⌈qn⌉) g.

    Source:
        This project's own counting, of the rule of Linux, struct ethtool_coalesce [linux_ethtool].

    Args:
        delay_us: D, time of the timer [µs].
        mtu_bytes: MTU [bytes].
        rx_frames: N, frames that interrupt before the time is over; below 2 each does.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        xp: array namespace.

    Returns:
        packets_per_interrupt; rx_interrupt_rate_hz [1/s]; interrupt_gap_us [µs]; added_latency_us,
        the mean wait, and added_latency_p50_us, p90, p99 and p999, its percentiles [µs].
    """
    gap_us = packet_gap_us(mtu_bytes, link_rate_mbps)
    most = xp.maximum(1.0, xp.floor(rx_frames))
    packets = xp.minimum(most, 1.0 + xp.floor(delay_us / gap_us))
    end_us = xp.where(packets < most, delay_us, (packets - 1.0) * gap_us)
    return {
        "packets_per_interrupt": packets,
        "rx_interrupt_rate_hz": 1e6 / gap_us / packets,
        "interrupt_gap_us": packets * gap_us,
        "added_latency_us": end_us - 0.5 * (packets - 1.0) * gap_us,
        **{
            f"added_latency_{name}_us": end_us - (packets - xp.ceil(share * packets)) * gap_us
            for name, share in _PERCENTILES.items()
        },
    }
