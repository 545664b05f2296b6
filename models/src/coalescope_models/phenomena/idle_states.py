# SPDX-License-Identifier: Apache-2.0
"""What sleeping between interrupts costs in latency and saves in energy: C-states and ASPM."""

from __future__ import annotations

from typing import Any

from .link import FRAME_OVERHEAD_BYTES, packet_gap_us


def wake_up_latency(
    packet_rate_hz: Any,
    delay_us: Any,
    interrupt_cost_us: Any,
    shallow_exit_us: Any,
    deep_exit_us: Any,
    deep_residency_us: Any,
    link_exit_us: Any,
    link_idle_us: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return how long an interrupt waits for a CPU and a PCI Express link that sleep.

    An idle state has a target residency, below which it does not pay, and an exit latency, which
    the interrupt that ends it waits for (Linux, admin-guide/pm/cpuidle.rst, “The Idle Loop”). The
    rest is this project's derivation.

    Packets come at random (Poisson, λ), and interrupts are at least T_d apart (a throttle). The CPU
    is busy for c after it has woken up, with interrupts masked, and then idle until the next. The
    governor knows how long: it takes the deep state (residency r, exit x_d) where that pays, else
    the shallow one (exit x_s). The time between interrupts exceeds t with the probability

        A(t) = 1 for t < T_d, else e^(-λt),

    so after a shallow sleep the next is deep with a = A(c + x_s + r), after a deep one with
    b = A(c + x_d + r), and of all sleeps

        p = a/(1 + a - b)

    are deep. The link goes to sleep by itself t_L after the last packet or interrupt (ASPM L1) and
    has to wake up, in x_L, before the interrupt can cross it. An interrupt finds neither in the
    last t_L with e^(-λ t_L), whatever the throttle. It waits (1 - p) x_s + p x_d + e^(-λ t_L) x_L
    on average.

    Source:
        This project's own derivation, with the idle states of Linux, cpuidle.rst, “The Idle Loop”
        [linux_cpuidle].

    Args:
        packet_rate_hz: packets λ per second.
        delay_us: least time T_d between interrupts [µs].
        interrupt_cost_us: CPU time c of an interrupt with what it brings [µs].
        shallow_exit_us: exit latency x_s of the shallow idle state [µs].
        deep_exit_us: exit latency x_d of the deep one [µs].
        deep_residency_us: target residency r of the deep one [µs].
        link_exit_us: time x_L in which the link wakes up; 0 without ASPM [µs].
        link_idle_us: time t_L without packet or interrupt after which the link sleeps [µs].
        xp: array namespace.

    Returns:
        wake_latency_us, the mean; longest_wake_latency_us, that of an interrupt that finds both
        asleep; deep_wake_percent and link_wake_percent of interrupts; rx_interrupt_rate_hz.
    """
    rate = 1e-6 * packet_rate_hz
    awake_us = interrupt_cost_us + shallow_exit_us
    to_deep = _longer(awake_us + deep_residency_us, delay_us, rate, xp)
    # 1 - b as it is, not as a difference, of which nothing may be left
    from_deep = _sooner(interrupt_cost_us + deep_exit_us + deep_residency_us, delay_us, rate, xp)
    deep_percent = 100.0 * to_deep / (to_deep + from_deep)
    link_percent = 100.0 * xp.exp(-rate * link_idle_us)
    after_shallow_us = _mean_gap_us(xp.maximum(delay_us, awake_us), rate, xp)
    after_deep_us = _mean_gap_us(xp.maximum(delay_us, interrupt_cost_us + deep_exit_us), rate, xp)
    between_us = after_shallow_us + 0.01 * deep_percent * (after_deep_us - after_shallow_us)
    return {
        "wake_latency_us": shallow_exit_us
        + 0.01 * deep_percent * (deep_exit_us - shallow_exit_us)
        + 0.01 * link_percent * link_exit_us,
        "longest_wake_latency_us": deep_exit_us + link_exit_us,
        "deep_wake_percent": deep_percent,
        "link_wake_percent": link_percent,
        "rx_interrupt_rate_hz": 1e6 / between_us,
    }


def receive_energy(
    delay_us: Any,
    mtu_bytes: Any,
    interrupt_cost_us: Any,
    packet_cost_us: Any,
    active_power_w: Any,
    shallow_power_w: Any,
    deep_power_w: Any,
    deep_residency_us: Any,
    other_power_w: Any,
    link_rate_mbps: Any,
    link_load: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the power of a receiving CPU and the energy of what it receives.

    A CPU draws P_a while it works, P_s in a shallow and P_d in a deep idle state. The deep state's
    target residency r is the time from which on it saves energy (Linux, admin-guide/pm/cpuidle.rst,
    “The Idle Loop”): entering and leaving it costs (P_s - P_d) r. The rest is this project's
    derivation.

    Packets come at random (Poisson, λ), and interrupts are at least T_d apart (a throttle), or as
    long as the CPU is busy with one: H = max(T_d, c_i + c_p). Their mean distance is
    H + e^(-λH)/λ. Each keeps the CPU busy for b = c_i + c_p · packets; of the idle time after it
    what lies beyond r is saved, on average

        s = max(0, H - b - r) + e^(-λ max(H, b + r))/λ.

    With f interrupts a second the power is P = P_o + P_s + f b (P_a - P_s) - f s (P_s - P_d).

    Source:
        This project's own derivation, with the idle states of Linux, cpuidle.rst, “The Idle Loop”
        [linux_cpuidle].

    Args:
        delay_us: least time T_d between interrupts [µs].
        mtu_bytes: MTU [bytes]; packets are full.
        interrupt_cost_us: CPU time c_i per interrupt [µs].
        packet_cost_us: CPU time c_p per packet [µs].
        active_power_w: power P_a of the CPU at work [W].
        shallow_power_w: power P_s in the shallow idle state [W].
        deep_power_w: power P_d in the deep one [W].
        deep_residency_us: target residency r of the deep one [µs].
        other_power_w: power P_o of everything else that is counted [W].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        link_load: offered packet rate as a share of the saturated link's.
        xp: array namespace.

    Returns:
        energy_j_per_gb of link-level bytes; package_power_w; packet_energy_uj;
        system_cpu_percent of one CPU; deep_idle_percent of the time; rx_interrupt_rate_hz. A
        CPU that is full draws P_a, and takes as much of the packets as it can.
    """
    gap_us = packet_gap_us(mtu_bytes, link_rate_mbps * link_load)
    held_us = xp.maximum(delay_us, interrupt_cost_us + packet_cost_us)
    packets = held_us / gap_us + xp.exp(-held_us / gap_us)
    between_us = gap_us * packets
    busy_us = interrupt_cost_us + packet_cost_us * packets
    kept = xp.minimum(1.0, between_us / busy_us)
    busy = xp.minimum(1.0, busy_us / between_us)
    from_us = busy_us + deep_residency_us
    longer = _longer(from_us, held_us, 1.0 / gap_us, xp)
    saved_us = xp.maximum(0.0, held_us - from_us) + gap_us * xp.exp(
        -xp.maximum(held_us, from_us) / gap_us
    )
    # a full CPU does not sleep
    idle = xp.where(busy < 1.0, 1.0, 0.0)
    saved = idle * saved_us / between_us
    power = (
        other_power_w
        + shallow_power_w
        + busy * (active_power_w - shallow_power_w)
        - saved * (shallow_power_w - deep_power_w)
    )
    packet_uj = power * gap_us / kept
    return {
        "energy_j_per_gb": 1e3 * packet_uj / (mtu_bytes + FRAME_OVERHEAD_BYTES),
        "package_power_w": power,
        "packet_energy_uj": packet_uj,
        "system_cpu_percent": 100.0 * busy,
        "deep_idle_percent": 100.0 * (saved + idle * deep_residency_us * longer / between_us),
        "rx_interrupt_rate_hz": 1e6 * kept / between_us,
    }


def _longer(time_us: Any, held_us: Any, rate: Any, xp: Any) -> Any:
    """Probability that the next interrupt is later than a time, where none is before `held_us`."""
    return xp.where(time_us < held_us, 1.0, xp.exp(-rate * time_us))


def _sooner(time_us: Any, held_us: Any, rate: Any, xp: Any) -> Any:
    """Probability that it is not, 1 - `_longer`."""
    return xp.where(time_us < held_us, 0.0, -xp.expm1(-rate * time_us))


def _mean_gap_us(held_us: Any, rate: Any, xp: Any) -> Any:
    """Mean time to the next interrupt, where none is before `held_us`."""
    return held_us + xp.exp(-rate * held_us) / rate
