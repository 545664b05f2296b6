# SPDX-License-Identifier: Apache-2.0
"""Models of Geist, Martin, Westall and Yalla 2005."""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.bus import bus_bound
from ..phenomena.cpu_overhead import cpu_overhead, cpu_overhead_open_loop, cpu_overhead_surface
from ..phenomena.interrupts import timer_packets_per_interrupt
from ..phenomena.link import link_bound
from ..phenomena.request_response import request_response
from ..vocabulary.sources import SOURCES
from .model import DELAY_BY_MTU, DELAY_RIGHT_MTU_UP, LinearFit, Model, quantities, slider

# α, β and γ of the NFS workload: the recipe of Geist et al. 2005, section 4, on all the digits of
# their table 2. They print 0.81, 0.27 and 1.11.
NFS_COSTS = (
    slider("alpha", 0.812997, 0.0, 2.0, 0.001),
    slider("beta", 0.266365, 0.0, 1.0, 0.001),
    slider("gamma", 1.109872, 0.0, 4.0, 0.001),
)
GIGABIT = slider("link_rate_mbps", 1000.0, 100.0, 800000.0, 100.0)
_LOAD = slider("link_load", 1.0, 0.01, 1.0, 0.01)
_COSTS_PER_GB = quantities(
    "system_cpu_per_gb", "byte_cost_per_gb", "packet_cost_per_gb", "interrupt_cost_per_gb"
)
_PER_PROTOCOL = (
    "One set of parameters describes one host and one protocol. The TCP parameters of the paper "
    "are 0.13, 0.37 and 1.43 in its text, but 0.35 and 1.41 for the last two in figure 14."
)

MODELS = (
    Model(
        id="cpu-overhead",
        title="CPU overhead",
        summary="System CPU time as the sum of a cost per byte, per packet and per interrupt.",
        use="To turn counted bytes, packets and interrupts into CPU time, or to find what each "
        "of them costs by a fit to such counts.",
        assumptions=(
            "Each byte, packet and interrupt costs the same whatever the others do: the three "
            "costs add up.",
            "One host, one protocol and one direction: the costs hold for what they were fitted"
            " to.",
        ),
        limits=(
            "Costs are not told apart where bytes, packets and interrupts grow together: vary "
            "MTU and delay both.",
            "Caches, contention and idle states are not in it; far from the fitted counts the "
            "sum need not hold.",
        ),
        function=cpu_overhead,
        inputs=quantities("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts"),
        parameters=NFS_COSTS,
        outputs=quantities("system_cpu"),
        citation=SOURCES["geist_2005"] + ", section 4",
        linear_fit=LinearFit(
            columns=("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts"),
            parameters=("alpha", "beta", "gamma"),
            per=("MB", "kpacket", "kinterrupt"),
            # where it is known, what the traffic alone cost comes first
            responses=MappingProxyType(
                {
                    "traffic_cpu_jiffies": "jiffies",
                    "system_cpu_jiffies": "jiffies",
                    "traffic_cpu_s": "s",
                    "system_cpu_s": "s",
                }
            ),
            output="system_cpu",
            remedies=(
                (frozenset({"rx_megabytes", "rx_kilopackets"}), "at another MTU"),
                (frozenset({"rx_kilointerrupts"}), "with another interrupt delay"),
                (frozenset({"elapsed_s"}), "at other loads"),
            ),
            base=("elapsed_s", "base", "s"),
        ),
        notes=(_PER_PROTOCOL,),
    ),
    Model(
        id="cpu-overhead-surface",
        title="CPU overhead over MTU and packets per interrupt",
        summary="System CPU time per 10⁹ bytes for the packets per interrupt that were counted.",
        use="To see how much CPU time a larger MTU or more packets per interrupt would save, "
        "where packets per interrupt were counted.",
        assumptions=(
            "The three costs of the CPU overhead model add up and stay the same over the plane.",
            "All packets of a setting have the same mean size, the MTU times the packet fill.",
        ),
        limits=(
            "Packets per interrupt are taken as counted: between counted settings they are "
            "interpolated, beyond them extrapolated.",
            "The interrupt cost grows without bound as packets per interrupt go to 0; below 1 "
            "they have no meaning.",
        ),
        function=cpu_overhead_surface,
        inputs=quantities("mtu_bytes", "packets_per_interrupt", "packet_fill"),
        parameters=NFS_COSTS,
        outputs=_COSTS_PER_GB,
        citation=SOURCES["geist_2005"] + ", section 4",
        plane=DELAY_BY_MTU,
        axes=MappingProxyType(
            {"mtu_bytes": "y", "packets_per_interrupt": "xy", "packet_fill": "y"}
        ),
        notes=(
            _PER_PROTOCOL,
            "The paper takes every packet as full (packet fill 1). The NFS packets that it counted "
            "are shorter, so its own formula lies below its own counts.",
        ),
    ),
    Model(
        id="cpu-overhead-open-loop",
        title="CPU overhead of an open-loop stream",
        summary="System CPU time per 10⁹ bytes when full packets keep coming whatever the delay, "
        "with packets per interrupt from the absolute timer.",
        use="To explore the cost surface of a saturating stream, such as UDP, with no data at all.",
        assumptions=(
            "Full packets arrive evenly spaced, at a rate that neither delay nor CPU changes.",
            "The delay is that of an absolute timer, which starts with the first packet.",
        ),
        limits=(
            "Packets per interrupt are whole numbers: the surface has a step wherever one more "
            "packet fits into the delay.",
            "CPU time is not bounded: it does not say when the host can no longer follow.",
            "Not for traffic that waits for replies or windows: it slows down as the delay grows.",
        ),
        function=cpu_overhead_open_loop,
        inputs=quantities("mtu_bytes", "delay_us"),
        parameters=(*NFS_COSTS, GIGABIT, _LOAD),
        outputs=(*_COSTS_PER_GB, *quantities("packets_per_interrupt")),
        named=("packets_per_interrupt",),
        citation=SOURCES["geist_2005"] + ", sections 3 and 4",
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            _PER_PROTOCOL,
            "Request and response traffic slows down as the delay grows; this model does not.",
        ),
    ),
    Model(
        id="link-bound",
        title="Link bound",
        summary="The most that an Ethernet link carries in full packets of one MTU.",
        use="To know the ceiling that no setting lifts, before looking for another limit.",
        assumptions=(
            "The link is saturated with full packets of one MTU, back to back.",
            "Ethernet frames: 18 bytes of header and check sequence, 20 of preamble and gap, "
            "TCP with timestamps for the payload.",
        ),
        limits=(
            "VLAN tags, tunnels and short packets add overhead that is not in it.",
            "It says nothing of host, bus or windows, which may bind first.",
        ),
        function=link_bound,
        inputs=quantities("mtu_bytes"),
        parameters=(GIGABIT,),
        outputs=quantities("throughput_mbps", "goodput_mbps", "carried_packet_rate_hz"),
        citation=SOURCES["geist_2005"] + ", section 2",
        plane=DELAY_BY_MTU,
        axes=MappingProxyType({"mtu_bytes": "y"}),
    ),
    Model(
        id="timer-packets-per-interrupt",
        title="Packets per interrupt under an absolute timer",
        summary="Packets that one interrupt brings when evenly spaced full packets meet a timer "
        "that starts with the first of them.",
        use="To predict packets per interrupt of a steady stream from the delay of an absolute "
        "timer, or to check that a timer did what was asked.",
        assumptions=(
            "Full packets arrive evenly spaced.",
            "The timer starts when the first packet is in, and a packet under way when it "
            "expires still belongs to the interrupt.",
        ),
        limits=(
            "It jumps by one packet wherever the delay is a whole number of packet gaps; "
            "packets at random have the smooth mean 1 + delay/gap.",
            "Rings, budgets and a CPU that falls behind bound real packets per interrupt; here "
            "nothing does.",
        ),
        function=timer_packets_per_interrupt,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(GIGABIT, _LOAD),
        outputs=quantities("packets_per_interrupt", "rx_interrupt_rate_hz"),
        named=("packets_per_interrupt",),
        citation=SOURCES["geist_2005"] + ", section 3",
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            "At a delay of 960 ticks the paper counts 80, 41, 27 and 22 packets per interrupt "
            "for MTU 1500, 3000, 4500 and 6000; this simple theory gives 81, 42, 29 and 22.",
        ),
    ),
    Model(
        id="bus-bound",
        title="PCI bus bound",
        summary="The receive rate at which a shared bus between interface and memory is busy all "
        "the time.",
        use="To see whether a shared PCI bus, not the link, stops throughput from growing.",
        assumptions=(
            "The bus carries nothing but received frames and their descriptors.",
            "Frames cross it in bursts of a fixed size, each with the same overhead.",
        ),
        limits=(
            "It falls where a frame needs one more burst: the curve over the MTU has steps.",
            "Acknowledgements and other devices share a real bus and are not in it; point-to-"
            "point buses such as PCI Express work otherwise.",
        ),
        function=bus_bound,
        inputs=quantities("mtu_bytes"),
        parameters=(
            slider("bus_width_bits", 32.0, 32.0, 64.0, 1.0),
            slider("bus_clock_mhz", 33.333, 33.0, 133.0, 0.001),
            slider("burst_bytes", 1024.0, 32.0, 4096.0, 32.0),
            slider("burst_overhead_clocks", 8.0, 0.0, 32.0, 1.0),
            slider("descriptor_bytes", 32.0, 0.0, 128.0, 1.0),
        ),
        outputs=quantities("bus_throughput_mbps", "bus_peak_mbps"),
        citation=SOURCES["geist_2005"] + ", section 2 (32 bits at 33 MHz)",
        plane=DELAY_BY_MTU,
        axes=MappingProxyType({"mtu_bytes": "y"}),
        notes=(
            "The paper gives width and clock only; bursts, their overhead and descriptors are this "
            "project's assumptions, and can be set.",
        ),
    ),
    Model(
        id="request-response",
        title="Request and response",
        summary="Clients that wait for each reply, as NFS does: throughput falls as the delay "
        "grows, and CPU time with it.",
        use="For clients that wait for each reply before they ask again (NFS, remote calls): "
        "how the delay slows them down and saves CPU time at once.",
        assumptions=(
            "Each client has one request under way and asks again as soon as it is answered.",
            "A reply arrives as one burst of evenly spaced full packets, at a rate of its own; the "
            "CPU time is the sum of the three costs.",
        ),
        limits=(
            "It has steps where the packets of a reply, or those that the delay gathers, go up "
            "by a whole packet.",
            "Read-ahead, several requests of a client at a time and losses are not in it.",
            "CPU and idle time follow each other: a host that overlaps them does better than told.",
        ),
        function=request_response,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            *NFS_COSTS,
            slider("clients", 3.0, 1.0, 64.0, 1.0),
            # an 8 KB read of NFS version 2 with its headers
            slider("reply_bytes", 8296.0, 256.0, 65536.0, 8.0),
            slider("small_packets", 0.5, 0.0, 4.0, 0.01),
            slider("idle_us", 220.0, 0.0, 2000.0, 1.0),
            slider("delay_waits", 2.15, 0.0, 4.0, 0.01),
            # what gives the packets per interrupt of table 2
            slider("burst_rate_mbps", 240.0, 100.0, 10000.0, 10.0),
        ),
        outputs=quantities(
            "throughput_mbps",
            "packets_per_interrupt",
            "rx_interrupt_rate_hz",
            "system_cpu_percent",
            "request_rate_hz",
            "latency_us",
            "reply_cycle_us",
            "lone_interrupts",
            "reply_work_us",
            "timer_wait_us",
        ),
        named=(
            "reply_cycle_us",
            "packets_per_interrupt",
            "lone_interrupts",
            "reply_work_us",
            "timer_wait_us",
        ),
        citation=SOURCES["geist_2005"] + ", section 3 (NFS); the closed loop is this project's",
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            "The idle time is set so that the best throughput is the paper's 200 Mb/s, the rate of "
            "a burst to the counts of its table 2; how often a client waits for the timer (2.15) "
            "is the one parameter chosen to suit the paper.",
            "Packets of a burst are taken to be evenly spaced.",
        ),
    ),
)
