# SPDX-License-Identifier: Apache-2.0
"""Models of Chase, Gallatin and Yocum 1999."""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.host_costs import end_system_costs
from ..vocabulary.sources import SOURCES
from .model import Model, quantities, slider

MODELS = (
    Model(
        id="end-system-costs",
        title="Receiver and sender CPU of a bulk transfer",
        summary="CPU of both ends and the bandwidth that it limits, against the MTU, with copying "
        "and checksums switched on or off.",
        use="To see what copying, checksums, the MTU and interrupts each take from the "
        "bandwidth of a bulk transfer.",
        assumptions=(
            "One CPU at each end does all the work, and the slowest stage sets the rate.",
            "Every byte costs the same to copy or to sum, every packet the same to handle.",
        ),
        limits=(
            "It bends where another stage becomes the slowest.",
            "Caches make copies of small transfers cheaper; memory bandwidth that both ends' "
            "devices share is not in it.",
        ),
        function=end_system_costs,
        inputs=quantities("mtu_bytes"),
        parameters=(
            slider("copy_cost_ns", 5.0, 0.0, 20.0, 0.1),
            slider("copies", 1.0, 0.0, 4.0, 0.5),
            slider("checksum_cost_ns", 3.0, 0.0, 20.0, 0.1),
            slider("checksums", 1.0, 0.0, 2.0, 0.2),
            # saturation near 300 Mb/s at MTU 1500 with copy and checksum: 40 µs a packet
            slider("packet_cost_us", 18.0, 0.0, 60.0, 0.1),
            slider("interrupt_cost_us", 10.0, 0.0, 40.0, 0.1),
            slider("gathered_packets", 1.0, 1.0, 32.0, 0.1),
            slider("sender_cost_ratio", 0.6, 0.1, 1.5, 0.01),
            slider("link_rate_mbps", 1000.0, 100.0, 800000.0, 100.0),
            slider("adapter_packet_rate_hz", 1000000.0, 10000.0, 10000000.0, 1000.0),
        ),
        outputs=quantities(
            "throughput_mbps",
            "cpu_limited_throughput_mbps",
            "system_cpu_percent",
            "sender_cpu_percent",
        ),
        named=("throughput_mbps",),
        citation=SOURCES["chase_1999"] + ", figures 3 and 4",
        axes=MappingProxyType({"mtu_bytes": "x"}),
        notes=(
            "The figures' numbers were not printed. The defaults saturate a receiver near the "
            "300 Mb/s that the text gives for the Intel hosts at MTU 1500.",
        ),
    ),
)
