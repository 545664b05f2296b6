# SPDX-License-Identifier: Apache-2.0
"""Measures that follow from other measures of the same run. Pure; shapes: scalars."""

from collections.abc import Mapping

BYTES_PER_GB = 1e9

# whose CPU time is given as a share of the window, and for bytes received
_PARTIES = ("traffic", "system", "interface", "workload")

# derived measure: (numerator, denominator, scale), value = scale * numerator / denominator
RATIOS: Mapping[str, tuple[str, str, float]] = {
    "packets_per_interrupt": ("rx_packets", "rx_interrupts", 1.0),
    "rx_interrupt_rate_hz": ("rx_interrupts", "elapsed_s", 1.0),
    "packets_per_line_interrupt": ("rx_packets", "rx_line_interrupts", 1.0),
    "rx_line_interrupt_rate_hz": ("rx_line_interrupts", "elapsed_s", 1.0),
    "mean_packet_bytes": ("rx_bytes", "rx_packets", 1.0),
    "host_cpu_percent": ("host_cpu_s", "elapsed_s", 100.0),
    "package_power_w": ("package_energy_j", "elapsed_s", 1.0),
    "energy_j_per_gb": ("package_energy_j", "rx_bytes", BYTES_PER_GB),
    "rx_interrupts_per_gb": ("rx_interrupts", "rx_bytes", BYTES_PER_GB),
    "rx_packets_per_gb": ("rx_packets", "rx_bytes", BYTES_PER_GB),
    **{f"{who}_cpu_percent": (f"{who}_cpu_s", "elapsed_s", 100.0) for who in _PARTIES},
    **{
        f"{who}_cpu_{unit}_per_gb": (f"{who}_cpu_{unit}", "rx_bytes", BYTES_PER_GB)
        for who in _PARTIES
        for unit in ("s", "jiffies")
    },
}


_OF = frozenset(name for above, below, _ in RATIOS.values() for name in (above, below))


def derive(given: Mapping[str, float]) -> dict[str, float]:
    """`given` with every ratio that its counts allow; what is given is kept as it is.

    A ratio to zero is absent, not infinite: a run without interrupts has no packets per interrupt.
    """
    found = dict(given)
    if _OF.isdisjoint(given):
        return found
    for name, (above, below, scale) in RATIOS.items():
        if name not in given and above in given and given.get(below, 0.0) > 0.0:
            found[name] = scale * given[above] / given[below]
    return found
