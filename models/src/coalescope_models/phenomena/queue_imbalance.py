# SPDX-License-Identifier: Apache-2.0
"""Flows hashed onto receive queues (RSS): the busiest queue sets the throughput."""

from __future__ import annotations

from typing import Any, Final

from .link import FRAME_OVERHEAD_BYTES, WIRE_OVERHEAD_BYTES

#: Flows that meet in one queue are counted up to this many; more are left to the normal form.
_MOST_MET: Final = 4


def expected_busiest(
    flows: Any, fuller: Any, fuller_share: Any, others: Any, other_share: Any, xp: Any
) -> Any:
    """Return the mean number of flows in the busiest queue; flows are independent.

    The larger of two approximations. Together they are within 5 % of the exact mean for up to 128
    equal queues (the exact one has no closed form: it is a sum over powers of truncated
    exponentials), and within 9 % of events where some queues have a larger share.

    Few flows: for each k up to 4, whether k meet in a queue, as if groups of k were rare and
    independent: 1 - exp(-Σ_q C(n, k) w_q^k · e^(-n/4q)), the last factor chosen to suit.

    Many flows: the busiest of equal queues with μ = nw flows each has μ + a √μ and two further
    terms of the Cornish-Fisher series of a Poisson count, see `_many`; the larger of that of
    the fuller queues and that of all queues, taken as equal.

    Source:
        This project's own approximation; bounds on the busiest: Raab and Steger 1998, theorem 1
        [raab_1998] doi:10.1007/3-540-49543-6_13.

    Args:
        flows: flows n, 1 or more.
        fuller: queues that have the larger share, 1 or more.
        fuller_share: that share, the probability w of each for a flow.
        others: queues that have the smaller share; 0 where all are equal.
        other_share: that share.
        xp: array namespace.
    """
    queues = fuller + others
    met, full_groups, other_groups = (
        1.0,
        fuller * flows * fuller_share,
        others * flows * other_share,
    )
    for k in range(2, _MOST_MET + 1):
        further = xp.maximum(0.0, flows - (k - 1.0)) / k
        full_groups = full_groups * further * fuller_share
        other_groups = other_groups * further * other_share
        groups = (full_groups + other_groups) * xp.exp(-0.25 * flows / queues)
        met = met - xp.expm1(-groups)
    many = xp.maximum(_many(flows * fuller_share, fuller, xp), _many(flows / queues, queues, xp))
    return xp.minimum(flows, xp.maximum(met, many))


def _many(mean: Any, queues: Any, xp: Any) -> Any:
    """Mean of the largest of q Poisson counts, many in each.

    a, the mean of the largest of q normal numbers, is ln q/(1.022 + 0.154 √ln q + 0.105 ln q)
    within 0.003, its mean square a² + 1/(1 + a/2 + a²/2); 1.4 in the last term is chosen to suit.
    """
    log = xp.log(queues)
    largest = log / (1.022 + 0.154 * xp.sqrt(log) + 0.105 * log)
    square = largest * largest + 1.0 / (1.0 + 0.5 * largest + 0.5 * largest * largest)
    root = xp.sqrt(mean)
    third = 1.4 * largest * largest * largest / (72.0 * root)
    return mean + root * largest + (square - 1.0) / 6.0 - third


def queue_imbalance(
    streams: Any,
    mtu_bytes: Any,
    queues: Any,
    table_entries: Any,
    byte_cost_ns: Any,
    packet_cost_us: Any,
    link_rate_mbps: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return how much more the busiest queue gets than its share, and what that leaves.

    RSS takes the low bits of a hash over addresses and ports as an index into an indirection table,
    which holds queues in turn (Linux, networking/scaling.rst, “RSS: Receive Side Scaling”; 128
    entries). A hash that is as good as random puts each flow into a queue with the probability
    of the queue's entries: ⌊E/q⌋/E, or ⌈E/q⌉/E for those that come once more where q does not
    divide E. So many flows are not shared evenly either. The mean of the largest number of flows is
    this project's approximation, see `expected_busiest`: within 5 % where q divides E, else 9 %.

    Flows have the same rate, and each queue a CPU: throughput ends when the busiest one is full,
    C/(c · share) in place of q C/c.

    Source:
        Linux, scaling.rst, “RSS: Receive Side Scaling” (the rule) [linux_scaling]. The mean of the
        largest is this project's own approximation; bounds on it: Raab and Steger 1998, theorem 1
        [raab_1998] doi:10.1007/3-540-49543-6_13.

    Args:
        streams: flows n.
        mtu_bytes: MTU [bytes]; packets are full.
        queues: receive queues q, each with a CPU of its own; rounded to a whole number.
        table_entries: entries E of the indirection table; rounded likewise.
        byte_cost_ns: CPU time per byte [ns].
        packet_cost_us: CPU time per packet, its share of interrupts included [µs].
        link_rate_mbps: bit rate of the link [10⁶ bit/s].
        xp: array namespace.

    Returns:
        throughput_mbps; busiest_queue_percent of all packets; queue_imbalance, the busiest
        queue over the mean; cpu_limited_throughput_mbps; busiest_cpu_percent.
    """
    table = xp.floor(table_entries + 0.5)
    used = xp.minimum(xp.floor(queues + 0.5), table)
    entries = xp.floor(table / used)
    fuller = table - used * entries
    # where the entries go round evenly, all queues are as full
    some = xp.where(fuller > 0.0, fuller, used)
    most = xp.where(fuller > 0.0, entries + 1.0, entries) / table
    busiest = expected_busiest(streams, some, most, used - some, entries / table, xp)
    percent = 100.0 * busiest / streams
    cost_us = 1e-3 * byte_cost_ns * (mtu_bytes + FRAME_OVERHEAD_BYTES) + packet_cost_us
    frame_bits = 8.0 * (mtu_bytes + FRAME_OVERHEAD_BYTES)
    by_cpu = frame_bits / (0.01 * percent * cost_us)
    link = link_rate_mbps * (mtu_bytes + FRAME_OVERHEAD_BYTES) / (mtu_bytes + WIRE_OVERHEAD_BYTES)
    throughput = xp.minimum(by_cpu, link)
    return {
        "throughput_mbps": throughput,
        "busiest_queue_percent": percent,
        "queue_imbalance": 0.01 * xp.floor(queues + 0.5) * percent,
        "cpu_limited_throughput_mbps": by_cpu,
        "busiest_cpu_percent": 100.0 * throughput / by_cpu,
    }
