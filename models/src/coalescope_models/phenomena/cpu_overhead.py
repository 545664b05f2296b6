# SPDX-License-Identifier: Apache-2.0
"""System CPU time as a sum of byte, packet and interrupt costs: Geist et al. 2005, section 4.

The unit of the result is that of the fitted response: jiffies in the paper, seconds elsewhere.
"""

from __future__ import annotations

from typing import Any

from .interrupts import timer_packets_per_interrupt


def cpu_overhead(
    rx_megabytes: Any,
    rx_kilopackets: Any,
    rx_kilointerrupts: Any,
    alpha: Any,
    beta: Any,
    gamma: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return T = α N_MB + β N_KP + γ N_KI, the first equation of section 4.

    Source:
        Geist et al. 2005, section 4, first equation [geist_2005].

    Args:
        rx_megabytes: 10⁶ bytes received.
        rx_kilopackets: thousands of packets received.
        rx_kilointerrupts: thousands of receive interrupts.
        alpha: CPU time per 10⁶ bytes.
        beta: CPU time per thousand packets.
        gamma: CPU time per thousand interrupts.
        xp: array namespace.
    """
    return {"system_cpu": alpha * rx_megabytes + beta * rx_kilopackets + gamma * rx_kilointerrupts}


def cpu_overhead_surface(
    mtu_bytes: Any,
    packets_per_interrupt: Any,
    packet_fill: Any,
    alpha: Any,
    beta: Any,
    gamma: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return CPU time per 10⁹ bytes over MTU and packets per interrupt, and its three parts.

    T = 1000 α + 10⁶/MTU (β + γ/PPI), section 4 “CPU overhead as a function of MTU and PPI”. The
    paper takes every packet as full; `packet_fill` φ is the mean packet over the MTU, and
    10⁶/(φ MTU) thousand packets then carry 10⁹ bytes.

    Source:
        Geist et al. 2005, section 4, “CPU overhead as a function of MTU and PPI” [geist_2005]; φ is
        this project's.

    Args:
        mtu_bytes: MTU [bytes].
        packets_per_interrupt: packets per receive interrupt.
        packet_fill: mean packet size as a share of the MTU; 1 is the paper's own form.
        alpha: CPU time per 10⁶ bytes.
        beta: CPU time per thousand packets.
        gamma: CPU time per thousand interrupts.
        xp: array namespace.
    """
    byte_cost = 1000.0 * alpha
    kilopackets = 1e6 / (packet_fill * mtu_bytes)
    return {
        "system_cpu_per_gb": byte_cost + kilopackets * (beta + gamma / packets_per_interrupt),
        "byte_cost_per_gb": byte_cost,
        "packet_cost_per_gb": kilopackets * beta,
        "interrupt_cost_per_gb": kilopackets * (gamma / packets_per_interrupt),
    }


def cpu_overhead_open_loop(
    mtu_bytes: Any,
    delay_us: Any,
    alpha: Any,
    beta: Any,
    gamma: Any,
    link_rate_mbps: Any,
    link_load: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return CPU time per 10⁹ bytes of full packets, with packets per interrupt from the timer.

    `cpu_overhead_surface` with φ = 1 and packets per interrupt from
    `interrupts.timer_packets_per_interrupt`, so that it can be explored with no data.

    Source:
        Geist et al. 2005, sections 3 (the timer) and 4 (the costs) [geist_2005].

    Args:
        mtu_bytes: MTU [bytes].
        delay_us: time of the absolute timer [µs].
        alpha: CPU time per 10⁶ bytes.
        beta: CPU time per thousand packets.
        gamma: CPU time per thousand interrupts.
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        link_load: offered packet rate as a share of the saturated link's.
        xp: array namespace.
    """
    timer = timer_packets_per_interrupt(delay_us, mtu_bytes, link_rate_mbps, link_load, xp)
    packets_per_interrupt = timer["packets_per_interrupt"]
    costs = cpu_overhead_surface(mtu_bytes, packets_per_interrupt, 1.0, alpha, beta, gamma, xp)
    return {**costs, "packets_per_interrupt": packets_per_interrupt}
