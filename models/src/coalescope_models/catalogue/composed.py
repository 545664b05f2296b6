# SPDX-License-Identifier: Apache-2.0
"""The composed predictor, a model for each kind of workload."""

from __future__ import annotations

from ..phenomena.receive_path import open_loop, windowed
from ..vocabulary.sources import SOURCES
from .model import DELAY_BY_MTU, DELAY_RIGHT_MTU_UP, Model, Parameter, quantities, slider

_MODERATION = (
    slider("moderation_kind", 1.0, 0.0, 5.0, 1.0),
    # RxIntDelay 1200 of the 2005 study
    slider("packet_delay_us", 1228.8, 0.0, 2000.0, 0.1),
)


def _costs(
    byte_ns: float, packet_us: float, interrupt_us: float, read_bytes: float
) -> tuple[Parameter, ...]:
    return (
        slider("byte_cost_ns", byte_ns, 0.0, 20.0, 0.01),
        slider("packet_cost_us", packet_us, 0.0, 20.0, 0.01),
        slider("interrupt_cost_us", interrupt_us, 0.0, 40.0, 0.01),
        slider("system_call_cost_us", 1.0, 0.0, 10.0, 0.01),
        slider("read_bytes", read_bytes, 0.0, 65536.0, 16.0),
    )


_HOST = (
    slider("link_rate_mbps", 1000.0, 100.0, 800000.0, 100.0),
    slider("bus_rate_mbps", 10000.0, 500.0, 800000.0, 10.0),
    slider("ring_descriptors", 256.0, 64.0, 4096.0, 1.0),
)
_PREDICTED = (
    "throughput_mbps",
    "packets_per_interrupt",
    "rx_interrupt_rate_hz",
    "system_cpu_percent",
    "added_latency_us",
    "carried_packet_rate_hz",
    "arriving_packet_rate_hz",
    "receive_cost_us",
)
_NAMED = (
    "packets_per_interrupt",
    "carried_packet_rate_hz",
    "arriving_packet_rate_hz",
    "receive_cost_us",
)
_SOURCES = f"{SOURCES['geist_2005']}, sections 2 to 4; {SOURCES['intel_8254x']} (moderation)"
_DEFAULTS = (
    "Costs start from the TCP coefficients of the 2005 study's text (0.13, 0.37, 1.43 jiffies); "
    "the cost of a system call is this project's assumption.",
)

MODELS = (
    Model(
        id="receive-open-loop",
        title="Receiving a stream that does not wait",
        summary="Host costs, link, bus, ring and moderation together, for traffic that comes "
        "whatever the receiver does (UDP fan-in); what binds is named.",
        use="To predict a host from its parts for traffic that does not wait (UDP, many "
        "senders), and to see which part binds.",
        assumptions=(
            "Packets come at a constant rate, one in each frame time with the same probability: "
            "evenly on a full link. Link, bus, CPU and offered load each bound it in turn.",
            "One CPU receives, and its costs per byte, packet, interrupt and system call add up.",
            "Interrupts go before packets: a CPU that is full of them carries less the more is "
            "offered, down to a livelock.",
        ),
        limits=(
            "A driver that stops interrupting and polls when it cannot follow (NAPI) has no "
            "livelock; what the driver itself does to a packet before it is lost is not counted.",
            "Under an absolute timer it has a step wherever one more frame fits into the delay.",
            "The kind of moderation is a choice of six: between two of them there is a jump, "
            "not a slope.",
            "What binds is a number for a name; it jumps where one limit takes over from another.",
        ),
        function=open_loop,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            *_MODERATION,
            *_costs(1.3, 3.7, 14.3, 0.0),
            slider("offered_mbps", 1000.0, 1.0, 800000.0, 1.0),
            *_HOST,
        ),
        outputs=quantities(*_PREDICTED, "drop_percent", "binding_constraint"),
        named=_NAMED,
        citation=_SOURCES,
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=_DEFAULTS,
    ),
    Model(
        id="receive-windowed",
        title="Receiving within windows",
        summary="Host costs, link, bus, ring and moderation together, for connections that wait "
        "for acknowledgements (TCP fan-in); what binds is named.",
        use="To predict a host from its parts for connections that wait for acknowledgements "
        "(TCP, many senders), and to see which part binds.",
        assumptions=(
            "Windows are constant and full, nothing is lost, and one interface coalesces.",
            "One CPU receives, and its costs per byte, packet, interrupt and system call add up.",
        ),
        limits=(
            "Windows are whole numbers of segments: steps along the MTU.",
            "The kind of moderation is a choice of six: between two of them there is a jump, "
            "not a slope.",
            "Receive offloads that merge segments (LRO, GRO) and delayed acknowledgements are "
            "not in it.",
        ),
        function=windowed,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            *_MODERATION,
            *_costs(1.3, 3.7, 14.3, 16384.0),
            slider("connections", 10.0, 1.0, 64.0, 1.0),
            slider("window_bytes", 32768.0, 4096.0, 1048576.0, 1024.0),
            slider("rtt_min_us", 150.0, 10.0, 5000.0, 1.0),
            *_HOST,
        ),
        outputs=quantities(*_PREDICTED, "window_packet_rate_hz", "binding_constraint"),
        named=(*_NAMED, "window_packet_rate_hz"),
        citation=f"{_SOURCES}; {SOURCES['zec_2002']}, eq. 14 (windows)",
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=_DEFAULTS,
    ),
)
