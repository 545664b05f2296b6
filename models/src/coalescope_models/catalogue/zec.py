# SPDX-License-Identifier: Apache-2.0
"""Models of Zec, Mikuc and Žagar 2002."""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.interrupt_load import coalesced_interrupt_load, interrupt_livelock
from ..phenomena.tcp_throughput import tcp_coalescing_throughput, tcp_lossy_throughput
from ..vocabulary.sources import SOURCES
from .model import DELAY_BY_MTU, DELAY_RIGHT_MTU_UP, Model, Plane, quantities, slider

_PATH = (
    slider("window_bytes", 16384.0, 4096.0, 1048576.0, 1024.0),
    slider("rtt_min_us", 739.0, 10.0, 5000.0, 1.0),
    slider("coalescing_nics", 1.0, 0.0, 8.0, 1.0),
)
_MEDIUM = (
    slider("link_rate_mbps", 100.0, 100.0, 800000.0, 100.0),
    # 7500 of 8127.4 packets/s
    slider("medium_efficiency", 0.9228, 0.5, 1.0, 0.0001),
)

MODELS = (
    Model(
        id="tcp-coalescing-throughput",
        title="TCP throughput under coalescing",
        summary="Steady throughput of one window-limited TCP connection without loss, when each "
        "interface on the path holds packets back.",
        use="For one TCP connection without loss: how long a coalescing delay may be before its"
        " window no longer fills the path.",
        assumptions=(
            "The window is constant and full, nothing is lost, and slow start is over.",
            "Each coalescing interface adds half its delay to a lone packet and more as the "
            "path fills.",
        ),
        limits=(
            "The window is a whole number of segments: throughput has steps along the MTU.",
            "It bends where the window stops binding and the medium begins to.",
            "Not for window scaling under way, several connections or delayed acknowledgements "
            "that wait for a timer.",
        ),
        function=tcp_coalescing_throughput,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(*_PATH, *_MEDIUM),
        outputs=quantities(
            "goodput_mbps",
            "throughput_mbps",
            "carried_packet_rate_hz",
            "window_packet_rate_hz",
            "window_packets",
            "lone_rtt_us",
            "medium_packet_rate_hz",
        ),
        named=(
            "carried_packet_rate_hz",
            "window_packet_rate_hz",
            "window_packets",
            "lone_rtt_us",
            "medium_packet_rate_hz",
        ),
        citation=SOURCES["zec_2002"] + ", eq. 14–19",
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            "The paper's figures 6 and 7 carry the same caption, N = 1 and RTT 0.739 ms, and its "
            "figure 5 has N = 2; its text describes one coalescing interface for the first two "
            "and two for the last two.",
        ),
    ),
    Model(
        id="tcp-lossy-throughput",
        title="TCP throughput with loss under coalescing",
        summary="Steady throughput of one connection that loses packets, when each interface on "
        "the path holds packets back.",
        use="For one TCP connection that loses packets now and then, on a path where interfaces"
        " coalesce.",
        assumptions=(
            "TCP Reno: losses halve the window, timeouts back off.",
            "Losses come independently and at a constant rate, whatever the throughput.",
        ),
        limits=(
            "Newer congestion control (CUBIC, BBR) recovers otherwise.",
            "Above some 10 % of loss the formula was not validated by its authors.",
            "Without loss it is the loss-free model, with the same steps along the MTU.",
        ),
        function=tcp_lossy_throughput,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            *_PATH,
            slider("loss_percent", 0.1, 0.0, 10.0, 0.01),
            slider("packets_per_ack", 2.0, 1.0, 4.0, 0.5),
            slider("timeout_ms", 1000.0, 10.0, 3000.0, 10.0),
            *_MEDIUM,
        ),
        outputs=quantities(
            "goodput_mbps", "throughput_mbps", "carried_packet_rate_hz", "loaded_rtt_us"
        ),
        named=("carried_packet_rate_hz", "loaded_rtt_us"),
        citation=f"{SOURCES['zec_2002']}, eq. 8, with eq. 12; eq. 8 is of {SOURCES['padhye_2000']}",
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            "The round trip is that of the loss-free connection, an upper bound: with loss, fewer "
            "packets wait for each other.",
        ),
    ),
    Model(
        id="interrupt-livelock",
        title="Interrupt cost and livelock",
        summary="CPU load of interrupts that do no work, and the rate from which on nothing else "
        "runs.",
        use="To know the interrupt rate at which a host does nothing else, from what one "
        "interrupt costs.",
        assumptions=(
            "An interrupt costs the same each time, and does no work for a packet.",
            "One CPU takes all interrupts.",
        ),
        limits=(
            "The load is cut off at 100 %: from the livelock rate on the curve is flat.",
            "Caches that stay warm at high rates make interrupts cheaper than told.",
        ),
        function=interrupt_livelock,
        inputs=quantities("interrupt_rate_hz"),
        parameters=(
            # 180,000 interrupts a second saturate the 1.2 GHz Athlon: 5.56 µs each
            slider("interrupt_entry_us", 5.56, 1.0, 20.0, 0.01),
            slider("register_read_us", 0.5, 0.0, 5.0, 0.01),
            slider("register_reads", 0.0, 0.0, 8.0, 1.0),
            slider("cascade_us", 1.0, 0.0, 5.0, 0.01),
            slider("cascaded", 0.0, 0.0, 1.0, 0.2),
        ),
        outputs=quantities("system_cpu_percent", "livelock_rate_hz"),
        citation=SOURCES["zec_2002"] + ", section 3 and figure 1",
        axes=MappingProxyType({"interrupt_rate_hz": "x"}),
        notes=(
            "The text gives 180,000 interrupts per second, “depending on the configuration”; what "
            "a register read and the second controller cost is not printed, and can be set.",
        ),
    ),
    Model(
        id="coalesced-interrupt-load",
        title="Interrupt and CPU load against packet rate",
        summary="Interrupt rate and CPU load of a stream of packets for each coalescing delay, and "
        "polling as the alternative.",
        use="To compare coalescing with polling over the packet rate: interrupts, CPU load and "
        "waiting.",
        assumptions=(
            "Packets arrive at random at a constant rate, so that an interrupt brings 1 + rate "
            "× delay of them.",
            "Polling looks at fixed times, whether there is something or not.",
        ),
        limits=(
            "The CPU load is cut off at 100 %; what is lost beyond that is not told.",
            "Rings are taken as large enough.",
        ),
        function=coalesced_interrupt_load,
        inputs=quantities("packet_rate_hz", "delay_us"),
        parameters=(
            slider("interrupt_cost_us", 5.56, 0.0, 40.0, 0.01),
            slider("packet_cost_us", 2.0, 0.0, 20.0, 0.01),
            slider("poll_rate_hz", 1000.0, 100.0, 100000.0, 100.0),
            slider("poll_cost_us", 2.0, 0.0, 20.0, 0.01),
        ),
        outputs=quantities(
            "rx_interrupt_rate_hz",
            "packets_per_interrupt",
            "system_cpu_percent",
            "added_latency_us",
            "polling_cpu_percent",
            "polling_latency_us",
        ),
        named=("packets_per_interrupt", "rx_interrupt_rate_hz"),
        citation=SOURCES["zec_2002"] + ", sections 2 and 4 and figure 2",
        plane=Plane("packet_rate_hz", "delay_us"),
        axes=MappingProxyType({"packet_rate_hz": "x", "delay_us": "y"}),
        notes=(
            "What figure 2 plots was not printed as numbers; the cost of an interrupt is that of "
            "figure 1's livelock rate, the rest can be set.",
        ),
    ),
)
