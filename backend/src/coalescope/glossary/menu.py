# SPDX-License-Identifier: Apache-2.0
"""The order in which measures are listed for readers, and which of them are raw counts."""

from coalescope.glossary.quantities import glossary_order

#: What readers look at first, in this order. Of those that an experiment has, the first is drawn
#: unless its source or the reader names another.
FIRST = (
    "throughput_mbps",
    "packets_per_interrupt",
    "traffic_cpu_jiffies_per_gb",
    "traffic_cpu_s_per_gb",
    "system_cpu_s_per_gb",
    "system_cpu_jiffies_per_gb",
    "system_cpu_percent",
    "goodput_mbps",
    "rx_interrupts_per_gb",
    "rx_interrupt_rate_hz",
    "traffic_cpu_percent",
    "idle_cpu_percent",
    "latency_us",
    "latency_p50_us",
    "latency_p99_us",
    "request_rate_hz",
)
#: Counts and times of a whole run, of use only beside how long it took, and what they repeat.
RAW = frozenset(
    {
        "elapsed_s",
        "rx_bytes",
        "rx_packets",
        "tx_bytes",
        "tx_packets",
        "rx_interrupts",
        "rx_line_interrupts",
        "drops",
        "interface_drops",
        "ring_drops",
        "backlog_drops",
        "socket_drops",
        "datagrams_lost",
        "traffic_cpu_s",
        "traffic_cpu_jiffies",
        "interface_cpu_s",
        "interface_cpu_jiffies",
        "interface_cpu_jiffies_per_gb",
        "workload_cpu_s",
        "workload_cpu_jiffies",
        "workload_cpu_jiffies_per_gb",
        "host_cpu_s",
        "probe_cpu_s",
        "package_energy_j",
        "system_cpu_s",
        "system_cpu_jiffies",
        "tx_throughput_mbps",
        "rx_packets_per_gb",
    }
)
_PLACES = {name: place for place, name in enumerate(FIRST)}


def menu_order(name: str) -> tuple[int, tuple[int, str]]:
    """Sort key: what is looked at first, the rest in the glossary's order, own measures last."""
    return _PLACES.get(name, len(_PLACES)), glossary_order(name)


def is_raw(name: str) -> bool:
    """Whether menus list the measure apart, among raw counters."""
    return name in RAW
