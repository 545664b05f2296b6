# SPDX-License-Identifier: Apache-2.0
"""Models for the factors of Ronciak, Venkatesan, Brandeburg and Williams 2005."""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.napi import napi_receive
from ..vocabulary.sources import SOURCES
from .model import Model, Plane, quantities, slider

MODELS = (
    Model(
        id="napi-receive",
        title="Polling with a weight",
        summary="What a polling driver delivers, how often it falls back to interrupts and how "
        "long its ring lasts, by NAPI weight and frame size.",
        use="To choose weight and ring of a polling (NAPI) driver: when it falls back to "
        "interrupts, how long the ring lasts.",
        assumptions=(
            "Packets of one size arrive evenly and are spread evenly over the queues, each with"
            " a CPU of its own.",
            "An interrupt starts polling, and polling ends with the first poll that finds less "
            "than the weight.",
        ),
        limits=(
            "Where the CPU is saturated it polls without interrupts: interrupts jump to 0 and "
            "packets per interrupt are not known.",
            "The budget shared by several devices and the work of the stack above the driver "
            "are not in it.",
        ),
        function=napi_receive,
        inputs=quantities("napi_weight", "frame_bytes"),
        parameters=(
            slider("link_load", 1.0, 0.01, 1.0, 0.01),
            slider("packet_cost_us", 1.5, 0.0, 20.0, 0.01),
            slider("interrupt_cost_us", 3.0, 0.0, 40.0, 0.01),
            slider("poll_cost_us", 1.0, 0.0, 20.0, 0.01),
            slider("queues", 1.0, 1.0, 32.0, 1.0),
            slider("ring_descriptors", 256.0, 64.0, 4096.0, 1.0),
            slider("link_rate_mbps", 1000.0, 100.0, 800000.0, 100.0),
        ),
        outputs=quantities(
            "carried_packet_rate_hz",
            "throughput_mbps",
            "packets_per_interrupt",
            "rx_interrupt_rate_hz",
            "system_cpu_percent",
            "drop_percent",
            "ring_slack_us",
        ),
        named=("carried_packet_rate_hz", "packets_per_interrupt", "rx_interrupt_rate_hz"),
        citation=SOURCES["ronciak_2005"] + ", “Results of tuning NAPI parameters”",
        plane=Plane("napi_weight", "frame_bytes"),
        axes=MappingProxyType({"napi_weight": "x", "frame_bytes": "y"}),
        notes=(
            "The study finds no drops at weight 32 and more throughput at 16 and below, and puts "
            "that down to latency in the rest of the stack, which this model does not hold.",
        ),
    ),
)
