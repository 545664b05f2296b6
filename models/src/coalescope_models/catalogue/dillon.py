# SPDX-License-Identifier: Apache-2.0
"""Models for Dillon's message of 2004."""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.moderation import moderation_trade
from ..vocabulary.sources import SOURCES
from .model import Model, Plane, quantities, slider

MODELS = (
    Model(
        id="moderation-trade",
        title="A bound on the interrupt rate",
        summary="What a bound on interrupts per second costs in latency, saves in CPU, and asks of "
        "the receive ring.",
        use="To choose a bound on interrupts per second: what it adds to latency, saves in CPU "
        "and asks of the ring.",
        assumptions=(
            "Frames arrive evenly at a constant rate, and interrupts are spaced evenly once the"
            " bound is reached.",
            "Interrupts and packets each cost the same every time.",
        ),
        limits=(
            "Frames are dropped from the rate on that the ring cannot hold, unless flow control"
            " holds the sender back: a bend there.",
            "Adaptive moderation, which moves the bound with the traffic, is not in it.",
        ),
        function=moderation_trade,
        inputs=quantities("moderation_rate_hz", "frame_bytes"),
        parameters=(
            slider("link_load", 0.7, 0.01, 1.0, 0.01),
            # from the idle times at 8000 and 20000 Hz; the other three follow
            slider("interrupt_cost_us", 25.8, 0.0, 40.0, 0.01),
            slider("packet_cost_us", 2.32, 0.0, 20.0, 0.01),
            slider("base_latency_us", 57.0, 10.0, 1000.0, 1.0),
            slider("moderated_hosts", 2.0, 0.0, 2.0, 0.1),
            slider("latency_share", 0.5, 0.0, 1.0, 0.01),
            slider("ring_descriptors", 256.0, 64.0, 4096.0, 1.0),
            slider("flow_control", 1.0, 0.0, 1.0, 0.2),
            slider("link_rate_mbps", 1000.0, 100.0, 800000.0, 100.0),
        ),
        outputs=quantities(
            "latency_us",
            "added_latency_us",
            "rx_interrupt_rate_hz",
            "packets_per_interrupt",
            "idle_cpu_percent",
            "lowest_moderation_rate_hz",
            "drop_percent",
        ),
        named=("rx_interrupt_rate_hz",),
        citation=SOURCES["dillon_2004"],
        plane=Plane("moderation_rate_hz", "frame_bytes"),
        axes=MappingProxyType({"moderation_rate_hz": "x", "frame_bytes": "y"}),
        notes=(
            "He says 1.9 million frames per second of 64 bytes and 244 per interrupt at 8000 Hz. "
            "1.9 M over 8000 is 237.5; 244 leaves out preamble and gap; with them it is 186.",
            "A lone ping waits for half an interval on average at each host; the message itself "
            "reckons with the whole, 125 µs at 8000 Hz.",
            "Both costs are set by two of the message's five idle times.",
        ),
    ),
)
