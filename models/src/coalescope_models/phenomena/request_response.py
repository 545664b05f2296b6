# SPDX-License-Identifier: Apache-2.0
"""A closed loop of clients that wait for each reply: the NFS workload of Geist et al. 2005."""

from __future__ import annotations

from typing import Any

from .link import FRAME_OVERHEAD_BYTES, packet_gap_us


def request_response(
    delay_us: Any,
    mtu_bytes: Any,
    alpha: Any,
    beta: Any,
    gamma: Any,
    clients: Any,
    reply_bytes: Any,
    small_packets: Any,
    idle_us: Any,
    delay_waits: Any,
    burst_rate_mbps: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return throughput, interrupts and CPU of clients that each wait for one reply at a time.

    A reply comes as a burst of evenly spaced packets, and small packets come with it one by one.
    An absolute timer gathers up to 1 + T_d/gap packets of a burst, which leaves

        I_1 = P_b/min(P_b, 1 + T_d/gap) + P_s

    interrupts a reply when nothing else is under way. Other clients' packets that arrive while the
    timer runs join in: at X replies a second, I = I_1/(1 + I_1 X T_d).

    A client goes on when the last packet of its reply is handed up. The timer is then not new:
    packets of a gathered group find it half run on average, (n - 1) gap/2 = T_d/2 for n = 1 +
    T_d/gap, and one that outlasts the burst has run since the first of its P_b packets:

        t_run = min(T_d/2, (P_b - 1) gap).

    The time from reply to reply, over all clients, is

        1/X = t_idle + CPU time per reply + (k T_d - min(k, 1) t_run)/n_c,

    where k is how many timers a client waits for in each cycle, of which the reply's is one. As the
    CPU time falls with I, and I with X, this is a quadratic equation in 1/X; its positive root is
    taken in the form that does not cancel.

    Source:
        Geist et al. 2005, section 3, “NFS” (the workload) [geist_2005]; the closed loop is this
        project's own derivation.

    Args:
        delay_us: time T_d of the absolute timer [µs].
        mtu_bytes: MTU [bytes].
        alpha: CPU time per 10⁶ bytes [jiffies of 10 ms].
        beta: CPU time per thousand packets [jiffies].
        gamma: CPU time per thousand interrupts [jiffies].
        clients: clients n_c, each with one request under way.
        reply_bytes: link-level bytes received for each reply, all packets together [bytes].
        small_packets: packets P_s that come one by one with each reply.
        idle_us: time t_idle per reply that neither the CPU nor the timer takes, over all
            clients [µs].
        delay_waits: timers k that a client waits for, on average, from request to request.
        burst_rate_mbps: rate at which a burst arrives [10⁶ bit/s].
        xp: array namespace.

    Returns:
        throughput_mbps, packets_per_interrupt, rx_interrupt_rate_hz, system_cpu_percent,
        request_rate_hz, latency_us (what one client waits for a reply, by Little's law);
        reply_cycle_us (1/X), lone_interrupts (I_1), reply_work_us (its part without interrupts),
        timer_wait_us (k T_d - min(k, 1) t_run).
    """
    # frames, as the reply's bytes are counted at link level
    burst = xp.ceil(reply_bytes / (mtu_bytes + FRAME_OVERHEAD_BYTES))
    packets = burst + small_packets
    gap = packet_gap_us(mtu_bytes, burst_rate_mbps)
    alone = burst / xp.minimum(burst, 1.0 + delay_us / gap) + small_packets
    # 1 jiffy is 10⁴ µs: per 10⁶ bytes, and per thousand packets or interrupts
    fixed_cpu = 1e-2 * alpha * reply_bytes + 10.0 * beta * packets
    run = xp.minimum(0.5 * delay_us, (burst - 1.0) * gap)
    waited = delay_waits * delay_us - xp.minimum(delay_waits, 1.0) * run
    fixed = idle_us + fixed_cpu + waited / clients
    interrupts_alone_us = 10.0 * gamma * alone
    joined = alone * delay_us
    half = 0.5 * (fixed + interrupts_alone_us - joined)
    root = xp.sqrt(half * half + fixed * joined)
    cycle = xp.where(half > 0.0, half + root, fixed * joined / xp.maximum(root - half, 1e-300))
    interrupts = alone / (1.0 + joined / cycle)
    cpu = fixed_cpu + 10.0 * gamma * interrupts
    return {
        "throughput_mbps": 8.0 * reply_bytes / cycle,
        "packets_per_interrupt": packets / interrupts,
        "rx_interrupt_rate_hz": 1e6 * interrupts / cycle,
        "system_cpu_percent": 100.0 * cpu / cycle,
        "request_rate_hz": 1e6 / cycle,
        "latency_us": clients * cycle,
        "reply_cycle_us": cycle,
        "lone_interrupts": alone,
        "reply_work_us": fixed,
        "timer_wait_us": waited,
    }
