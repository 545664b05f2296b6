# SPDX-License-Identifier: Apache-2.0
"""Measures that follow from other measures of the same run. Pure; shapes: scalars."""

from collections.abc import Mapping

BYTES_PER_GB = 1e9

# derived measure: (numerator, denominator, scale), value = scale * numerator / denominator
_RATIOS: Mapping[str, tuple[str, str, float]] = {
    "packets_per_interrupt": ("rx_packets", "rx_interrupts", 1.0),
    "rx_interrupt_rate_hz": ("rx_interrupts", "elapsed_s", 1.0),
    "mean_packet_bytes": ("rx_bytes", "rx_packets", 1.0),
    "system_cpu_percent": ("system_cpu_s", "elapsed_s", 100.0),
    "system_cpu_s_per_gb": ("system_cpu_s", "rx_bytes", BYTES_PER_GB),
    "system_cpu_jiffies_per_gb": ("system_cpu_jiffies", "rx_bytes", BYTES_PER_GB),
    "receiver_cpu_percent": ("receiver_cpu_s", "elapsed_s", 100.0),
    "receiver_cpu_s_per_gb": ("receiver_cpu_s", "rx_bytes", BYTES_PER_GB),
    "receiver_cpu_jiffies_per_gb": ("receiver_cpu_jiffies", "rx_bytes", BYTES_PER_GB),
    "rx_interrupts_per_gb": ("rx_interrupts", "rx_bytes", BYTES_PER_GB),
    "rx_packets_per_gb": ("rx_packets", "rx_bytes", BYTES_PER_GB),
}


def derive(given: Mapping[str, float]) -> dict[str, float]:
    """`given` with every ratio that its counts allow; what is given is kept as it is.

    A ratio to zero is absent, not infinite: a run without interrupts has no packets per interrupt.
    """
    found = dict(given)
    for name, (above, below, scale) in _RATIOS.items():
        if name not in given and above in given and given.get(below, 0.0) > 0.0:
            found[name] = scale * given[above] / given[below]
    return found
